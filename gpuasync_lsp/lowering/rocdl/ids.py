"""Ids and sizes of grid, workgroup and lane on AMD's targets."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.lowering.kernels.ids import as_index, constant_range, dimension_range
from gpuasync_lsp.syntax.dialects import gpu, llvm, rocdl
from gpuasync_lsp.syntax.dialects.assembly import UNIT

_REGISTERS: dict[type[Operation], str] = {
    gpu.ThreadIdOp: "workitem.id",
    gpu.BlockDimOp: "workgroup.dim",
    gpu.BlockIdOp: "workgroup.id",
    gpu.GridDimOp: "grid.dim",
}


class ConvertDimension(ConversionPattern[gpu.DimensionOp]):
    """`gpu.thread_id x` becomes `rocdl.workitem.id.x`, and its kin likewise."""

    op_types = tuple(_REGISTERS)  # type: ignore[assignment]

    def match_and_rewrite(self, op: gpu.DimensionOp, rewriter: ConversionRewriter) -> None:
        value = _read(rewriter, type(op), op.dimension.data.value, dimension_range(op, rewriter))
        rewriter.replace(op, [as_index(rewriter, value)])


class ConvertGlobalId(ConversionPattern[gpu.GlobalIdOp]):
    """`gpu.global_id x` is workgroup id times workgroup size plus workitem id."""

    op_types = (gpu.GlobalIdOp,)

    def match_and_rewrite(self, op: gpu.GlobalIdOp, rewriter: ConversionRewriter) -> None:
        axis = op.dimension.data.value
        group, size = (
            as_index(rewriter, _read(rewriter, kind, axis)) for kind in (gpu.BlockIdOp, gpu.BlockDimOp)
        )
        product = build.arithmetic(rewriter, llvm.MulOp, group, size)
        item = as_index(rewriter, _read(rewriter, gpu.ThreadIdOp, axis))
        rewriter.replace(op, [build.arithmetic(rewriter, llvm.AddOp, item, product)])


class ConvertLaneId(ConversionPattern[gpu.LaneIdOp]):
    """`gpu.lane_id` counts the lanes before this one."""

    op_types = (gpu.LaneIdOp,)

    def match_and_rewrite(self, op: gpu.LaneIdOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [as_index(rewriter, lane(rewriter))])


PATTERNS = (ConvertDimension(), ConvertGlobalId(), ConvertLaneId())


def lane(rewriter: ConversionRewriter) -> SSAValue:
    """Insert the number of the lane, an i32: `rocdl.mbcnt.lo` and `mbcnt.hi` of all lanes."""
    zero, all_lanes = (build.integer_constant(rewriter, value, i32) for value in (0, -1))
    count = zero
    for name, bound in (("rocdl.mbcnt.lo", 32), ("rocdl.mbcnt.hi", 64)):
        properties: dict[str, Attribute] = {}
        if rewriter.profile.ids_have_ranges:
            known = {"llvm.noundef": UNIT, "llvm.range": constant_range(0, bound)}
            properties["res_attrs"] = ArrayAttr([DictionaryAttr(known)])
        new = build.generic_op(name).create(
            operands=[all_lanes, count], result_types=[i32], properties=properties
        )
        count = rewriter.add(new).results[0]
    return count


def _read(
    rewriter: ConversionRewriter, kind: type[Operation], axis: str, range: Attribute | None = None
) -> SSAValue:
    properties = {} if range is None else {"range": range}
    register = _register_class(f"rocdl.{_REGISTERS[kind]}.{axis}")
    return rewriter.add(register.create(result_types=[i32], properties=properties)).results[0]


@cache
def _register_class(name: str) -> type[Operation]:
    return next(operation for operation in rocdl.ROCDL.operations if operation.name == name)
