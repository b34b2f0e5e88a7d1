"""Ops that come and go without that another op becomes something else: what only computes numbers that nobody
else takes, work on a stream, waits, calls, numbers that the host reads and writes, and loops and branches in
which only that is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.opaque import OpaqueOp

_DIALECTS = frozenset({"arith", "math", "index"})
_CHOOSE = frozenset({"arith.select"})
"""Control may take one way or the other at these."""


KEPT = frozenset({"gpu.launch_func", "gpu.memcpy", "gpu.memset"})
"""Work on a stream, which an op does that makes nothing but a token."""


_NESTING = frozenset({"scf.for", "scf.if"})
"""Ops that do nothing themselves, and end in any case."""


DEALLOC = "gpu.dealloc"
"""What frees memory, once the work on its stream is done."""


STREAMED = KEPT | {"gpu.wait", DEALLOC}
"""Work on a stream, what frees memory behind it, and what makes, joins and destroys streams."""


ALLOC = "gpu.alloc"
"""What makes memory; one that nobody takes comes and goes as well."""
CALLS = frozenset({"func.call", "memref.copy", "memref.dealloc"})
"""What runs another function, and what does something to whole pieces of memory."""
HOST = frozenset({"memref.load", "memref.store"})
"""By these the host reads and writes numbers in memory."""


def may_come_and_go(ops: Sequence[Operation]) -> bool:
    """Tell whether all `ops` do work on a stream, free memory behind it or wait, allocate what nobody takes,
    call functions, copy or free memory, or only compute numbers of numbers, which none but `ops` take, as
    what the host reads and calls return is, and have no attributes that MLIR knows nothing of, but for words
    without a dialect on what computes: nobody asks for these. So may loops and branches without results in
    which that is done."""
    own = frozenset(ops)
    return all(
        _is_work(op)
        or (
            (only_computes(op) or _is_host_access(op) or _is_call(op))
            and all(use.operation in own for r in op.results for use in r.uses)
        )
        or (_is_nest(op) and all(map(_may_stand_inside, op.regions)))
        for op in ops
    )


def _may_stand_inside(region: Region) -> bool:
    """Tell whether the ops of a region may come and go, with the end of its block."""
    if not region.blocks:
        return True
    ops = [*region.blocks[0].ops]
    is_closed = bool(ops) and ops[-1].name == "scf.yield" and not ops[-1].operands
    return is_closed and len(region.blocks) == 1 and may_come_and_go(ops[:-1])


def only_computes(op: Operation) -> bool:
    """Tell whether `op` only computes numbers of numbers, or is a loop or branch that has no results and in
    which nothing else is done: then it makes no difference whether control comes to it."""
    if not op.regions:
        return _is_number_op(op)
    return all(map(_is_part_of_computation, op.walk()))


def _is_part_of_computation(op: Operation) -> bool:
    if op.name == "scf.yield":
        return not op.operands
    if not op.regions:
        return _is_number_op(op)
    return _is_nest(op)


def _is_nest(op: Operation) -> bool:
    return op.name in _NESTING and not (op.results or op.attributes) and _are_numbers(op.operands)


def _is_call(op: Operation) -> bool:
    return (
        not isinstance(op, OpaqueOp) and op.name in CALLS and not op.attributes and _are_numbers(op.results)
    )


def _is_work(op: Operation) -> bool:
    if isinstance(op, OpaqueOp) or op.attributes:
        return False
    return op.name in STREAMED or (op.name == ALLOC and not any(result.uses for result in op.results))


def _is_host_access(op: Operation) -> bool:
    if isinstance(op, OpaqueOp) or op.name not in HOST or op.attributes:
        return False
    memory = 0 if op.name == "memref.load" else 1
    return _are_numbers((*op.results, *(v for n, v in enumerate(op.operands) if n != memory)))


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
