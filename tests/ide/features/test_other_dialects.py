"""Errors, hover and completion for dialects that are known by their definitions alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.ide.features.completion import completions
from gpuasync_lsp.ide.features.hover import hover
from gpuasync_lsp.text import Severity
from tests.support.markers import Found, disagreements
from tests.support.marks import at_cursor, state_of

SOURCE = Path(__file__).with_suffix(".mlir").read_text()


def test_operands_of_a_wrong_type() -> None:
    found = [f.shift(group.offset) for group in state_of(SOURCE).findings for f in group.findings]
    errors = [Found(f.severity, f.span, f.code, f.message) for f in found if f.severity is Severity.ERROR]
    assert disagreements(SOURCE, errors) == []


@pytest.mark.parametrize("op", ["transform.structured.vectorize", "nvvm.mbarrier.init", "omp.threadprivate"])
def test_hover(op: str) -> None:
    found = hover(*at_cursor(SOURCE.replace(f" {op}", f" {op[:-1]}<|>{op[-1]}")))
    assert found is not None
    assert op in found.markdown


@pytest.mark.parametrize(
    ("behind", "typed", "offered"),
    [
        ("transform.yield", "transform.structured.til", "transform.structured.tile_using_for"),
        ("return", "nvvm.mbarrier.ar", "nvvm.mbarrier.arrive"),
        ("return", "omp.taskg", "omp.taskgroup"),
    ],
)
def test_completion(behind: str, typed: str, offered: str) -> None:
    state, offset = at_cursor(SOURCE.replace(f"    {behind}\n", f"    {typed}<|>\n    {behind}\n", 1))
    assert offered in [completion.label for completion in completions(state, offset)]
