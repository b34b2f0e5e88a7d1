"""Ops that come and go without that another op becomes something else: what only computes numbers that nobody
else takes, and work on a stream."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.opaque import OpaqueOp

_DIALECTS = frozenset({"arith", "math", "index"})
_CHOOSE = frozenset({"arith.select"})
"""Control may take one way or the other at these."""


KEPT = frozenset({"gpu.launch_func", "gpu.memcpy", "gpu.memset"})
"""Work on a stream, which an op does that makes nothing but a token."""


def may_come_and_go(ops: Sequence[Operation]) -> bool:
    """Tell whether all `ops` do work on a stream, or only compute numbers of numbers, which none but `ops`
    take, and have no attributes that MLIR knows nothing of."""
    own = frozenset(ops)
    return all(
        _is_work(op)
        or (_is_number_op(op) and all(use.operation in own for r in op.results for use in r.uses))
        for op in ops
    )


def _is_work(op: Operation) -> bool:
    return not isinstance(op, OpaqueOp) and op.name in KEPT and not op.attributes


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
