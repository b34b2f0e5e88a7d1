"""The patterns of the vector dialect. Source: mlir/lib/Dialect/Vector/IR/VectorOps.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, VectorType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import insert_before, replace
from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.conversion.folders.vector_values import is_in_place
from gpuasync_lsp.lowering.conversion.worklist import Pattern as MaskPattern
from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Pattern, Patterns, replace_with
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import masks
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, vector
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import is_vector, vector_type


def _broadcast_equal(op: Operation, profile: Profile) -> bool:
    """Replace a vector.from_elements of equal elements with a broadcast."""
    if any(value is not op.operands[0] for value in op.operands):
        return False
    kind = vector.BroadcastOp if profile.broadcasts_equal_elements else vector.SplatOp
    return replace_with(op, kind.create(operands=[op.operands[0]], result_types=list(op.result_types)))


def _extract_elements(extract: vector.ExtractOp, _: Profile) -> bool:
    """Replace a vector.extract of a part of vector.from_elements with a vector.from_elements of that part."""
    source = extract.source.owner
    part, whole = extract.result.type, extract.source.type
    if not isinstance(source, vector.FromElementsOp) or not is_vector(part):
        return False
    if extract.dynamic_position or not is_vector(whole):
        return False
    size = prod(vector_type(part).get_shape())
    shape = vector_type(whole).get_shape()
    start = 0
    for dimension, index in enumerate(integers(extract.static_position)):
        start += index * prod(shape[dimension + 1 :])
    elements = source.operands[start : start + size]
    return replace_with(extract, vector.FromElementsOp.create(operands=elements, result_types=[part]))


def _read_again(read: vector.TransferReadOp, profile: Profile) -> bool:
    """Replace an in-bounds read from a tensor with the vector that was written at the same indices.

    Through LLVM 20, this happens even if the write is out of bounds."""
    write = read.base.owner
    if not profile.reads_writes_out_of_bounds or not isinstance(write, vector.TransferWriteOp):
        return False
    if read.mask is not None or write.mask is not None or not is_in_place(write, read):
        return False
    if write.result is None or not all(bounds_of(read)):
        return False
    return replace(read, [write.value_to_store])


def _join_insertions(op: Operation, profile: Profile) -> bool:
    """Replace a chain of inserts that covers the whole vector with a vector.from_elements."""
    type = vector_type(op.results[0].type)
    if not profile.joins_insertions or any(_is_continued(use.operation, op) for use in op.results[0].uses):
        return False
    if any(scalable.value.data for scalable in type.scalable_dims):
        return False
    chain = _chain(op)
    shape = type.get_shape()
    owners: dict[int, tuple[vector.InsertOp, int]] = {}
    for insertion in chain or ():
        size, start = _span(insertion, shape)
        for number in range(size):
            owners.setdefault(start + number, (insertion, number))
    if chain is None or len(owners) != prod(shape):
        return False
    parts: dict[Operation, Sequence[SSAValue]] = {}
    for insertion in reversed(chain):
        value = insertion.value_to_store
        if not any(owner is insertion for owner, _ in owners.values()):
            continue
        if value.type == type.element_type:
            parts[insertion] = [value]
            continue
        count, _ = _span(insertion, shape)
        taken = vector.ToElementsOp.create(operands=[value], result_types=[type.element_type] * count)
        parts[insertion] = insert_before(op, taken).results
    elements = [parts[owners[number][0]][owners[number][1]] for number in range(prod(shape))]
    return replace_with(op, vector.FromElementsOp.create(operands=elements, result_types=[type]))


def _is_continued(user: Operation, op: Operation) -> bool:
    return isinstance(user, vector.InsertOp) and user.dest is op.results[0]


def _chain(op: Operation) -> list[vector.InsertOp] | None:
    """Return the chain of inserts that ends at `op`, the last one first; None if one cannot be merged."""
    chain: list[vector.InsertOp] = []
    current: object = op
    while isinstance(current, vector.InsertOp):
        if current.dynamic_position or (chain and len(list(current.result.uses)) != 1):
            return None
        chain.append(current)
        current = current.dest.owner
    return chain


def _span(insertion: vector.InsertOp, shape: Sequence[int]) -> tuple[int, int]:
    """Return the number of elements that an insert writes, and the linear index of the first."""
    position = integers(insertion.static_position)
    start = 0
    for dimension, index in enumerate(position):
        start += index * prod(shape[dimension + 1 :])
    return prod(shape[len(position) :]), start


def _know_steps(op: Operation, profile: Profile) -> bool:
    """Replace a vector.step of static length with a constant, in releases that fold it."""
    type = cast("VectorType[IndexType]", op.results[0].type)
    if profile.vector_step != "constant" or any(scalable.value.data for scalable in type.scalable_dims):
        return False
    numbers = DenseIntOrFPElementsAttr.from_list(type, range(prod(type.get_shape())))
    return replace_with(op, arith.ConstantOp(numbers))


def _by_mask(fold: MaskPattern) -> Pattern:
    """Wrap a pattern for masks of convert-vector-to-llvm as a canonicalization pattern."""

    def rewrite(op: Operation, profile: Profile) -> bool:
        return fold(op, Rewriter(op, profile))

    return rewrite


PATTERNS: Patterns = {
    **{kind: (_by_mask(fold),) for kind, fold in masks.MASKED.items()},
    op_class("vector.create_mask"): (_by_mask(masks.fold_create_mask),),
    op_class("vector.expandload"): (_by_mask(masks.fold_packed),),
    op_class("vector.compressstore"): (_by_mask(masks.fold_packed),),
    vector.StepOp: (_know_steps,),
    vector.FromElementsOp: (_broadcast_equal,),
    vector.InsertOp: (_join_insertions,),
    vector.ExtractOp: (_extract_elements,),
    vector.TransferReadOp: (_read_again,),
}
