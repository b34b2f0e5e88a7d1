"""MLIR's C++ verifiers, by dialect: the fixtures have the errors of LLVM 22, others come from mlir-opt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.text import LineIndex
from tests.support.markers import Found, disagreements
from tests.support.thinning import thinned
from tests.support.tools import ROOT, mlir_opt

FIXTURES = sorted((ROOT / "tests" / "fixtures" / "errors" / "checks").glob("*.mlir"))
VERIFIER = ("GA001", "GA002", "GA003", "GA004", "GA005", "GA006", "GA109")
_ERROR = re.compile(
    r"^within split at <stdin>:(\d+) offset :\d+:\d+: error:|^<stdin>:(\d+):\d+: error:", re.M
)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_what_is_wrong_is_said_in_the_words_of_llvm_22(path: Path) -> None:
    text = path.read_text()
    found = [
        Found(each.severity, each.span, each.code, each.message)
        for each in check_source(text, Config(llvm=22, select=VERIFIER))
    ]
    assert disagreements(text, found) == []


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_mlir_opt_says_the_same(path: Path) -> None:
    markers = (
        "--split-input-file",
        "--verify-diagnostics=only-expected",
        "--allow-unregistered-dialect",
    )
    assert mlir_opt(22)(path.read_text(), *markers).err == ""


@pytest.mark.parametrize("version", thinned([19, 16], 2))
@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_what_an_older_release_takes_is_no_error_there(path: Path, version: int) -> None:
    """A chunk that mlir-opt accepts has no error; of those that it rejects, nine out of ten have one.

    mlir-opt runs with a flag with which it accepts dialects that the release lacks."""
    text = path.read_text()
    lines = LineIndex(text)
    starts = [0] + [at + 1 for at, line in enumerate(text.split("\n")) if line == "// -----"]

    def chunk(line: int) -> int:
        return sum(start <= line for start in starts) - 1

    output = mlir_opt(version)(text, "--split-input-file", "--allow-unregistered-dialect")
    refused = {
        chunk(int(match[1] or match[2]) + (match[1] is not None)) for match in _ERROR.finditer(output.err)
    }
    ours = {
        chunk(lines.position(each.span.start)[0])
        for each in check_source(text, Config(llvm=version, select=VERIFIER))
        if "this release has no dialect" not in each.message
    }
    assert sorted(ours - refused) == []
    assert len(refused - ours) <= len(refused) / 10
