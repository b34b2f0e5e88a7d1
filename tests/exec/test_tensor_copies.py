"""mbarriers and copies of tiles by TMA: what the example `tma_pipeline.mlir` does not show."""

from __future__ import annotations

import numpy as np
import pytest

from gpuasync_lsp.exec.prepare import NotRunnable
from tests.exec.harness import compute, run

PROGRAM = """
!near = memref<4x8xf32, 3>
!map = !nvgpu.tensormap.descriptor<tensor = !near, swizzle = SWIZZLE, l2promo = none, oob = FILL,
                                   interleave = none>
!barrier = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
memref.global "private" @near : !near
func.func @main(%x: memref<6x10xf32>, %y: memref<6x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant BYTES : index
  %ticks = arith.constant 10000000 : index
  %false = arith.constant false
  %mask = arith.constant 3 : i16
  %from = memref.cast %x : memref<6x10xf32> to memref<*xf32>
  %to = memref.cast %y : memref<6x10xf32> to memref<*xf32>
  %source = nvgpu.tma.create.descriptor %from box[%c4, %c8] : memref<*xf32> -> !map
  %target = nvgpu.tma.create.descriptor %to box[%c4, %c8] : memref<*xf32> -> !map
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%t, %ty, %tz) in (%sx = %c2, %sy = %c1, %sz = %c1) {
    %near = memref.get_global @near : !near
    %group = nvgpu.mbarrier.create -> !barrier
    %issues = arith.cmpi eq, %t, %c1 : index
    nvgpu.mbarrier.init %group[%c0], %c1, predicate = %issues : !barrier
    gpu.barrier
    nvgpu.tma.async.load %source[%c4, %c4], %group[%c0] to %near MULTICAST, predicate = %issues
      : !map, !barrier -> !near
    nvgpu.mbarrier.arrive.expect_tx %group[%c0], %bytes, predicate = %issues : !barrier
    nvgpu.mbarrier.try_wait.parity %group[%c0], %false, %ticks : !barrier
    %first = arith.cmpi eq, %t, %c0 : index
    nvgpu.tma.async.store %near to %target[%c2, %c1], predicate = %first : !near -> !map
    gpu.terminator
  }
  return
}
"""


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
