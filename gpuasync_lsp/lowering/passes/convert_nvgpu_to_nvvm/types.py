"""What the types of nvgpu become, and how nvvm ops of each release are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from xdsl.dialects.builtin import IntAttr, IntegerAttr, MemRefType, ModuleOp, NoneAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, AnyMemRef, AnyUnranked, TypeConverter
from gpuasync_lsp.lowering.passes.kernels.spaces import SPACES
from gpuasync_lsp.syntax.dialects import nvgpu
from gpuasync_lsp.syntax.dialects.assembly import i32_array
from gpuasync_lsp.syntax.ods.operation import op_classes
from gpuasync_lsp.syntax.provenance import module_of
from gpuasync_lsp.syntax.source import parse_source

SHARED = 3


@dataclass
class NvgpuTypes(TypeConverter):
    """Tokens become integers, barriers the descriptors of their memory, tensor maps pointers."""

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

    def _space(self, type: AnyMemRef | AnyUnranked) -> int | None:
        number = _number_of(type.memory_space)
        return super()._space(type) if number is None else number


def barrier_memory(type: nvgpu.MBarrierGroupType) -> AnyMemRef:
    """Return the memref that barriers stand in."""
    count = type.fields.data.get("num_barriers", IntAttr(1))
    space = type.fields.data.get("memorySpace", NoneAttr())
    number = _number_of(space)
    kept = space if number is None else IntegerAttr(number, 64)
    return MemRefType(i64, [cast("IntAttr[int]", count).data], memory_space=kept)


def insert(
    rewriter: ConversionRewriter,
    name: str,
    operands: Sequence[SSAValue],
    results: Sequence[Attribute] = (),
    properties: Mapping[str, str | Attribute] | None = None,
    segments: Sequence[int] = (),
) -> Operation:
    """Insert the nvvm op `name` with properties, some as text, and the sizes of its operands' groups."""
    given = {
        key: attribute(value) if isinstance(value, str) else value
        for key, value in (properties or {}).items()
    }
    if segments:
        given["operandSegmentSizes"] = i32_array(segments)
    kind = op_classes(f"nvvm.{name}")[-1]
    return rewriter.add(kind.create(operands=operands, result_types=results, properties=given))


@cache
def attribute(text: str) -> Attribute:
    """Return an attribute that is written as `text`."""
    (chunk,) = parse_source(f"module attributes {{a.a = {text}}} {{}}").chunks
    outer = module_of(chunk)
    inner = outer.ops.first
    return (inner if isinstance(inner, ModuleOp) else outer).attributes["a.a"]


def _number_of(space: Attribute) -> int | None:
    """Return the number of `#gpu.address_space<..>`, or None for what is none."""
    word = cast(Any, space).data if space.name == "gpu.address_space" else None
    return None if word is None else SPACES[str(getattr(word, "value", word))]
