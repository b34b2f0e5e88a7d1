"""Makes later uses of values that PTX updates (`rw` of `nvvm.inline_ptx`) refer to the new values.

mlir-opt replaces all uses, including those before the PTX; its verifier then rejects the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dominance import Dominance


def go_on_with(
    rewriter: ConversionRewriter,
    op: Operation,
    changed: Sequence[tuple[SSAValue, SSAValue]],
    taker: Operation,
) -> None:
    """Replace each value that `op` updates with its new value, except in `op` and in its lowering, `taker`.

    Raises PassError at the first op that would use a new value before its definition."""
    early: dict[Operation, int] = {}
    for value, _ in changed:
        for use in value.uses:
            user = use.operation
            kept = user in (op, taker) or rewriter.values.takes_old(user)
            if not kept and not _is_after(user, op):
                early[user] = min(early.get(user, use.index), use.index)
    if early:
        top = op.get_toplevel_object()
        assert isinstance(top, Operation)
        first = next(each for each in top.walk() if each in early)
        raise PassError(first, f"operand #{early[first]} does not dominate this use")
    for value, new in reversed(changed):  # If a value occurs twice, the first entry wins.
        rewriter.values.supersede(value, new, (op, taker))


def _is_after(user: Operation, op: Operation) -> bool:
    """Return whether `op` dominates `user`."""
    block = op.parent
    if block is None or block.parent is None:
        return True
    while user.parent is not None and user.parent.parent is not block.parent:
        parent = user.parent_op()
        if parent is None:
            return False
        user = parent
    if user.parent is block:
        return _index(block, op) < _index(block, user)
    return user.parent is not None and Dominance(block.parent).dominates(block, user.parent)


def _index(block: Block, op: Operation) -> int:
    return block.get_operation_index(op)
