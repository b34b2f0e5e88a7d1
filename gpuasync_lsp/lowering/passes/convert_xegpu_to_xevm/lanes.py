"""Converts loads, stores and prefetches with an offset per lane, accesses to shared memory, and fences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    UnregisteredAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops
from gpuasync_lsp.lowering.conversion.errors import OWN
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.conversion.types import pointer
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.builder import Builder
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.types import (
    GLOBAL,
    SHARED,
    Tile,
    tile_of,
    width_of,
)
from gpuasync_lsp.lowering.passes.kernels.symbols import module_of
from gpuasync_lsp.syntax.dialects import scf
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import is_integer, is_memref, is_vector, number_attr, number_of
from gpuasync_lsp.syntax.memref_types import dynamic, memory_space
from gpuasync_lsp.syntax.ods.operation import OdsOperation, op_class
from gpuasync_lsp.syntax.printer import attribute_text

_INDEX = IndexType()


class _Controls(NamedTuple):
    """The cache controls of one kind of access."""

    words: Mapping[str, str]
    """Maps each hint to xevm's keyword."""
    of_l3: tuple[str, ...]
    """The hints that are allowed for L3."""
    absent: tuple[str, str]
    """The hints for L1 and L3 that are assumed if only the other is given."""


_CONTROLS = {
    "load": _Controls(
        {"cached": "c", "uncached": "uc", "streaming": "s"}, ("cached", "uncached"), ("cached", "cached")
    ),
    "store": _Controls(
        {"uncached": "uc", "streaming": "s", "write_back": "wb", "write_through": "wt"},
        ("uncached", "write_back"),
        ("uncached", "write_back"),
    ),
}
_CHIPS = ("pvc", "bmg", "cri")
_CHIP = re.compile(r'chip\s*=\s*"([^"]*)"')


class ConvertXeGPU(ConversionPattern[Operation]):
    """Base class of the patterns for an xegpu op with a given name."""

    def __init__(self, name: str) -> None:
        kind = op_class(f"xegpu.{name}")
        assert kind is not None, name
        self.op_types = (kind,)


class ConvertLoad(ConvertXeGPU):
    """`xegpu.load` reads if the lane's mask is set; its result is zero otherwise."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        result = rewriter.converted(op.results[0].type)
        place, mask = _lane_address(op, "source", result, build, rewriter)
        control = cache_control(op, "load", rewriter)
        then, otherwise = Region(Block()), Region(Block())
        branch = scf.IfOp.create(operands=[mask], result_types=[result], regions=[then, otherwise])
        rewriter.add(branch)
        with rewriter.at_end(then.block):
            load = llvm_ops.load(rewriter, place, result)
            load.owner.attributes["cache_control"] = control  # type: ignore[union-attr]
            rewriter.add(scf.YieldOp.create(operands=[load]))
        with rewriter.at_end(otherwise.block):
            rewriter.add(scf.YieldOp.create(operands=[build.attribute(zero(result), result)]))
        rewriter.replace(op, branch.results)


class ConvertStore(ConvertXeGPU):
    """`xegpu.store` writes if the lane's mask is set."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        value = rewriter.lowered(one(op, "value"))
        place, mask = _lane_address(op, "dest", value.type, Builder(rewriter), rewriter)
        then = Region(Block())
        rewriter.add(scf.IfOp.create(operands=[mask], regions=[then, Region()]))
        with rewriter.at_end(then.block):
            store = llvm_ops.store(rewriter, value, place)
            store.attributes["cache_control"] = cache_control(op, "store", rewriter)
            rewriter.add(scf.YieldOp.create())
        rewriter.erase(op)


class ConvertPrefetch(ConvertXeGPU):
    """`xegpu.prefetch` becomes a prefetch at the lane's address."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        source = one(op, "source").type
        base = _as_i64(rewriter.lowered(one(op, "source")), build)
        offsets = group(op, "offsets")
        if offsets:
            offset = rewriter.lowered(offsets[0])
            if is_vector(offset.type):
                rewriter.match_failure("Expected offsets to be a scalar.")
            if is_memref(source):
                bits = width_of(source.element_type)
                if bits % 8:
                    rewriter.match_failure("Expected element type bit width to be multiple of 8.")
                size = bits // 8
            else:
                size = number_of(attribute(op, "offset_align_byte", rewriter))
            base = build.displaced(base, offset, size)
        place = build.one("llvm.inttoptr", [base], pointer(_space_of(source, rewriter)))
        build.op("xevm.prefetch", [place], properties={"cache_control": cache_control(op, "load", rewriter)})
        rewriter.erase(op)


class ConvertFence(ConvertXeGPU):
    """`xegpu.fence` becomes `xevm.memfence`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        scope = {"workgroup": "workgroup", "gpu": "device"}[word(attribute(op, "fence_scope", rewriter))]
        space = {"global": "global", "slm": "shared"}[word(attribute(op, "memory_kind", rewriter))]
        Builder(rewriter).op(
            "xevm.memfence",
            [],
            properties={
                "scope": named("xevm.mem_scope", scope),
                "addrspace": named("xevm.addr_space", space),
            },
        )
        rewriter.erase(op)


class ConvertMemoryDescriptor(ConvertXeGPU):
    """`xegpu.create_mem_desc` becomes the address of its memory."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [rewriter.lowered(one(op, "source"))])


class ConvertLoadMatrix(ConvertXeGPU):
    """`xegpu.load_matrix` becomes a read from workgroup memory."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        result: Attribute = op.results[0].type
        if is_vector(result):
            result = VectorType(result.element_type, (prod(result.get_shape()),))
        vector = result if is_vector(result) else VectorType(result, (1,))
        place = _matrix_address(op, vector, build, rewriter)
        if "subgroup_block_io" in op.properties:
            whole = VectorType(IntegerType(width_of(vector.element_type)), vector.get_shape())
            value = build.one("xevm.blockload", [place], whole)
            value = build.as_type(value, vector)
        else:
            _demand_chip(op, rewriter)
            loaded: Attribute = vector.element_type if prod(vector.get_shape()) == 1 else vector
            value = llvm_ops.load(rewriter, place, loaded)
        replace(op, value, rewriter)


class ConvertStoreMatrix(ConvertXeGPU):
    """`xegpu.store_matrix` becomes a write to workgroup memory."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        value = rewriter.lowered(one(op, "data"))
        vector = value.type if is_vector(value.type) else VectorType(value.type, (1,))
        place = _matrix_address(op, vector, build, rewriter)
        if "subgroup_block_io" in op.properties:
            whole = VectorType(IntegerType(width_of(vector.element_type)), vector.get_shape())
            build.op("xevm.blockstore", [place, build.as_type(value, whole)])
        else:
            _demand_chip(op, rewriter)
            llvm_ops.store(rewriter, value, place)
        rewriter.erase(op)


def patterns() -> Sequence[ConvertXeGPU]:
    """Return the patterns for these accesses and fences."""
    return (
        ConvertLoad("load"),
        ConvertStore("store"),
        ConvertPrefetch("prefetch"),
        ConvertFence("fence"),
        ConvertMemoryDescriptor("create_mem_desc"),
        ConvertLoadMatrix("load_matrix"),
        ConvertStoreMatrix("store_matrix"),
    )


def group(op: Operation, name: str) -> Sequence[SSAValue]:
    """Return the operands in the group `name`."""
    groups = op.operand_groups() if isinstance(op, OdsOperation) else None
    assert groups is not None, "the op was verified"
    return groups.get(name, ())


def one(op: Operation, name: str) -> SSAValue:
    """Return the single operand in the group `name`."""
    return group(op, name)[0]


def attribute(op: Operation, name: str, rewriter: ConversionRewriter) -> Attribute:
    """Return the required attribute `name`."""
    found = op.get_attr_or_prop(name)
    if found is None:
        rewriter.match_failure(f"{OWN}requires {name}")
    return found


def tile(op: Operation, name: str, rewriter: ConversionRewriter) -> Tile:
    """Return the parameters of the descriptor that is the operand `name`."""
    found = tile_of(one(op, name).type)
    if found is None:
        rewriter.match_failure(f"{OWN}does not support this type: {attribute_text(one(op, name).type)}")
    return found


def word(attribute: Attribute) -> str:
    """Return the keyword of an enumeration: `cached` for `#xegpu.cache_hint<cached>`, `gpu` for
    `#xegpu<fence_scope gpu>`."""
    return attribute_text(attribute).rstrip(">").replace("<", " ").rpartition(" ")[2]


def named(name: str, text: str) -> Attribute:
    """Return the attribute `#name<text>`."""
    return UnregisteredAttr.with_name_and_type(name, False)(name, False, False, text)


def cache_control(op: Operation, access: str, rewriter: ConversionRewriter) -> Attribute:
    """Return the cache control for the hints of a `load` or a `store`."""
    known = _CONTROLS[access]
    default = rewriter.profile.xegpu_default_cache
    l1, l3 = (_hint(op, key) for key in ("l1_hint", "l3_hint"))
    if default and l1 is None and l3 is None:
        return named(f"xevm.{access}_cache_control", "Use_Default")
    absent = known.absent if default else ("uncached", "uncached")
    l1, l3 = l1 or absent[0], l3 or absent[1]
    if access == "load" and l1 == "read_invalidate":
        return named("xevm.load_cache_control", "ir")
    if l1 not in known.words or l3 not in known.of_l3:
        rewriter.match_failure(f"{OWN}does not support these cache hints")
    return named(f"xevm.{access}_cache_control", f"L1{known.words[l1]}_L2uc_L3{known.words[l3]}")


def replace(op: Operation, value: SSAValue, rewriter: ConversionRewriter) -> None:
    """Replace `op` with a value of its result type, or of the converted type."""
    (result,) = op.results
    if value.type == rewriter.converted(result.type):
        rewriter.replace(op, [value])
    elif value.type == result.type:
        rewriter.values.fold(result, value)
        rewriter.erase(op)
    else:
        rewriter.match_failure(f"{OWN}does not convert results of this type")


def zero(type: Attribute) -> Attribute:
    """Return a zero attribute of `type`; a splat for a vector type."""
    element: Attribute = type.element_type if is_vector(type) else type
    if is_vector(type):
        return splat(type, 0 if is_integer(element) else 0.0)
    return number_attr(0, element)


def chip_of(op: Operation) -> str | None:
    """Return the chip in the target of the gpu.module around `op`."""
    targets = module_of(op).get_attr_or_prop("targets")
    for text in re.findall(r"#xevm\.target(?:<[^>]*>)?", attribute_text(targets)) if targets else ():
        found = _CHIP.search(text)
        return found[1] if found else "bmg"
    return None


def _hint(op: Operation, name: str) -> str | None:
    hint = op.get_attr_or_prop(name)
    return None if hint is None else word(hint)


def _demand_chip(op: Operation, rewriter: ConversionRewriter) -> None:
    if chip_of(op) not in _CHIPS:
        rewriter.match_failure("The lowering is specific to pvc, bmg or cri.")


def _lane_address(
    op: Operation, memory: str, type: Attribute, build: Builder, rewriter: ConversionRewriter
) -> tuple[SSAValue, SSAValue]:
    """Return the pointer through which a lane accesses values of `type`, and the lane's mask."""
    offsets = group(op, "offsets")
    if not offsets:
        rewriter.match_failure("Expected offset to be provided.")
    element: Attribute = type.element_type if is_vector(type) else type
    bits = width_of(element)
    if bits % 8:
        rewriter.match_failure("Expected element type bit width to be multiple of 8.")
    space = _space_of(one(op, memory).type, rewriter)
    base = _as_i64(rewriter.lowered(one(op, memory)), build)
    offset, mask = rewriter.lowered(offsets[0]), rewriter.lowered(one(op, "mask"))
    if is_vector(offset.type):
        rewriter.match_failure("Expected offset to be a scalar.")
    base = build.displaced(base, offset, bits // 8)
    place = build.one("llvm.inttoptr", [base], pointer(space))
    if is_vector(mask.type):
        rewriter.match_failure("Expected mask to be a scalar.")
    return place, mask


def _space_of(source: Attribute, rewriter: ConversionRewriter) -> int:
    """Return the number of the memory space accessed through `source`; the default is global memory."""
    if not is_memref(source):
        return GLOBAL
    space = memory_space(source)
    if space is None:
        rewriter.match_failure(f"{OWN}does not support this memory space: {source.memory_space}")
    return space or GLOBAL


def _as_i64(address: SSAValue, build: Builder) -> SSAValue:
    return address if address.type == i64 else build.one("arith.extui", [address], i64)


def _matrix_address(
    op: Operation, vector: VectorType[Attribute], build: Builder, rewriter: ConversionRewriter
) -> SSAValue:
    """Return the pointer into shared memory for the offsets of a matrix access."""
    bits = width_of(vector.element_type)
    if bits % 8:
        rewriter.match_failure("Expected element type bit width to be multiple of 8.")
    base = rewriter.lowered(one(op, "mem_desc"))
    offset = _linear_offset(op, tile(op, "mem_desc", rewriter), build, rewriter)
    offset = build.one("arith.index_castui", [offset], i32)
    return build.one("llvm.inttoptr", [build.displaced(base, offset, bits // 8)], pointer(SHARED))


_STRIDE = re.compile(r"stride\s*=\s*\[([^\]]*)\]")
_BLOCK = re.compile(r"block\s*=\s*\[([^\]]*)\]")


def _linear_offset(op: Operation, matrix: Tile, build: Builder, rewriter: ConversionRewriter) -> SSAValue:
    """Return the linear index of the element at the offsets of `op`, whose matrix may be stored in blocks."""

    def index(value: SSAValue | int) -> SSAValue:
        return value if isinstance(value, SSAValue) else build.constant(value, _INDEX)

    offsets = mixed(op)
    strides, blocks = layout_of(matrix)
    if blocks is not None:
        parts = [
            [build.binary(name, index(offset), build.constant(size, _INDEX)) for name in ("divsi", "remsi")]
            for offset, size in zip(offsets, blocks, strict=True)
        ]
        offsets = [part[number] for number in (0, 1) for part in parts]
    total = build.constant(0, _INDEX)
    for offset, stride in zip(offsets, strides, strict=True):
        product = build.binary("muli", index(offset), build.constant(stride, _INDEX))
        total = build.binary("addi", product, total)
    return total


def layout_of(matrix: Tile) -> tuple[list[int], list[int] | None]:
    """Return the strides between blocks, the strides inside one, and the block sizes (None if unblocked)."""
    given = [_numbers(pattern, matrix.rest) for pattern in (_STRIDE, _BLOCK)]
    strides = given[0] or [*matrix.shape[1:], 1]  # MLIR's default; row-major only up to rank 2.
    block = given[1] or list(matrix.shape)
    order = sorted(range(len(strides)), key=strides.__getitem__)
    inner, outer = [1] * len(block), [prod(block)] * len(block)
    for dim, following in pairwise(order):
        inner[following] = inner[dim] * block[dim]
        outer[following] = outer[dim] * (strides[following] // strides[dim] // block[dim])
    if block == list(matrix.shape):
        return inner, None
    return [*outer, *inner], block


def _numbers(pattern: re.Pattern[str], text: str) -> list[int]:
    found = pattern.search(text)
    return [int(number.partition(":")[0]) for number in found[1].split(",")] if found else []


def mixed(op: Operation, name: str = "offsets", constants: str = "const_offsets") -> list[SSAValue | int]:
    """Return a list of numbers, each of which is a constant or an operand of the op, in order."""
    values = iter(group(op, name))
    known = op.get_attr_or_prop(constants)
    if known is None:
        return list(values)
    return [next(values) if dynamic(number) else number for number in integers(known)]
