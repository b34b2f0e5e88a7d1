"""The type converter for nvgpu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import IntAttr, IntegerAttr, MemRefType, NoneAttr, i32, i64
from xdsl.ir import Attribute

from gpuasync_lsp.lowering.conversion.types import PTR, TypeConverter
from gpuasync_lsp.lowering.passes.kernels.spaces import SPACES
from gpuasync_lsp.syntax.dialects import nvgpu
from gpuasync_lsp.syntax.dialects.gpu import AddressSpaceAttr
from gpuasync_lsp.syntax.memref_types import AnyMemRef, AnyUnranked

SHARED = 3


@dataclass
class NvgpuTypes(TypeConverter):
    """Converts tokens to integers, barriers to descriptors of their memory, tensor maps to pointers."""

    def _convert(self, type: Attribute) -> Attribute | None:
        if isinstance(type, nvgpu.DeviceAsyncTokenType):
            return i32
        if isinstance(type, nvgpu.MBarrierTokenType | nvgpu.WarpgroupMatrixDescriptorType):
            return i64
        if isinstance(type, nvgpu.MBarrierGroupType):
            return self.convert(barrier_memory(type))
        if isinstance(type, nvgpu.TensorMapDescriptorType):
            return PTR
        return super()._convert(type)

    def space_of(self, type: AnyMemRef | AnyUnranked) -> int | None:
        number = _number_of(type.memory_space)
        return super().space_of(type) if number is None else number


def barrier_memory(type: nvgpu.MBarrierGroupType) -> AnyMemRef:
    """Return the type of the memref that stores barriers."""
    count = type.fields.data.get("num_barriers", IntAttr(1))
    space = type.fields.data.get("memorySpace", NoneAttr())
    number = _number_of(space)
    kept = space if number is None else IntegerAttr(number, 64)
    return MemRefType(i64, [cast("IntAttr[int]", count).data], memory_space=kept)


def _number_of(space: Attribute) -> int | None:
    """Return the number of `#gpu.address_space<..>`; None for any other attribute."""
    return SPACES[space.data.value] if isinstance(space, AddressSpaceAttr) else None
