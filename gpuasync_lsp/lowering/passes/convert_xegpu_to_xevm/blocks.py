"""Converts descriptors of memory tiles, and a subgroup's loads, stores and prefetches of tiles."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, IntegerType, VectorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.errors import OWN
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.conversion.types import pointer
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.builder import Builder
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.lanes import (
    ConvertXeGPU,
    cache_control,
    mixed,
    one,
    replace,
    tile,
)
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.types import width_of
from gpuasync_lsp.syntax.dialects.assembly import INDEX, integers
from gpuasync_lsp.syntax.kinds import is_integer, is_memref, is_vector, vector_type
from gpuasync_lsp.syntax.memref_types import dynamic, strides_and_offset

_PAYLOAD: VectorType[Attribute] = VectorType(i32, (8,))
_BASE, _WIDTH, _HEIGHT, _PITCH = 0, 2, 3, 4
"""Positions of fields in a descriptor, a vector of eight i32; the address occupies two."""
_DEPTH = 8
_LANES = 16


class ConvertDescriptor(ConvertXeGPU):
    """`xegpu.create_nd_tdesc` becomes a vector with the address, the sizes and the pitch."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        source: Attribute = one(op, "source").type
        if not is_integer(source) and not is_memref(source):
            rewriter.match_failure("Expected ranked Memref.")
        sizes, strides = _mixed(op, "shape", rewriter), _mixed(op, "strides", rewriter)
        base = rewriter.lowered(one(op, "source"))
        payload = build.attribute(splat(_PAYLOAD, 0), _PAYLOAD)
        if not is_memref(source) and base.type != i64:
            base = build.one("arith.extui", [base], i64)
        if len(sizes) == 1:
            rewriter.replace(op, [base])
            return
        fields = {_WIDTH: sizes[-1], _HEIGHT: sizes[-2], _PITCH: strides[-2]}
        numbers = {field: _as_i32(value, build) for field, value in fields.items()}
        wide = build.insert(base, build.bitcast(payload, i64, 4), _BASE)
        payload = build.bitcast(wide, i32, 8)
        for field, value in numbers.items():
            payload = build.insert(value, payload, field)
        rewriter.replace(op, [payload])


class ConvertTile(ConvertXeGPU):
    """A load, store or prefetch of a tile becomes one of xevm's block ops."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.stores, self.prefetches = name == "store_nd", name == "prefetch_nd"

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        block = tile(op, "TensorDesc", rewriter)
        offsets = mixed(op)
        if len(offsets) != len(block.shape):
            rewriter.match_failure("Expected offset rank to match descriptor rank.")
        bits = block.bits
        if bits > 8 and bits % 8:
            rewriter.match_failure("Expected element type bit width to be multiple of 8.")
        if len(offsets) == 1:
            self._row(op, offsets[0], bits, block.space, rewriter)
        else:
            self._tile(op, offsets, rewriter)

    def _row(
        self, op: Operation, at: SSAValue | int, bits: int, space: int, rewriter: ConversionRewriter
    ) -> None:
        if self.prefetches:
            rewriter.match_failure(
                "Unsupported operation: xegpu.prefetch_nd with tensor descriptor rank == 1"
            )
        build = Builder(rewriter)
        base = rewriter.lowered(one(op, "TensorDesc"))
        if not isinstance(at, SSAValue):
            rewriter.match_failure(f"{OWN}does not support a constant offset in a descriptor of rank 1")
        offset = at if at.type == i64 else build.one("arith.index_cast", [at], i64)
        address = build.displaced(base, offset, bits // 8)
        place = build.one("llvm.inttoptr", [address], pointer(space))
        if self.stores:
            value = _stored(op, bits, build, rewriter)
            control = cache_control(op, "store", rewriter)
            build.op("xevm.blockstore", [place, value], properties={"cache_control": control})
            rewriter.erase(op)
            return
        result = vector_type(op.results[0].type)
        whole = _as_vector_of(result, bits)
        control = {"cache_control": cache_control(op, "load", rewriter)}
        value = build.one("xevm.blockload", [place], whole, control)
        replace(op, build.as_type(value, result), rewriter)

    def _tile(self, op: Operation, offsets: Sequence[SSAValue | int], rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        block = tile(op, "TensorDesc", rewriter)
        height, width = block.shape[-2:]
        bits, scale = block.bits, 1
        if bits < 8:
            bits, width, scale = self._as_wider(op, block.shape, bits, rewriter)
        descriptor = rewriter.lowered(one(op, "TensorDesc"))
        size = build.constant(bits // 8, i32)
        base = build.extract(build.bitcast(descriptor, i64, 4), _BASE)
        fields = [build.extract(descriptor, field) for field in (_WIDTH, _HEIGHT, _PITCH)]
        x, y = (_as_i32(offset, build) for offset in (offsets[-1], offsets[-2]))
        place = build.one("llvm.inttoptr", [base], pointer(block.space))
        surface, pitch = (build.binary("muli", field, size) for field in (fields[0], fields[2]))
        if scale > 1:
            shift = build.constant(scale.bit_length() - 1, i32)
            surface, pitch, x = (build.binary("shrsi", value, shift) for value in (surface, pitch, x))
        sizes = {"tile_height": height, "elem_size_in_bits": bits, "tile_width": width}
        operands = [place, surface, fields[1], pitch, x, y]
        if self.stores:
            operands.append(_stored(op, bits, build, rewriter))
            control = cache_control(op, "store", rewriter)
            build.op("xevm.blockstore2d", operands, properties={**_numbers(sizes), "cache_control": control})
            rewriter.erase(op)
            return
        control = cache_control(op, "load", rewriter)
        sizes["v_blocks"] = block.arrays
        if self.prefetches:
            build.op(
                "xevm.blockprefetch2d", operands, properties={**_numbers(sizes), "cache_control": control}
            )
            rewriter.erase(op)
            return
        order = op.get_attr_or_prop("transpose")
        transposed = order is not None and integers(order)[0] == 1
        packed = "packed" in op.properties
        if rewriter.profile.xegpu_packs_bytes and not transposed:
            packed = packed or (block.bits, height, width) == (8, _DEPTH * 4, _LANES)
        if transposed and bits < 32 and rewriter.profile.xegpu_transposes_dwords:
            shift = build.constant((32 // bits).bit_length() - 1, i32)
            operands[4] = build.binary("shrsi", operands[4], shift)
            sizes["tile_width"], sizes["elem_size_in_bits"], bits = width * bits // 32, 32, 32
        result = vector_type(op.results[0].type)
        loaded = _as_vector_of(result, 32 if packed else bits)
        flags = {"transpose": BoolAttr.from_bool(transposed), "pack_register": BoolAttr.from_bool(packed)}
        properties = {**_numbers(sizes), **flags, "cache_control": control}
        value = build.one("xevm.blockload2d", operands, loaded, properties)
        element: Attribute = result.element_type
        count = prod(loaded.get_shape()) * width_of(loaded.element_type) // width_of(element)
        replace(op, build.bitcast(value, element, count), rewriter)

    def _as_wider(
        self, op: Operation, shape: Sequence[int], bits: int, rewriter: ConversionRewriter
    ) -> tuple[int, int, int]:
        """Return the wider element's bits, the tile's width in these, and the 4-bit elements in each."""
        if bits != 4:
            rewriter.match_failure("Only sub byte types of 4bits are supported.")
        if len(shape) != 2:
            rewriter.match_failure("Sub byte types are only supported for 2D tensor descriptors.")
        height, width = shape
        if "packed" in op.properties and (height, width) == (_DEPTH * 4, _LANES * 2):
            return 8, _LANES, 2
        if width != _LANES * 4:
            rewriter.match_failure("Unsupported tile shape for sub byte types.")
        return 16, _LANES, 4


def patterns() -> Sequence[ConvertXeGPU]:
    """Return the patterns for descriptors and tiles."""
    return (
        ConvertDescriptor("create_nd_tdesc"),
        *(ConvertTile(name) for name in ("load_nd", "store_nd", "prefetch_nd")),
    )


def _mixed(op: Operation, name: str, rewriter: ConversionRewriter) -> list[SSAValue | int]:
    """Return the sizes or strides of the memory, from the op or from its source."""
    found = mixed(op, name, f"const_{name}")
    if found:
        return found
    source = one(op, "source").type
    layout = strides_and_offset(source) if is_memref(source) else None
    if not is_memref(source) or layout is None:
        rewriter.match_failure(f"{OWN}cannot determine the {name} of this source")
    numbers = list(source.get_shape()) if name == "shape" else list(layout.strides)
    if any(map(dynamic, numbers)):
        rewriter.match_failure(f"{OWN}does not support a memref with a dynamic {name}")
    return list(numbers)


def _as_i32(value: SSAValue | int, build: Builder) -> SSAValue:
    """Return a number as an i32, cast like MLIR does."""
    if not isinstance(value, SSAValue):
        value = build.constant(value, i64)
    if value.type == i32:
        return value
    if value.type == INDEX:
        return build.one("arith.index_cast", [value], i32)
    wider = width_of(value.type) > 32
    return build.one("arith.trunci" if wider else "arith.extsi", [value], i32)


def _stored(op: Operation, bits: int, build: Builder, rewriter: ConversionRewriter) -> SSAValue:
    """Return the stored value as integers of this width."""
    value = rewriter.lowered(one(op, "value"))
    if not is_vector(value.type):
        value = one(op, "value")
    if not is_vector(value.type):
        rewriter.match_failure("Expected store value to be a vector type.")
    return build.as_type(value, _as_vector_of(value.type, bits))


def _as_vector_of(type: VectorType[Attribute], bits: int) -> VectorType[Attribute]:
    """Return the flat vector type of integers of this width that has as many bits as `type`."""
    count = prod(type.get_shape()) * width_of(type.element_type) // bits
    return VectorType(IntegerType(bits), (count,))


def _numbers(sizes: dict[str, int]) -> dict[str, Attribute]:
    return {name: IntegerAttr(size, i32) for name, size in sizes.items()}
