"""Token uses by ops other than async gpu ops: forwarding inside the function, and escapes."""

from __future__ import annotations

from collections.abc import Container

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.building.tokens import Tokens
from gpuasync_lsp.analysis.model.building.values import Values
from gpuasync_lsp.analysis.model.passing import CARRYING, PASSING
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType


def note_uses(op: Operation, tokens: Tokens, values: Values, dead: Container[Operation | None]) -> None:
    """Record the token uses of `op`, and create handles for its token results.

    `dead` are the ops that the release erases before the conversion.
    """
    for result in op.results:
        if type(result.type) is AsyncTokenType:  # Faster than isinstance; the type has no subclasses.
            tokens.handle(result)
    if op in tokens.function.by_op:
        return
    if op.name == "async.yield":
        if op.parent_op() not in dead:
            for number, value in enumerate(op.operands):
                if isinstance(value.type, AsyncTokenType):
                    tokens.function.yields.append((op, number, tokens.handle(value)))
        return
    callee, context = callee_of(op), tokens.function.context
    for number, value in enumerate(op.operands):
        if type(value.type) is not AsyncTokenType:
            continue
        handle = tokens.handle(value)
        handle.callee_works |= (callee, number) in context.working
        if callee is not None and callee in context.lending:
            handle.lent.append(op)
        elif op.name not in PASSING and op.name not in CARRYING:
            handle.escapes.append(op)
        elif not values.is_folded_use(op, value):
            handle.passed.append(op)
