"""Lowers transfers of several dimensions to loops that keep the vector in a stack buffer.

A transfer is prepared first (`prepare`): it gets its buffers and a label. `unpack` then converts a
labeled transfer to a loop around a labeled transfer of one lower rank, until the target rank is
reached. Each loop views the buffer as vectors of one lower rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.bounds import only_inside
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import (
    Builder,
    Transfer,
    is_on_tensor,
    is_repeated,
    load,
    map_of,
    moved_dimension,
    part_of,
    read,
    starts_scalable,
    store,
    vector_of,
    with_mask,
    write,
)
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import memref, vector
from gpuasync_lsp.syntax.dialects.assembly import i32_array
from gpuasync_lsp.syntax.kinds import element_type, memref_type, vector_type

LABEL = "__vector_to_scf_lowering__"
"""MLIR's name for the attribute that labels transfers that are being lowered."""

_SCOPES = frozenset(
    {
        *("func.func", "gpu.func", "gpu.launch", "llvm.func", "memref.alloca_scope", "async.func"),
        *("scf.for", "scf.parallel", "scf.forall", "affine.for", "affine.parallel", "async.execute"),
    }
)
"""Ops that, at their end, free the stack memory allocated inside them."""


def patterns(target_rank: int, tensors: bool) -> list[Pattern]:
    """Return the patterns that convert transfers of more dimensions than `target_rank` to loops."""

    def prepare(transfer: Transfer, rewriter: Rewriter) -> bool:
        scope = _scope(transfer)
        if scope is None or LABEL in transfer.attributes or not is_lowered(transfer, target_rank, tensors):
            return False
        _prepare(transfer, rewriter, scope)
        return True

    def unpack(op: Operation, rewriter: Rewriter) -> bool:
        return LABEL in op.attributes and _unpack(cast(Transfer, op), rewriter, target_rank)

    return [prepare, unpack]


def is_lowered(op: Transfer, target_rank: int, tensors: bool) -> bool:
    """Return whether a transfer has more than `target_rank` dimensions, and can be lowered."""
    type = vector_of(op)
    if len(type.get_shape()) <= target_rank or starts_scalable(type):
        return False
    if is_on_tensor(op) and not tensors:
        return False
    return type.element_type == element_type(op.base.type)


def _scope(op: Operation) -> Operation | None:
    scope = op.parent_op()
    while scope is not None and scope.name not in _SCOPES:
        scope = scope.parent_op()
    return scope


def _prepare(op: Transfer, rewriter: Rewriter, scope: Operation) -> None:
    builder = Builder(rewriter, op)
    front = cast(Block, scope.regions[0].first_block).first_op
    assert front is not None
    buffer = _allocate(op, vector_of(op), rewriter, front)
    mask = None
    if op.mask is not None:
        place = _allocate(op, op.mask.type, rewriter, front)
        builder.add(store(op.mask, place, ()))
        mask = builder.value(load(place, ()))
    if isinstance(op, vector.TransferReadOp):
        new = op.clone()
        _label(new)
        if mask is not None:
            new.operands[len(new.operands) - 1] = mask
        builder.add(new)
        builder.add(store(new.vector, buffer, ()))
        rewriter.replace(op, [builder.value(load(buffer, ()))])
        return
    builder.add(store(op.value_to_store, buffer, ()))
    op.operands[0] = builder.value(load(buffer, ()))
    _label(op)
    if mask is not None:
        op.operands[len(op.operands) - 1] = mask
    rewriter.push(op)


def _allocate(op: Operation, type: Attribute, rewriter: Rewriter, front: Operation) -> SSAValue:
    made = memref.AllocaOp.create(
        result_types=[MemRefType(type, [])], properties={"operandSegmentSizes": i32_array([0, 0])}
    )
    rewriter.insert(made, front)
    made.location = op.location
    return made.memref


def _label(op: Operation) -> None:
    op.attributes[LABEL] = UnitAttr()


def _unpack(op: Transfer, rewriter: Rewriter, target_rank: int) -> bool:
    place, position = _buffer(op)
    old = memref_type(place.type)
    if starts_scalable(vector_type(old.element_type)):
        return False
    builder = Builder(rewriter, op)
    place = _unpacked(builder, place)
    masks, at = (None, list[SSAValue]()) if op.mask is None else _mask_buffer(op.mask)
    if masks is not None and not is_repeated(op) and _rank(op.mask) > 1:
        masks = _unpacked(builder, masks)
    (*_, rounds) = memref_type(place.type).get_shape()

    def body(inner: Builder, counter: SSAValue, carried: Sequence[SSAValue]) -> SSAValue | None:
        into = carried[0] if carried else None

        def inside(builder: Builder) -> SSAValue | None:
            at_counter = [*position, counter]
            indices = indices_of_iteration(builder, op, counter)
            known, map = bounds_of(op)[1:], unpacked_map(op)
            if isinstance(op, vector.TransferReadOp):
                part = memref_type(place.type).element_type
                new: Transfer = read(op.base, indices, op.padding, part, map, known)
            else:
                value = builder.value(load(place, at_counter))
                new = write(value, op.base if into is None else into, indices, map, known)
            if len(vector_of(new).get_shape()) > target_rank:
                _label(new)
            if masks is not None and (is_repeated(op) or _rank(op.mask) > 1):
                with_mask(new, builder.value(load(masks, at if is_repeated(op) else [*at, counter])))
            builder.add(new)
            if isinstance(new, vector.TransferReadOp):
                builder.add(store(new.vector, place, at_counter))
                return None
            return new.result

        def outside(builder: Builder) -> SSAValue | None:
            if isinstance(op, vector.TransferReadOp):
                part = memref_type(place.type).element_type
                builder.add(store(builder.repeat(op.padding, part), place, [*position, counter]))
            return into

        type = None if into is None else into.type
        return only_inside(inner, op, counter, moved_dimension(op), type, inside, outside)

    carried = [op.base] if isinstance(op, vector.TransferWriteOp) and op.result is not None else []
    loop = builder.loop(rounds, carried, body)
    if isinstance(op, vector.TransferReadOp):
        rewriter.erase(_storing(op))
        rewriter.erase(op)
    else:
        rewriter.replace(op, loop.results)
    return True


def _buffer(op: Transfer) -> tuple[SSAValue, Sequence[SSAValue]]:
    """Return the buffer of a labeled transfer, and the indices of the vector in it."""
    if isinstance(op, vector.TransferReadOp):
        stored = _storing(op)
        return stored.memref, stored.indices
    loaded = op.value_to_store.owner
    assert isinstance(loaded, memref.LoadOp)
    return loaded.memref, loaded.indices


def _storing(op: vector.TransferReadOp) -> memref.StoreOp:
    (use,) = op.vector.uses
    assert isinstance(use.operation, memref.StoreOp)
    return use.operation


def _mask_buffer(mask: SSAValue) -> tuple[SSAValue, Sequence[SSAValue]]:
    loaded = mask.owner
    assert isinstance(loaded, memref.LoadOp)
    return loaded.memref, loaded.indices


def _unpacked(builder: Builder, place: SSAValue) -> SSAValue:
    """Insert a view of a buffer that makes its vectors' first dimension a dimension of the buffer."""
    old = memref_type(place.type)
    element = vector_type(old.element_type)
    type = MemRefType(part_of(element), [*old.get_shape(), element.get_shape()[0]])
    return builder.create(op_class("vector.type_cast"), [place], type)


def _rank(value: SSAValue | None) -> int:
    assert value is not None
    return len(vector_type(value.type).get_shape())


def indices_of_iteration(builder: Builder, op: Transfer, counter: SSAValue) -> list[SSAValue]:
    """Emit the memory indices of one iteration of a loop."""
    indices = list(op.indices)
    dimension = moved_dimension(op)
    if dimension is not None:
        indices[dimension] = builder.sum(indices[dimension], counter)
    return indices


def unpacked_map(op: Transfer) -> AffineMap:
    """Return the permutation map of a transfer without its first result."""
    map = map_of(op)
    return AffineMap(map.num_dims, 0, map.results[1:])
