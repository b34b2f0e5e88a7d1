"""Lowers one-dimensional transfers of non-consecutive elements to loops over the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.bounds import only_inside
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.buffers import indices_of_iteration
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import (
    INDEX,
    Builder,
    Transfer,
    load,
    map_of,
    moved_dimension,
    store,
    vector_of,
)
from gpuasync_lsp.syntax.dialects import arith, vector
from gpuasync_lsp.syntax.kinds import element_type, is_memref, memref_type
from gpuasync_lsp.syntax.memref_types import strides_and_offset


def by_elements(transfer: Transfer, rewriter: Rewriter) -> bool:
    """Convert a one-dimensional transfer to a loop if necessary; return whether it was converted."""
    type, map = vector_of(transfer), map_of(transfer)
    if not map.results or not is_memref(transfer.base.type) or len(type.get_shape()) != 1:
        return False
    if type.element_type != element_type(transfer.base.type):
        return False
    if map == AffineMap.minor_identity(map.num_dims, 1) and _is_consecutive(transfer):
        return False
    builder = Builder(rewriter, transfer)
    start, end = builder.index(0), builder.index(type.get_shape()[0])
    if any(scalable.value.data for scalable in type.scalable_dims):
        scale = builder.create(vector.VectorScaleOp, [], INDEX)
        end = builder.value(arith.MuliOp(end, scale))
    bounds = [start, end, builder.index(1)]
    if isinstance(transfer, vector.TransferReadOp):
        carried = [builder.repeat(transfer.padding, type)]
        loop = builder.for_each(bounds, carried, _reading(transfer))
    else:
        loop = builder.for_each(bounds, [], _writing(transfer))
    rewriter.replace(transfer, loop.results)
    return True


def _is_consecutive(op: Transfer) -> bool:
    layout = strides_and_offset(memref_type(op.base.type))
    return layout is not None and (not layout[0] or layout[0][-1] == 1)


def _reading(op: vector.TransferReadOp) -> Any:
    def body(builder: Builder, counter: SSAValue, carried: Sequence[SSAValue]) -> SSAValue | None:
        (before,) = carried
        indices = indices_of_iteration(builder, op, counter)

        def inside(builder: Builder) -> SSAValue:
            return builder.with_element(builder.value(load(op.base, indices)), before, counter)

        return only_inside(
            builder, op, counter, moved_dimension(op), before.type, inside, lambda builder: before
        )

    return body


def _writing(op: vector.TransferWriteOp) -> Any:
    def body(builder: Builder, counter: SSAValue, carried: Sequence[SSAValue]) -> None:
        indices = indices_of_iteration(builder, op, counter)

        def inside(builder: Builder) -> None:
            builder.add(store(builder.element(op.value_to_store, counter), op.base, indices))

        only_inside(builder, op, counter, moved_dimension(op), None, inside, lambda builder: None)

    return body
