"""Ops that only compute numbers: where nobody takes these, the ops come and go and nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.opaque import OpaqueOp

_DIALECTS = frozenset({"arith", "math", "index"})
_CHOOSE = frozenset({"arith.select"})
"""Control may take one way or the other at these."""


def are_unused_numbers(ops: Sequence[Operation]) -> bool:
    """Tell whether all `ops` only compute numbers of numbers, which none but `ops` take, and have no
    attributes that MLIR knows nothing of."""
    own = frozenset(ops)
    return all(_is_number_op(op) for op in ops) and all(
        use.operation in own for op in ops for result in op.results for use in result.uses
    )


def _is_number_op(op: Operation) -> bool:
    return (
        not isinstance(op, OpaqueOp)
        and op.dialect_name() in _DIALECTS
        and op.name not in _CHOOSE
        and not (op.regions or op.successors or op.attributes)
        and not op.has_trait(IsTerminator)
        and all(
            isinstance(value.type, IntegerType | IndexType | AnyFloat)
            for value in (*op.operands, *op.results)
        )
    )
