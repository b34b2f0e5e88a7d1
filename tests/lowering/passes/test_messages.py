"""Lit tests of passes, run by this tool and by the mlir-opt of each release in their `LLVM:` line.

A part expects an error (`expected-error`), or a limit of this tool where mlir-opt succeeds (`unsupported`).
Otherwise both outputs are equal, unless a line `DIFFERS:` has the reason. CHECK lines apply to each output.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuasync_lsp.ide.runlines.matching import match
from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import SourceLoc, module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.differential.one_pass import BREAK, with_all_passes
from tests.support.releases import EACH_TIME

PARTS = Path(__file__).with_suffix(".mlir").read_text("utf-8").split(BREAK)
_RUN = re.compile(
    r"^// RUN: mlir-opt %s (--(?:pass-pipeline=)?(\S+))( --\S+)?\n// LLVM: ([\d ]+)(.*)$", re.MULTILINE
)
_EXPECTED = re.compile(r"// (expected-error|unsupported) (?:@\+(\d+) )?\{\{(.*)\}\}$", re.MULTILINE)


def parts() -> list[object]:
    """Return each part, its release, and its RUN line; other releases than that of fast runs are slow."""
    found: list[object] = []
    for text in PARTS:
        run = _RUN.search(text)
        assert run is not None, text
        for version in map(int, run[4].split()):
            marks = [] if version == EACH_TIME else [pytest.mark.slow]
            found.append(pytest.param(text, version, run, id=f"{run[2]}-{version}", marks=marks))
    return found


@pytest.mark.parametrize(("text", "version", "run"), parts())
def test_messages_and_outputs(text: str, version: int, run: re.Match[str], tmp_path: Path) -> None:
    expected = _EXPECTED.search(text)
    done = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(run[2]), version)
    line = 0
    if done.error is not None and isinstance(done.error.location, SourceLoc):
        line = text.count("\n", 0, done.error.location.span.start) + 1
    assert done.first_message == (expected[3] if expected else "")
    if expected and expected[2]:
        assert line == text.count("\n", 0, expected.start()) + 1 + int(expected[2])
    file = tmp_path / "test.mlir"
    file.write_text(text)
    fails = expected is not None and expected[1] == "expected-error"

    def check(output: str) -> None:
        assert "CHECK" not in text or not match([str(file)], output, str(tmp_path)).mismatches, output

    ours = print_module(done.module)
    if expected is None:
        check(ours)
    if run[5]:
        pytest.skip(f"LLVM {version}{run[5]}")
    real = with_all_passes(version)(text, run[1], *(run[3] or "").split())
    assert (real.code != 0) is fails, real.err
    if expected is not None and fails:
        assert expected[3] in real.err
        assert not expected[2] or f"<stdin>:{line}:" in real.err
    else:
        check(real.out)
    assert expected or "DIFFERS:" in text or real.out.strip() == ours.strip()
