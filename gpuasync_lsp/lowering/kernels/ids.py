"""Ids and sizes: special registers of 32 bits, widened to index."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.syntax.dialects import gpu, llvm, nvvm

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


class ConvertDimension(ConversionPattern[gpu.DimensionOp]):
    """`gpu.thread_id x` becomes `nvvm.read.ptx.sreg.tid.x`, and its kin likewise."""

    op_types = tuple(_REGISTERS)  # type: ignore[assignment]

    def match_and_rewrite(self, op: gpu.DimensionOp, rewriter: ConversionRewriter) -> None:
        value = register(rewriter, f"{_REGISTERS[type(op)]}.{op.dimension.data.value}")
        rewriter.replace(op, [_index(rewriter, value)])


class ConvertGlobalId(ConversionPattern[gpu.GlobalIdOp]):
    """`gpu.global_id x` is block id times block size plus thread id."""

    op_types = (gpu.GlobalIdOp,)

    def match_and_rewrite(self, op: gpu.GlobalIdOp, rewriter: ConversionRewriter) -> None:
        axis = op.dimension.data.value
        block, size, thread = (
            _index(rewriter, register(rewriter, f"{name}.{axis}")) for name in ("ctaid", "ntid", "tid")
        )
        product = build.arithmetic(rewriter, llvm.MulOp, block, size)
        rewriter.replace(op, [build.arithmetic(rewriter, llvm.AddOp, product, thread)])


class ConvertLaneId(ConversionPattern[gpu.LaneIdOp]):
    """`gpu.lane_id` becomes the register `laneid`."""

    op_types = (gpu.LaneIdOp,)

    def match_and_rewrite(self, op: gpu.LaneIdOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [_index(rewriter, register(rewriter, "laneid"))])


class ConvertSubgroup(ConversionPattern[gpu.SubgroupIndexOp]):
    """Subgroups are warps of 32: ids and counts are computed from the thread's place in the block."""

    op_types = (gpu.SubgroupIdOp, gpu.NumSubgroupsOp, gpu.SubgroupSizeOp)

    def match_and_rewrite(self, op: gpu.SubgroupIndexOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [_index(rewriter, _SUBGROUP[type(op)](rewriter))])


PATTERNS = (ConvertDimension(), ConvertGlobalId(), ConvertLaneId(), ConvertSubgroup())


def register(rewriter: ConversionRewriter, name: str) -> SSAValue:
    """Insert the read of a special register, an i32."""
    return rewriter.add(_register_class(name).create(result_types=[i32])).results[0]


@cache
def _register_class(name: str) -> type[Operation]:
    full = f"nvvm.read.ptx.sreg.{name}"
    for operation in nvvm.NVVM.operations:
        if operation.name == full:
            return operation
    raise LookupError(full)


def _index(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    return build.cast(rewriter, llvm.SExtOp, value, i64)


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
