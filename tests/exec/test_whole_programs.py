"""Whole programs, hosts and kernels: each marked line has its finding, and programs without marks have none.

The programs were written before the tool ran on them. `// finding: NAME` ends a line where a finding, or
one of its related places, is to be.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.exec.harness import run
from tests.support.thinning import thinned
from tests.support.tools import FIXTURES

PROGRAMS = sorted((FIXTURES / "run_programs").glob("*.mlir"))


@pytest.mark.parametrize("file", thinned(PROGRAMS, 4), ids=lambda file: file.stem)
def test_findings_are_at_the_marked_lines(file: Path) -> None:
    text = file.read_text("utf-8")
    release = re.match(r"// gpuasync: llvm=(\d+)\n", text)
    assert release is not None
    report = run(text, int(release[1]))
    assert report.outcome in ("ok", "findings"), report.message
    marked = {
        (number, found[1])
        for number, line in enumerate(text.splitlines(), 1)
        if (found := re.search(r"// finding: ([\w-]+)$", line)) is not None
    }
    wanted = {name for _, name in marked}
    found = [each for each in report.findings if each.name in wanted]
    assert {each.name for each in found} == wanted
    for name in wanted:
        places = {
            place.line
            for each in found
            if each.name == name
            for place in (each.place, *(related.place for related in each.related))
        }
        assert {line for line, marked_name in marked if marked_name == name} <= places
    if not marked:
        assert not report.findings


def test_blocks_of_a_cluster_exchange_values() -> None:
    for name, first in (("cluster_exchange", "[100 101 102 103"), ("cluster_sum", "[6]")):
        text = (FIXTURES / "run_programs" / f"{name}.mlir").read_text("utf-8")
        for check in (True, False):
            assert run(text, 23, check=check).values[0].preview.startswith(first)


def test_a_function_gets_descriptors_by_pointer_and_returns_one() -> None:
    text = (FIXTURES / "run_programs" / "descriptors" / "c_interface.mlir").read_text("utf-8")
    for entry in ("_mlir_ciface_twice", "twice"):
        report = run(text, entry=entry)
        assert report.findings == ()
        assert report.values[0].preview.split()[:4] == ["[", "0.", "2.", "4."]
