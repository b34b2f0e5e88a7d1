"""Ids and sizes of grid, workgroup and lane on AMD's targets."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.kernels import symbols
from gpuasync_lsp.lowering.passes.kernels.ids import (
    as_index,
    constant_range,
    dimension_range,
    read_register,
    register_range,
    wrapped,
)
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.assembly import UNIT
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType
from gpuasync_lsp.syntax.ods.by_table import TableOp

SMALLEST_WAVE = 64
"""The minimum wavefront size in the ranges that mlir-opt emits, regardless of the upper bound."""

CANNOT_OVERFLOW = 3
"""The overflow flags `nsw` and `nuw`."""

_REGISTERS: dict[type[Operation], str] = {
    gpu.ThreadIdOp: "workitem.id",
    gpu.BlockDimOp: "workgroup.dim",
    gpu.BlockIdOp: "workgroup.id",
    gpu.GridDimOp: "grid.dim",
}


class ConvertDimension(ConversionPattern[gpu.DimensionOp], ops=tuple(_REGISTERS)):
    """`gpu.thread_id x` becomes `rocdl.workitem.id.x`; other ids and sizes likewise."""

    def match_and_rewrite(self, op: gpu.DimensionOp, rewriter: ConversionRewriter) -> None:
        value = _read(rewriter, op, type(op), op.dimension.data.value, op.upper_bound)
        rewriter.replace(op, [_as_index(rewriter, value)])


class ConvertGlobalId(ConversionPattern[TableOp], ops=(gpu.GlobalIdOp,)):
    """`gpu.global_id x` becomes workgroup id times workgroup size plus workitem id."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        if not rewriter.profile.global_ids_lower and not rewriter.options.whole_kernels:
            rewriter.match_failure("this release has no pattern for it")
        axis = op.dimension.data.value
        group, size = (
            _as_index(rewriter, _read(rewriter, op, kind, axis)) for kind in (gpu.BlockIdOp, gpu.BlockDimOp)
        )
        product = build.arithmetic(rewriter, llvm.MulOp, group, size)
        item = _as_index(rewriter, _read(rewriter, op, gpu.ThreadIdOp, axis))
        rewriter.replace(op, [build.arithmetic(rewriter, llvm.AddOp, item, product)])


class ConvertLaneId(ConversionPattern[TableOp], ops=(gpu.LaneIdOp,)):
    """`gpu.lane_id` becomes the number of lanes with a lower id in the wavefront."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [as_index(rewriter, lane(rewriter))])


class ConvertSubgroupSize(ConversionPattern[TableOp], ops=(gpu.SubgroupSizeOp,)):
    """`gpu.subgroup_size` becomes the wavefront size."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        if not rewriter.profile.rocdl_knows_intrinsics:
            rewriter.match_failure("this release has no pattern for it")
        range = None
        if op.upper_bound is not None:
            range = constant_range(SMALLEST_WAVE, op.upper_bound.value.data + 1)
        rewriter.replace(op, [as_index(rewriter, read_register(rewriter, "rocdl.wavefrontsize", range))])


class ConvertSubgroupId(ConversionPattern[TableOp], ops=(gpu.SubgroupIdOp,)):
    """`gpu.subgroup_id` becomes the work item's linear id in its group divided by the wavefront size."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        if not rewriter.profile.rocdl_sizes_by_calls:
            rewriter.match_failure("this release has no pattern for it")
        x, y, z = (_read(rewriter, op, gpu.ThreadIdOp, axis) for axis in "xyz")
        width, height = (_narrow(rewriter, _read(rewriter, op, gpu.BlockDimOp, axis)) for axis in "xy")
        planes = build.arithmetic(rewriter, llvm.MulOp, height, z, CANNOT_OVERFLOW)
        rows = build.arithmetic(rewriter, llvm.AddOp, y, planes, CANNOT_OVERFLOW)
        items = build.arithmetic(rewriter, llvm.MulOp, width, rows, CANNOT_OVERFLOW)
        number = build.arithmetic(rewriter, llvm.AddOp, x, items, CANNOT_OVERFLOW)
        wave = read_register(rewriter, "rocdl.wavefrontsize")
        divided = rewriter.create(llvm.UDivOp, [number, wave], i32)
        rewriter.replace(op, [as_index(rewriter, divided)])


PATTERNS = (
    ConvertDimension(),
    ConvertGlobalId(),
    ConvertLaneId(),
    ConvertSubgroupSize(),
    ConvertSubgroupId(),
)


def lane(rewriter: ConversionRewriter) -> SSAValue:
    """Emit the lane id as an i32: `rocdl.mbcnt.lo` and `mbcnt.hi` with a full mask."""
    zero, all_lanes = (build.integer_constant(rewriter, value, i32) for value in (0, -1))
    count = zero
    for name, bound in (("rocdl.mbcnt.lo", 32), ("rocdl.mbcnt.hi", 64)):
        properties: dict[str, Attribute] = {}
        if rewriter.profile.rocdl_lane_is_bounded:
            known = {"llvm.noundef": UNIT, "llvm.range": constant_range(0, bound)}
            properties["res_attrs"] = ArrayAttr([DictionaryAttr(known)])
        count = rewriter.create(build.table_op(name), [all_lanes, count], i32, properties)
    return count


def _read(
    rewriter: ConversionRewriter,
    op: Operation,
    kind: type[Operation],
    axis: str,
    bound: Attribute | None = None,
) -> SSAValue:
    """Emit a read of the id or size that `op` returns: an i32 register, or an i64 from a device function."""
    profile = rewriter.profile
    by_call = kind in _FUNCTIONS and profile.rocdl_sizes_by_calls
    exact = profile.known_sizes_are_exact or by_call
    known = dimension_range(op, kind, axis, bound, profile, exact=exact)
    if by_call:
        return _size(rewriter, op, kind, axis, known)
    name = f"rocdl.{_REGISTERS[kind]}.{axis}"
    if known is None or (profile.rocdl_ranges == "arrays of ids" and kind in _FUNCTIONS):
        return read_register(rewriter, name)
    least, end = known
    if profile.rocdl_ranges == "ranges":
        return read_register(rewriter, name, register_range(profile, least, end))
    # Releases with array ranges subtract two from the upper bound of a size.
    numbers = [least, wrapped(end - 2 if kind in _FUNCTIONS else end)]
    return read_register(rewriter, name, DenseArrayBase.from_list(i32, numbers))


def _size(
    rewriter: ConversionRewriter,
    op: Operation,
    kind: type[Operation],
    axis: str,
    known: tuple[int, int] | None,
) -> SSAValue:
    if known is not None and known[1] == known[0] + 1:
        return build.integer_constant(rewriter, known[0], i64)
    name, most = _FUNCTIONS[kind]
    symbols.declare(op, name, LLVMFunctionType([i32], i64))
    number = build.integer_constant(rewriter, "xyz".index(axis), i32)
    call = build.call(rewriter, name, [number], [i64])
    if known is None and most:
        known = 1, most + 1
    if known is not None:
        range = {"llvm.range": constant_range(*known, i64)}
        call.properties["res_attrs"] = ArrayAttr([DictionaryAttr(range)])
    return call.results[0]


def _as_index(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    """Extend an i32, or truncate an i64, to the width of an index."""
    type = rewriter.types.index
    if value.type != i64 or type == i64:
        return as_index(rewriter, value)
    return _truncate(rewriter, value)


def _narrow(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    return _truncate(rewriter, value, CANNOT_OVERFLOW) if value.type == i64 else value


def _truncate(rewriter: ConversionRewriter, value: SSAValue, overflow: int = 0) -> SSAValue:
    return rewriter.create(llvm.TruncOp, [value], i32, {"overflowFlags": IntegerAttr(overflow, i32)})


_FUNCTIONS: dict[type[Operation], tuple[str, int]] = {
    gpu.BlockDimOp: ("__ockl_get_local_size", 1024),
    gpu.GridDimOp: ("__ockl_get_num_groups", 0),
}
"""Maps each op to the device function that returns the size, and to its maximum result (0 if none)."""
