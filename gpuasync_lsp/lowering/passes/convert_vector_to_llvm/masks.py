"""Lowers masks: vector.create_mask, constant_mask, ops with constant masks, and out-of-bounds transfers.

Source: LowerVectorMask.cpp, the folders of masks in VectorOps.cpp, and `MaterializeTransferMask` and
`VectorCreateMaskOpConversion` of MLIR; measured in all releases.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.folders.constants import constant_int
from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.conversion.folders.vector_values import mask_sizes
from gpuasync_lsp.lowering.conversion.llvm_ops import table_op
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import (
    AnyVector,
    Builder,
    vector_of,
    with_mask,
)
from gpuasync_lsp.lowering.passes.gpu_to_llvm.transfers import is_masked
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, memref, vector
from gpuasync_lsp.syntax.dialects.assembly import i64_array
from gpuasync_lsp.syntax.kinds import dense, is_memref, vector_type
from gpuasync_lsp.syntax.memref_types import dynamic
from gpuasync_lsp.syntax.ods.by_table import TableOp

_SLT = 2
_LARGEST = 2**31 - 1


def lower_create_mask(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a vector.create_mask with a select, for each row, between a smaller mask and all false."""
    result = vector_type(op.results[0].type)
    if len(result.get_shape()) < 2 or making.scalable(result)[0]:
        return False
    builder = Builder(rewriter, op)
    row = making.without_front(result)
    full = making.by_table(builder, op.name, op.operands[1:], [row]).results[0]
    empty, whole = making.zero(builder, row), making.zero(builder, result)
    for place in range(result.get_shape()[0]):
        inside = _compare(builder, _SLT, builder.index(place), op.operands[0])
        made = builder.create(arith.SelectOp, [inside, full, empty], row)
        whole = making.insert(builder, made, whole, place)
    rewriter.replace(op, [whole])
    return True


def fold_create_mask(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a mask of constant sizes with vector.constant_mask (`CreateMaskFolder`)."""
    result = vector_type(op.results[0].type)
    sizes = [constant_int(value) for value in op.operands]
    if not sizes or any(size is None for size in sizes):
        return False
    shape, scales = list(result.get_shape()) or [1], making.scalable(result) or [False]
    known: list[int] = []
    for size, most, scales_too in zip(cast("list[int]", sizes), shape, scales, strict=True):
        if scales_too and size > 0:
            # The size is only known at run time.
            return False
        known.append(min(max(size, 0), most))
    if 0 in known:
        known = [0] * len(known)
    rewriter.replace(op, [_constant_mask(Builder(rewriter, op), result, known)])
    return True


def _constant_mask(builder: Builder, type: AnyVector, sizes: list[int]) -> SSAValue:
    value = i64_array(sizes) if builder.profile.mask_sizes_are_arrays else making.i64_list(sizes)
    made = making.by_table(builder, "vector.constant_mask", [], [type], {"mask_dim_sizes": value})
    return made.results[0]


def lower_constant_mask(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a vector.constant_mask of rank 1 with a constant; build others from rows."""
    result = vector_type(op.results[0].type)
    sizes = mask_sizes(op)
    if sizes is None:
        return False
    shape = result.get_shape()
    builder = Builder(rewriter, op)
    if len(shape) <= 1:
        count = shape[0] if shape else 1
        rewriter.replace(op, [_row(builder, result, sizes[0], count)])
        return True
    if sizes == list(shape) and rewriter.profile.vector_constants_fold:
        rewriter.replace(op, [builder.create(arith.ConstantOp, [], result, {"value": splat(result, 1)})])
        return True
    if making.scalable(result)[0]:
        return False
    part = _constant_mask(builder, making.without_front(result), sizes[1:])
    whole = making.zero(builder, result)
    for place in range(sizes[0]):
        whole = making.insert(builder, part, whole, place)
    rewriter.replace(op, [whole])
    return True


def _row(builder: Builder, type: AnyVector, size: int, count: int) -> SSAValue:
    if size in (0, count):
        value = splat(type, int(size > 0))
    else:
        value = dense(type, [int(n < size) for n in range(count)])
    return builder.create(arith.ConstantOp, [], type, {"value": value})


def compare_with_bound(narrow: bool) -> Pattern:
    """Return the pattern that computes a rank-1 mask with a comparison, in i32 if `narrow`, else i64."""
    number: IntegerType = i32 if narrow else i64

    def lower(op: Operation, rewriter: Rewriter) -> bool:
        result = vector_type(op.results[0].type)
        if len(result.get_shape()) > 1 or any(making.scalable(result)):
            return False
        builder = Builder(rewriter, op)
        type = VectorType(number, list(result.get_shape()))
        numbers = list(range(result.get_shape()[0])) if result.get_shape() else [0]
        value = dense(type, numbers)
        steps = builder.create(arith.ConstantOp, [], type, {"value": value})
        bound = builder.repeat(_narrowed(builder, op.operands[0], number), type)
        rewriter.replace(op, [_compare(builder, _SLT, steps, bound)])
        return True

    return lower


def compare_scalable_with_bound(narrow: bool) -> Pattern:
    """Return `compare_with_bound` for scalable vectors, whose step vector is an LLVM intrinsic."""
    number: IntegerType = i32 if narrow else i64

    def lower(op: Operation, rewriter: Rewriter) -> bool:
        result = vector_type(op.results[0].type)
        if len(result.get_shape()) != 1 or not any(making.scalable(result)):
            return False
        builder = Builder(rewriter, op)
        type = making.shaped(vector_type(VectorType(number, [1])), result.get_shape(), [True])
        steps = builder.create(table_op(builder.profile.step_intrinsic), [], type)
        bound = builder.repeat(_narrowed(builder, op.operands[0], number), type)
        rewriter.replace(op, [_compare(builder, _SLT, steps, bound)])
        return True

    return lower


def _narrowed(builder: Builder, value: SSAValue, type: IntegerType) -> SSAValue:
    """Emit a cast of an index to `type`, clamped to the type's range in releases that clamp."""
    if builder.profile.bounds_masks and type == i32:
        value = builder.create(arith.MinSIOp, [value, builder.index(_LARGEST)], value.type)
    return builder.create(arith.IndexCastOp, [value], type)


def _compare(builder: Builder, predicate: int, left: SSAValue, right: SSAValue) -> SSAValue:
    shape = making.as_vector(left.type)
    type = i1 if shape is None else VectorType(i1, shape.get_shape(), shape.scalable_dims)
    return builder.create(arith.CmpiOp, [left, right], type, {"predicate": IntegerAttr(predicate, i64)})


def mask_transfer(transfer: vector.TransferReadOp | vector.TransferWriteOp, rewriter: Rewriter) -> bool:
    """Add a mask to a transfer that may be out of bounds (`MaterializeTransferMask`)."""
    type = vector_of(transfer)
    if all(bounds_of(transfer)) or len(type.get_shape()) > 1 or not transfer.indices:
        return False
    if is_masked(transfer) and rewriter.profile.unbounded_masked_transfers_stay:
        return False
    builder = Builder(rewriter, transfer)
    last = len(transfer.indices) - 1
    size = _size(builder, transfer.base, last)
    left = builder.create(arith.SubiOp, [size, transfer.indices[last]], size.type)
    mask_type = VectorType(i1, type.get_shape(), type.scalable_dims)
    mask = making.by_table(builder, "vector.create_mask", [left], [mask_type]).results[0]
    if transfer.mask is not None:
        mask = builder.create(arith.AndIOp, [mask, transfer.mask], mask.type)
        transfer.operands = [*transfer.operands[:-1], mask]
    else:
        with_mask(transfer, mask)
    transfer.properties["in_bounds"] = ArrayAttr([BoolAttr.from_bool(True)])
    rewriter.push(transfer)
    return True


def _size(builder: Builder, base: SSAValue, dimension: int) -> SSAValue:
    at = builder.index(dimension)
    size = vector_type(base.type).get_shape()[dimension]
    if not dynamic(size):
        return builder.index(size)
    made = memref.DimOp if is_memref(base.type) else op_class("tensor.dim")
    return builder.create(made, [base, at], at.type)


def _known_value(mask: SSAValue) -> bool | None:
    """Return True for an all-true mask, False for an all-false one, None for any other."""
    owner = mask.owner
    if not isinstance(owner, Operation):
        return None
    type = making.of(mask)
    known = constant_int(mask)
    if known is not None:
        return bool(known)
    if owner.name == "vector.constant_mask":
        sizes = mask_sizes(owner)
        if sizes is None:
            return None
        if sizes == list(type.get_shape()):
            return True
        return False if all(size == 0 for size in sizes) else None
    if owner.name != "vector.create_mask":
        return None
    sizes = [constant_int(value) for value in owner.operands]
    if any(size is None for size in sizes):
        return None
    known_sizes = cast("list[int]", sizes)
    if all(size >= most for size, most in zip(known_sizes, type.get_shape(), strict=False)):
        return None if any(making.scalable(type)) else True
    return False if all(size <= 0 for size in known_sizes) else None


def _read(op: TableOp, rewriter: Rewriter) -> bool:
    """Replace a load with a constant mask with a plain load, or with its pass-through value."""
    says = _known_value(op.mask)
    if says is None:
        return False
    if not says:
        rewriter.replace(op, [op.pass_thru])
        return True
    made = vector.LoadOp.create(operands=[op.base, *op.indices], result_types=[op.result.type])
    rewriter.replace(op, [rewriter.insert(made, op).results[0]])
    return True


def _write(op: TableOp, rewriter: Rewriter) -> bool:
    """Replace a constantly masked store with a plain store, or erase it."""
    says = _known_value(op.mask)
    if says is None:
        return False
    if says:
        made = vector.StoreOp.create(operands=[op.value_to_store, op.base, *op.indices])
        rewriter.insert(made, op)
    rewriter.erase(op)
    return True


def _gather(op: TableOp, rewriter: Rewriter) -> bool:
    if _known_value(op.mask) is not False:
        return False
    rewriter.replace(op, [op.pass_thru])
    return True


def _scatter(op: TableOp, rewriter: Rewriter) -> bool:
    if _known_value(op.mask) is not False or op.results:
        return False
    rewriter.erase(op)
    return True


def fold_packed(op: Operation, rewriter: Rewriter) -> bool:
    """Fold an expandload or compressstore whose mask is constant.

    If all lanes are enabled, it becomes a plain load or store; if none is, an expandload becomes its
    pass-through value, and a compressstore is erased."""
    base, *indices, mask, value = op.operands
    says = _known_value(mask)
    if says is None:
        return False
    if op.results:
        if says:
            made = vector.LoadOp.create(operands=[base, *indices], result_types=[op.results[0].type])
            value = rewriter.insert(made, op).results[0]
        rewriter.replace(op, [value])
        return True
    if says:
        rewriter.insert(vector.StoreOp.create(operands=[value, base, *indices]), op)
    rewriter.erase(op)
    return True


MASKED: dict[type[Operation], Pattern] = {
    vector.MaskedLoadOp: _read,
    vector.MaskedStoreOp: _write,
    vector.GatherOp: _gather,
    vector.ScatterOp: _scatter,
}
"""Maps each op to the pattern for an all-true or all-false mask."""
