"""`convert-nvgpu-to-nvvm`, compared with the real pass."""

from __future__ import annotations

import pytest

from tests.differential.passes import lowered, programs, readable, run_all, strip
from tests.support.releases import releases

NAME = "convert-nvgpu-to-nvvm"
FEWEST = 8
"""Number of parts of the fixture that every release accepts."""


@pytest.mark.parametrize("version", releases(19, 20, 21, 22, 23, 24))
def test_equal_to_the_real_pass(version: int) -> None:
    # Not at module level: without the shared cases this call skips the test.
    names = frozenset(name for name in programs(22) if name.startswith("passes/convert_nvgpu_to_nvvm"))
    texts = list(readable(version, names).values())
    assert len(texts) >= FEWEST
    theirs = run_all(version, texts, f"--{NAME}")
    # Reprinted by mlir-opt of the same release: others may reject its text.
    ours = run_all(version, [lowered(text, version, NAME) for text in texts])
    assert [strip(text) for text in ours] == [strip(text) for text in theirs]
    assert all(text.strip() for text in theirs)
