"""Every available stage has a description."""

from __future__ import annotations

from gpuasync_lsp.ide.preview.stages import STAGE_DESCRIPTIONS
from gpuasync_lsp.lowering import STAGES


def test_every_stage_is_described_once() -> None:
    assert tuple(STAGE_DESCRIPTIONS) == STAGES
    assert len(set(STAGE_DESCRIPTIONS.values())) == len(STAGES)
