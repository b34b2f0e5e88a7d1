"""mbarriers and TMA copies of tiles: cases that the example `tma_pipeline.mlir` does not cover."""

from __future__ import annotations

import numpy as np
import pytest

from gpuasync_lsp.exec.prepare import NotRunnable
from tests.exec.harness import compute, run
from tests.support.texts import texts_beside

TEXTS = texts_beside(__file__)

PROGRAM = TEXTS["PROGRAM"]


def program(swizzle: str = "none", fill: str = "zero", bytes: int = 128, multicast: str = "") -> str:
    text = PROGRAM.replace("SWIZZLE", swizzle).replace("FILL", fill).replace("BYTES", str(bytes))
    return text.replace("MULTICAST", multicast)


@pytest.mark.parametrize("fill", ["zero", "nan"])
@pytest.mark.parametrize("swizzle", ["none", "swizzle_32b"])
def test_a_tile_goes_in_and_out_and_its_outside_is_filled(swizzle: str, fill: str) -> None:
    """Rows are the second coordinate; a swizzle is undone by what reads with the same one."""
    numbers = compute(program(swizzle, fill), 22, shared_arguments=True)
    assert numbers.report["findings"] == []
    tile = np.full((4, 8), np.nan if fill == "nan" else 0, np.float32)
    tile[:2, :6] = numbers.inputs["x"][4:, 4:]
    expected = numbers.inputs["y"].copy()
    expected[1:5, 2:10] = tile
    np.testing.assert_array_equal(numbers.arrays["y"], expected)


def test_bytes_that_never_come_are_a_deadlock_at_the_wait() -> None:
    text = program(bytes=129)
    (found,) = run(text, shared_arguments=True).findings
    assert found.name == "deadlock"
    assert "try_wait" in text.splitlines()[found.place.line - 1]


def test_a_copy_to_the_blocks_of_a_cluster_is_refused_by_name() -> None:
    with pytest.raises(NotRunnable, match=r"nvgpu\.tma\.async\.load in a kernel") as raised:
        run(program(multicast="multicast_mask = %mask"))
    assert raised.value.span is not None
