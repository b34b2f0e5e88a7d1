"""Pairs in `fixtures/races`: functions named `racy...` have a race, their twins named `free...` have none.

Modeled on the tests of host-level race detectors for CUDA: streams, events, the host, the effects of kernels
and callees, parts of buffers, lifetimes, control flow, mutually exclusive conditions.
"""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.support.tools import FIXTURES, mlir_opt

FOLDER = FIXTURES / "races"
FILES = sorted(FOLDER.glob("*.mlir"))
FUNCTION = re.compile(r"func\.func @(\w+)")
VERSIONS = (22, 24)
FLOOR = 0.95


def found_in(text: str, version: int) -> dict[str, set[str]]:
    """Return the codes of the 3xx findings of each function."""
    starts = [(m.start(), m[1]) for m in FUNCTION.finditer(text)]
    found: dict[str, set[str]] = {name: set() for _, name in starts}
    for finding in check_source(text, Config(version, ("GA3",))):
        found[[name for start, name in starts if start <= finding.span.start][-1]].add(finding.code)
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_races_are_found_and_nothing_else(version: int) -> None:
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    missed: list[str] = []
    alarms: list[str] = []
    for path in FILES:
        row = rows[path.stem]
        for name, codes in found_in(path.read_text(), version).items():
            if name.startswith("racy"):
                row[0] += 1
                row[1] += bool(codes)
                missed += [] if codes else [f"{path.stem} {name}"]
            elif name.startswith("free"):
                row[2] += 1
                row[3] += bool(codes)
                alarms += [f"{path.stem} {name}: {sorted(codes)}"] if codes else []
    print(f"\nLLVM {version}: races found of races, false alarms of race-free programs")
    for stem, (racy, hit, free, wrong) in rows.items():
        print(f"  {stem:18} {hit:2} of {racy:2}   {wrong} of {free:2}")
    total = [sum(column) for column in zip(*rows.values(), strict=True)]
    print(f"  {'all':18} {total[1]:2} of {total[0]:2}   {total[3]} of {total[2]:2}", *missed, sep="\n  ")
    assert total[0] >= 60
    assert total[2] >= 60
    assert alarms == []
    assert total[1] / total[0] >= FLOOR


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_programs_are_valid(path: Path) -> None:
    if shutil.which("mlir-opt-22") is None:
        pytest.skip("mlir-opt-22 is not installed")
    checked = mlir_opt(22)(path.read_text())
    assert checked.code == 0, checked.err
