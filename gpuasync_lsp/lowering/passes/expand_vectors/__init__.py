"""Expands vector ops that have no known lowering element by element, so that they can be executed.

Each op becomes extractions, insertions and scalar arith in the order of the elements; LLVM combines
these into shuffles. Masked and indexed accesses become scalar accesses, which are checked one by one.
Ops on more than `MOST` elements, or with scalable dimensions, are not expanded. The semantics are those
of VectorOps.td of LLVM 22.
"""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.passes.expand_vectors import arithmetic, memory, printing, shapes
from gpuasync_lsp.lowering.passes.expand_vectors.elements import MOST, Builder, Results
from gpuasync_lsp.lowering.passes.expand_vectors.named import named
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.kinds import vector_type

_MASKED = {**arithmetic.MASKED, **memory.MASKED}
"""Ops that use the mask of an enclosing vector.mask."""

_EXPANSIONS = {
    **shapes.EXPANSIONS,
    **arithmetic.EXPANSIONS,
    **memory.EXPANSIONS,
    **printing.EXPANSIONS,
}


def expand_vectors(module: Operation) -> None:
    """Expand the supported vector ops inside `module`, in place."""
    for op in [op for op in module.walk() if not isinstance(op.parent_op(), vector.MaskOp)]:
        if any(_too_much(value.type) for value in (*op.operands, *op.results)):
            continue
        results = _expanded(op)
        if results is None:
            continue
        replace(op, results)


def _expanded(op: Operation) -> Results:
    if not isinstance(op, vector.MaskOp):
        expand = _EXPANSIONS.get(op.name)
        return expand(named(op), Builder(op)) if expand is not None else None
    inner = op.mask_region.block.first_op
    masked = _MASKED.get(inner.name) if inner is not None and op.passthru is None else None
    if masked is None or any(_too_much(value.type) for value in cast(Operation, inner).operands):
        return None
    return masked(named(cast(Operation, inner)), Builder(op), op.mask)


def _too_much(type: Attribute) -> bool:
    if type.name != VectorType.name:
        return False
    shaped = vector_type(type)
    return prod(shaped.get_shape()) > MOST or any(bool(each.value.data) for each in shaped.scalable_dims)
