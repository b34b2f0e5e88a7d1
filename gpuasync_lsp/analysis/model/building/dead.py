"""Which ops the greedy rewrite of LLVM 21 and later erases before the conversion sees them.

It erases ops that do nothing but allocate or read, and whose results only such ops, or block arguments that
nobody reads, use: a gpu.alloc whose token only another unused gpu.alloc takes, or an async.execute that only
hands on a token. Measured in 21, 22 and 24.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.effects import is_harmless

_LOOPS = frozenset({"scf.for", "scf.while"})


def dead_ops(
    ops: Sequence[Operation], incoming: Mapping[SSAValue, Sequence[SSAValue]], profile: Profile
) -> frozenset[Operation]:
    """Return those of a function's `ops` that are erased.

    `incoming` tells for block arguments and region results which values they may be: a value that is only
    passed on is used only if what it becomes is used.
    """
    harmless = {op for op in ops if not op.has_trait(IsTerminator) and is_harmless(op, profile)}
    becomes: dict[SSAValue, list[SSAValue]] = {}
    for target, values in incoming.items():
        for value in values:
            becomes.setdefault(value, []).append(target)
    work: list[SSAValue] = []
    live: set[Operation] = set()
    for op in ops:
        if op in harmless or op.has_trait(IsTerminator):
            continue
        live.add(op)
        if op.name in _LOOPS:
            # What a loop starts with is passed on as by a branch.
            work += [v for v in op.operands if v not in becomes or not isinstance(v.type, AsyncTokenType)]
        else:
            work += op.operands
    for op in ops:
        if op.has_trait(IsTerminator) and op.parent_op() not in harmless:
            work += [v for v in op.operands if v not in becomes]
    seen: set[SSAValue] = set()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        work += incoming.get(value, ())
        owner = value.owner
        if isinstance(owner, Operation) and owner in harmless and owner not in live:
            live.add(owner)
            for inner in owner.walk():
                live.add(inner)
                work += inner.operands
    return frozenset(op for op in harmless if op not in live)
