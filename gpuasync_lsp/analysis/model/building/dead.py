"""Dead ops that the greedy rewrite of LLVM 21 and later erases before the conversion.

It erases an op that only allocates or reads memory if all users of its results are dead ops or unused block
arguments: for example a gpu.alloc whose token is used only by a dead gpu.alloc, or an async.execute that
only forwards a token. Measured with LLVM 21, 22 and 24.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.syntax.xdsl_speed import operands_of

_LOOPS = frozenset({"scf.for", "scf.while"})


def dead_ops(
    ops: Sequence[Operation], incoming: Mapping[SSAValue, Sequence[SSAValue]], profile: Profile
) -> frozenset[Operation]:
    """Return the dead ops among `ops`, the ops of a function.

    `incoming` maps block arguments and region results to the values that flow into them: a value that is only
    forwarded is live only if the value it flows into is live.
    """
    terminators: list[Operation] = []
    harmless: set[Operation] = set()
    live: set[Operation] = set()
    for op in ops:
        if _is_terminator(type(op)):
            terminators.append(op)
        elif is_harmless(op, profile):
            harmless.add(op)
        else:
            live.add(op)
    if not harmless:
        return frozenset()
    passed_on = {value for values in incoming.values() for value in values}

    def read(op: Operation) -> Sequence[SSAValue]:
        """Return the operands that the op uses itself, without those that it only forwards."""
        if _is_terminator(type(op)):
            return [v for v in op.operands if v not in passed_on]
        if op.name in _LOOPS:
            return [v for v in op.operands if v not in passed_on or not isinstance(v.type, AsyncTokenType)]
        return operands_of(op)

    needed = {v for op in live for v in read(op)}
    needed.update(v for op in terminators if op.parent_op() not in harmless for v in read(op))
    seen: set[SSAValue] = set()
    # Most ops are live and use results of live ops, so seed the worklist with only the remaining ops.
    work = [v for v in needed if v in incoming or v.owner in harmless]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        work += incoming.get(value, ())
        owner = value.owner
        if isinstance(owner, Operation) and owner in harmless and owner not in live:
            live.add(owner)
            work += read(owner)
            # Ops in the regions of `owner` are live only if its terminators need them.
            for inner in owner.walk():
                if _is_terminator(type(inner)):
                    work += read(inner)
    return frozenset(op for op in harmless if op not in live)


@lru_cache(maxsize=1_024)
def _is_terminator(kind: type[Operation]) -> bool:
    return kind.has_trait(IsTerminator)
