"""A preview that is lowered item by item equals the passes' output for the whole module."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.preview.preview import preview, view_of
from gpuasync_lsp.lowering.pipeline.pipeline import parse_pipeline, run_pipeline
from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module
from tests.ide.preview.test_preview import state_of
from tests.lowering.passes.test_fixtures import PIPELINE, parts


@pytest.mark.parametrize("text", parts("passes", "by_pipeline"))
def test_it_is_what_the_whole_becomes(text: str) -> None:
    found = PIPELINE.match(text)
    assert found is not None
    whole = run_pipeline(module_of(parse_source(text).chunks[0]), parse_pipeline(found[3]), 22)
    shown = preview(state_of(text), 22, view=view_of(pipeline=found[3]))
    if whole.error is None:
        assert shown.text.strip() == print_module(whole.module).strip()
    else:
        assert whole.error.text in [note.error for note in shown.notes]
