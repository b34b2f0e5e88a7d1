"""Ids and sizes: special registers of 32 bits, widened to index."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects import gpu, llvm, nvvm
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.dialects.gpu_target import ConstantRangeAttr

_REGISTERS: dict[type[Operation], str] = {
    gpu.ThreadIdOp: "tid",
    gpu.BlockDimOp: "ntid",
    gpu.BlockIdOp: "ctaid",
    gpu.GridDimOp: "nctaid",
    gpu.ClusterIdOp: "clusterid",
    gpu.ClusterDimOp: "nclusterid",
    gpu.ClusterBlockIdOp: "cluster.ctaid",
    gpu.ClusterDimBlocksOp: "cluster.nctaid",
}


WARP = 32
"""The lanes of a subgroup."""


class ConvertDimension(ConversionPattern[gpu.DimensionOp]):
    """`gpu.thread_id x` becomes `nvvm.read.ptx.sreg.tid.x`, and its kin likewise."""

    op_types = tuple(_REGISTERS)  # type: ignore[assignment]

    def match_and_rewrite(self, op: gpu.DimensionOp, rewriter: ConversionRewriter) -> None:
        leaves = type(op) is gpu.ClusterDimBlocksOp and not rewriter.profile.cluster_dim_blocks_lowers
        if leaves and not rewriter.options.whole_kernels:
            rewriter.refuse("this release has no pattern for it")
        rewriter.replace(op, [_read(rewriter, op, type(op), op.dimension.data.value, op.upper_bound)])


class ConvertGlobalId(ConversionPattern[gpu.GlobalIdOp]):
    """`gpu.global_id x` is block id times block size plus thread id."""

    op_types = (gpu.GlobalIdOp,)

    def match_and_rewrite(self, op: gpu.GlobalIdOp, rewriter: ConversionRewriter) -> None:
        axis = op.dimension.data.value
        block, size = (_read(rewriter, op, kind, axis) for kind in (gpu.BlockIdOp, gpu.BlockDimOp))
        product = build.arithmetic(rewriter, llvm.MulOp, block, size)
        thread = _read(rewriter, op, gpu.ThreadIdOp, axis)
        rewriter.replace(op, [build.arithmetic(rewriter, llvm.AddOp, thread, product)])


class ConvertLaneId(ConversionPattern[gpu.LaneIdOp]):
    """`gpu.lane_id` becomes the register `laneid`."""

    op_types = (gpu.LaneIdOp,)

    def match_and_rewrite(self, op: gpu.LaneIdOp, rewriter: ConversionRewriter) -> None:
        range = None
        if rewriter.profile.ids_have_ranges:
            bound = WARP if op.upper_bound is None else op.upper_bound.value.data
            range = constant_range(0, bound)
        rewriter.replace(op, [as_index(rewriter, register(rewriter, "laneid", range))])


class ConvertSubgroup(ConversionPattern[gpu.SubgroupIndexOp]):
    """Subgroups are warps of 32: ids and counts are computed from the thread's place in the block.

    mlir-opt refuses these ops."""

    op_types = (gpu.SubgroupIdOp, gpu.NumSubgroupsOp, gpu.SubgroupSizeOp)

    def match_and_rewrite(self, op: gpu.SubgroupIndexOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [as_index(rewriter, _SUBGROUP[type(op)](rewriter))])


PATTERNS = (ConvertDimension(), ConvertGlobalId(), ConvertLaneId())
MORE_PATTERNS = (ConvertSubgroup(),)


def register(rewriter: ConversionRewriter, name: str, range: Attribute | None = None) -> SSAValue:
    """Insert the read of a special register, an i32, that may be known to lie in `range`."""
    properties = {} if range is None else {"range": range}
    return rewriter.add(_register_class(name).create(result_types=[i32], properties=properties)).results[0]


def _read(
    rewriter: ConversionRewriter,
    op: Operation,
    kind: type[Operation],
    axis: str,
    bound: Attribute | None = None,
) -> SSAValue:
    """Insert the read of one id or size, for `op`, as an index."""
    known = dimension_range(rewriter, op, kind, axis, bound) if rewriter.profile.ids_have_ranges else None
    range = None if known is None else constant_range(*known)
    return as_index(rewriter, register(rewriter, f"{_REGISTERS[kind]}.{axis}", range))


def dimension_range(
    rewriter: ConversionRewriter, op: Operation, kind: type[Operation], axis: str, bound: Attribute | None
) -> tuple[int, int] | None:
    """Return the least and the first too large value of an id or size of `kind`, as far as they are known.

    They come from `bound`, an upper bound, or from the sizes that the kernel around `op` knows."""
    if kind not in _KNOWN:
        return None
    attribute, is_size = _KNOWN[kind]
    size = known_size(op, attribute, "xyz".index(axis)) if attribute else None
    if size is not None and is_size and rewriter.profile.known_sizes_are_exact:
        return size, size + 1
    most = bound.value.data if isinstance(bound, IntegerAttr) else size
    if most is None:
        return None
    return (1, most + 1) if is_size else (0, most)


def constant_range(lower: int, upper: int, type: IntegerType = i32) -> Attribute:
    """Return `#llvm.constant_range<type, lower, upper>`."""
    return ConstantRangeAttr.new((type, IntegerAttr(lower, type), IntegerAttr(upper, type)))


def known_size(op: Operation, attribute: str, dimension: int) -> int | None:
    """Return what `known_block_size` or its like says of one dimension, on the function around `op`."""
    parent = op.parent_op()
    while parent is not None:
        sizes = parent.get_attr_or_prop(attribute) or parent.get_attr_or_prop(f"gpu.{attribute}")
        if sizes is not None and sizes.name == "array":
            return list(integers(cast(DenseArrayBase, sizes)))[dimension]
        parent = parent.parent_op()
    return None


_KNOWN: dict[type[Operation], tuple[str, bool]] = {
    gpu.ThreadIdOp: ("known_block_size", False),
    gpu.BlockDimOp: ("known_block_size", True),
    gpu.BlockIdOp: ("known_grid_size", False),
    gpu.GridDimOp: ("known_grid_size", True),
    gpu.ClusterIdOp: ("", False),
    gpu.ClusterDimOp: ("", True),
    gpu.ClusterBlockIdOp: ("known_cluster_size", False),
    gpu.ClusterDimBlocksOp: ("known_cluster_size", True),
}
"""By op: the attribute of a kernel that bounds it, and whether it is a size, not an id."""


@cache
def _register_class(name: str) -> type[Operation]:
    full = f"nvvm.read.ptx.sreg.{name}"
    for operation in nvvm.NVVM.operations:
        if operation.name == full:
            return operation
    raise LookupError(full)


def as_index(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    """Extend an i32 to the width of an index."""
    type = rewriter.types.index
    return value if value.type == type else build.cast(rewriter, llvm.SExtOp, value, type)


def _linear_id(rewriter: ConversionRewriter) -> SSAValue:
    x, y, z = (register(rewriter, f"tid.{axis}") for axis in "xyz")
    width, height = (register(rewriter, f"ntid.{axis}") for axis in "xy")
    plane = build.arithmetic(rewriter, llvm.MulOp, z, height)
    row = build.arithmetic(rewriter, llvm.AddOp, plane, y)
    rows = build.arithmetic(rewriter, llvm.MulOp, row, width)
    return build.arithmetic(rewriter, llvm.AddOp, rows, x)


def _warp_of(rewriter: ConversionRewriter) -> SSAValue:
    return _shift(rewriter, _linear_id(rewriter))


def _warp_count(rewriter: ConversionRewriter) -> SSAValue:
    sizes = [register(rewriter, f"ntid.{axis}") for axis in "xyz"]
    threads = build.multiply(rewriter, build.multiply(rewriter, sizes[0], sizes[1]), sizes[2])
    rounded = build.arithmetic(rewriter, llvm.AddOp, threads, _i32(rewriter, 31))
    return _shift(rewriter, rounded)


def _shift(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    op = llvm.LShrOp.create(operands=[value, _i32(rewriter, 5)], result_types=[i32])
    return rewriter.add(op).results[0]


def _i32(rewriter: ConversionRewriter, value: int) -> SSAValue:
    return build.constant(rewriter, IntegerAttr(value, i32), i32)


_SUBGROUP: dict[type[Any], Callable[[ConversionRewriter], SSAValue]] = {
    gpu.SubgroupIdOp: _warp_of,
    gpu.NumSubgroupsOp: _warp_count,
    gpu.SubgroupSizeOp: lambda rewriter: register(rewriter, "warpsize"),
}
