"""Unrolls transfers of several dimensions into transfers of lower rank, one dimension at a time."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.bounds import only_inside
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.buffers import (
    indices_of_iteration,
    is_lowered,
    unpacked_map,
)
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import (
    DYNAMIC,
    Builder,
    Transfer,
    extraction,
    insertion,
    is_on_tensor,
    is_repeated,
    moved_dimension,
    part_of,
    read,
    vector_of,
    with_mask,
    write,
)
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import vector_type


def patterns(target_rank: int, tensors: bool) -> list[Pattern]:
    """Return the patterns that unroll transfers of more dimensions than `target_rank`."""

    def unroll(transfer: Transfer, rewriter: Rewriter) -> bool:
        if not is_lowered(transfer, target_rank, tensors):
            return False
        if isinstance(transfer, vector.TransferReadOp):
            _read(transfer, rewriter)
        else:
            _write(transfer, rewriter)
        return True

    return [unroll]


def _read(op: vector.TransferReadOp, rewriter: Rewriter) -> None:
    builder = Builder(rewriter, op)
    insert = _inserting(op)
    result = builder.repeat(op.padding, vector_of(op)) if insert is None else insert.dest
    position = [] if insert is None else _position(insert)
    part = part_of(vector_of(op))
    for number in range(vector_of(op).get_shape()[0]):
        counter, before = builder.index(number), result

        def inside(
            builder: Builder, number: int = number, counter: SSAValue = counter, before: SSAValue = before
        ) -> SSAValue:
            indices = indices_of_iteration(builder, op, counter)
            new = read(op.base, indices, op.padding, part, unpacked_map(op), bounds_of(op)[1:])
            _give_mask(builder, op, new, number)
            builder.add(new)
            value: SSAValue = new.vector
            if not part.get_shape() and builder.profile.extracts_at_values:
                value = builder.value(extraction(value, [], part.element_type))
            return builder.value(insertion(value, before, [*position, number]))

        def outside(builder: Builder, before: SSAValue = before) -> SSAValue:
            return before

        made = only_inside(builder, op, counter, moved_dimension(op), result.type, inside, outside)
        result = cast(SSAValue, made)
    if insert is None:
        rewriter.replace(op, [result])
        return
    rewriter.replace(insert, [result])
    rewriter.erase(op)


def _inserting(op: vector.TransferReadOp) -> vector.InsertOp | None:
    """Return the only user of the read vector if it is a vector.insert, otherwise None."""
    uses = list(op.vector.uses)
    user = uses[0].operation if len(uses) == 1 else None
    return user if isinstance(user, vector.InsertOp) else None


def _write(op: vector.TransferWriteOp, rewriter: Rewriter) -> None:
    builder = Builder(rewriter, op)
    extract = op.value_to_store.owner
    whole, position = op.value_to_store, list[SSAValue | int]()
    if isinstance(extract, vector.ExtractOp):
        whole, position = extract.source, _position(extract)
    part, into = part_of(vector_of(op)), op.base
    for number in range(vector_of(op).get_shape()[0]):
        counter, before = builder.index(number), into

        def inside(
            builder: Builder, number: int = number, counter: SSAValue = counter, before: SSAValue = before
        ) -> SSAValue | None:
            indices = indices_of_iteration(builder, op, counter)
            type: Attribute = part if part.get_shape() else part.element_type
            value = builder.value(extraction(whole, [*position, number], type))
            if not part.get_shape():
                value = builder.create(vector.BroadcastOp, [value], VectorType(type, []))
            new = write(value, before, indices, unpacked_map(op), bounds_of(op)[1:])
            _give_mask(builder, op, new, number)
            builder.add(new)
            return new.result

        def outside(builder: Builder, before: SSAValue = before) -> SSAValue:
            return before

        type = into.type if is_on_tensor(op) else None
        made = only_inside(builder, op, counter, moved_dimension(op), type, inside, outside)
        if is_on_tensor(op):
            into = cast(SSAValue, made)
    rewriter.replace(op, [into] if is_on_tensor(op) else [])


def _position(op: vector.InsertOp | vector.ExtractOp) -> list[SSAValue | int]:
    dynamic = iter(op.dynamic_position)
    return [next(dynamic) if n == DYNAMIC else n for n in integers(op.static_position)]


def _give_mask(builder: Builder, op: Transfer, new: Transfer, number: int) -> None:
    """Set the mask of a new transfer to its part of the mask of `op`; do nothing if `op` has none."""
    if op.mask is None:
        return
    type = vector_type(op.mask.type)
    if is_repeated(op):
        with_mask(new, op.mask)
    elif len(type.get_shape()) > 1:
        with_mask(new, builder.value(extraction(op.mask, [number], part_of(type))))
