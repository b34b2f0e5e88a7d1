"""Ops that only compute integers, and loops and branches that contain only such ops."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.opaque import OpaqueOp

_DIALECTS = frozenset({"arith", "math", "index"})
_CHOOSE = frozenset({"arith.select"})
"""Ops that split paths, one path for each operand that they may choose."""
_NESTING = frozenset({"scf.for", "scf.if"})
"""Ops with regions that have no effects of their own and always terminate."""


def only_computes(op: Operation) -> bool:
    """Return whether `op` only computes integers, or is a loop or branch without results that contains only
    such ops.

    If so, it does not matter whether control reaches `op`."""
    if not op.regions:
        return _is_number_op(op)
    return all(map(_is_part_of_computation, op.walk()))


def _is_part_of_computation(op: Operation) -> bool:
    if op.name == "scf.yield":
        return not op.operands
    if not op.regions:
        return _is_number_op(op)
    return op.name in _NESTING and not (op.results or op.attributes) and _are_numbers(op.operands)


def _is_number_op(op: Operation) -> bool:
    return (
        not isinstance(op, OpaqueOp)
        and op.dialect_name() in _DIALECTS
        and op.name not in _CHOOSE
        and not (op.regions or op.successors or any("." in name for name in op.attributes))
        and not op.has_trait(IsTerminator)
        and _are_numbers((*op.operands, *op.results))
    )


def _are_numbers(values: Iterable[SSAValue]) -> bool:
    return all(isinstance(value.type, IntegerType | IndexType | AnyFloat) for value in values)
