"""Converts ids and sizes to 32-bit special registers, extended to index."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.kernels.ids import (
    as_index,
    constant_range,
    dimension_range,
    read_register,
    register_range,
)
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.ods.by_table import TableOp

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
"""The number of lanes in a subgroup."""


class ConvertDimension(ConversionPattern[gpu.DimensionOp], ops=tuple(_REGISTERS)):
    """`gpu.thread_id x` becomes `nvvm.read.ptx.sreg.tid.x`; other ids and sizes likewise."""

    def match_and_rewrite(self, op: gpu.DimensionOp, rewriter: ConversionRewriter) -> None:
        leaves = type(op) is gpu.ClusterDimBlocksOp and not rewriter.profile.cluster_dim_blocks_lowers
        if leaves and not rewriter.options.whole_kernels:
            rewriter.match_failure("this release has no pattern for it")
        rewriter.replace(op, [_read(rewriter, op, type(op), op.dimension.data.value, op.upper_bound)])


class ConvertGlobalId(ConversionPattern[TableOp], ops=(gpu.GlobalIdOp,)):
    """`gpu.global_id x` becomes block id times block size plus thread id."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        if not rewriter.profile.global_ids_lower and not rewriter.options.whole_kernels:
            rewriter.match_failure("this release has no pattern for it")
        axis = op.dimension.data.value
        block, size = (_read(rewriter, op, kind, axis) for kind in (gpu.BlockIdOp, gpu.BlockDimOp))
        product = build.arithmetic(rewriter, llvm.MulOp, block, size)
        thread = _read(rewriter, op, gpu.ThreadIdOp, axis)
        rewriter.replace(op, [build.arithmetic(rewriter, llvm.AddOp, thread, product)])


class ConvertLaneId(ConversionPattern[TableOp], ops=(gpu.LaneIdOp,)):
    """`gpu.lane_id` becomes the register `laneid`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        range = None
        if rewriter.profile.ids_have_ranges:
            bound = WARP if op.upper_bound is None else op.upper_bound.value.data
            range = constant_range(0, bound)
        rewriter.replace(op, [as_index(rewriter, register(rewriter, "laneid", range))])


class ConvertSubgroup(
    ConversionPattern[gpu.SubgroupIndexOp], ops=(gpu.SubgroupIdOp, gpu.NumSubgroupsOp, gpu.SubgroupSizeOp)
):
    """Ids and counts of subgroups (warps of 32) are computed from the thread's index in the block.

    mlir-opt rejects these ops."""

    def match_and_rewrite(self, op: gpu.SubgroupIndexOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [as_index(rewriter, _SUBGROUP[type(op)](rewriter))])


PATTERNS = (ConvertDimension(), ConvertGlobalId(), ConvertLaneId())
MORE_PATTERNS = (ConvertSubgroup(),)


def register(rewriter: ConversionRewriter, name: str, range: Attribute | None = None) -> SSAValue:
    """Emit a read of a special register as an i32; `range` contains the bounds of its value."""
    return read_register(rewriter, f"nvvm.read.ptx.sreg.{name}", range)


def _read(
    rewriter: ConversionRewriter,
    op: Operation,
    kind: type[Operation],
    axis: str,
    bound: Attribute | None = None,
) -> SSAValue:
    """Emit a read of the id or size that `op` returns, extended to index."""
    profile = rewriter.profile
    exact = profile.known_sizes_are_exact
    known = dimension_range(op, kind, axis, bound, profile, exact=exact) if profile.ids_have_ranges else None
    range = None if known is None else register_range(rewriter.profile, *known)
    return as_index(rewriter, register(rewriter, f"{_REGISTERS[kind]}.{axis}", range))


def _linear_id(rewriter: ConversionRewriter) -> SSAValue:
    x, y, z = (register(rewriter, f"tid.{axis}") for axis in "xyz")
    width, height = (register(rewriter, f"ntid.{axis}") for axis in "xy")
    plane = build.arithmetic(rewriter, llvm.MulOp, z, height)
    row = build.arithmetic(rewriter, llvm.AddOp, plane, y)
    rows = build.arithmetic(rewriter, llvm.MulOp, row, width)
    return build.arithmetic(rewriter, llvm.AddOp, rows, x)


def _warp_count(rewriter: ConversionRewriter) -> SSAValue:
    sizes = [register(rewriter, f"ntid.{axis}") for axis in "xyz"]
    threads = build.multiply(rewriter, build.multiply(rewriter, sizes[0], sizes[1]), sizes[2])
    rounded = build.arithmetic(rewriter, llvm.AddOp, threads, build.integer_constant(rewriter, 31))
    return _shift(rewriter, rounded)


def _shift(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    return rewriter.create(llvm.LShrOp, [value, build.integer_constant(rewriter, 5)], i32)


_SUBGROUP: dict[type[Operation], Callable[[ConversionRewriter], SSAValue]] = {
    gpu.SubgroupIdOp: lambda rewriter: _shift(rewriter, _linear_id(rewriter)),
    gpu.NumSubgroupsOp: _warp_count,
    gpu.SubgroupSizeOp: lambda rewriter: register(rewriter, "warpsize"),
}
