"""Phrases and locations that rules share, so that all rules describe a fact in the same words."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import BlockArgument, Operation, SSAValue

from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, AsyncOp, Handle, Race
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import LATER_ITERATION
from gpuasync_lsp.preconditions import Unmet
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.effects import ALIASES, PARTS, Mode
from gpuasync_lsp.syntax.symbols import symbol_text
from gpuasync_lsp.text import Related, Span


def fate(op: str, profile: Profile) -> str:
    """Describe what happens to an unlowered op called `op`."""
    if profile.rejects_loudly or op.startswith("gpu.launch_func"):
        return f"{profile.label} fails to legalize this {op}"
    return f"{profile.label} silently leaves this {op} unlowered"


def fate_when_outlined(op: str, profile: Profile) -> str:
    """Describe what happens to an unlowered op called `op`; for a gpu.launch, to its gpu.launch_func."""
    return fate("gpu.launch_func after outlining" if op == "gpu.launch" else op, profile)


def listing(words: Iterable[str]) -> str:
    """Join `words` into `a`, `a and b`, or `a, b and c`."""
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def stream_name(function: AsyncFunction, handle: Handle) -> str:
    """Return a readable name of a stream or event, derived from the first token that refers to it."""
    return f"the stream of {function.span_name(handle.value)}"


def left_by_callee(access: Access) -> str | None:
    """Describe who must wait for work that a call leaves on a stream without a token; None for other work."""
    callee = callee_of(access.op)
    if callee is None or access.host or access.handle is not None:
        return None
    if access.task:
        return f"@{callee} does this in an async.execute that it does not await: await it there."
    return f"@{callee} leaves it running on a stream that it does not return: wait for that stream there."


def overlap(function: AsyncFunction, race: Race, what: str, advice: str) -> str:
    """Return the message: `what`, the later access of `race`, occurs while the earlier one may be running.

    `advice` is replaced if only a callee can wait for the earlier one."""
    first, second, where = race.first, race.second, race.path
    callee = None if first.host else callee_of(first.op)
    is_later = where.startswith(LATER_ITERATION)
    is_repeated = is_later and first.op is second.op
    if callee is not None:
        work = f"{'other ' if first.op is second.op and not is_later else ''}work of {symbol_text(callee)}"
    elif is_repeated:
        work = "the same op"
    else:
        work = f"the {'earlier ' if first.op.name == second.op.name else ''}{first.op.name}"
    if is_repeated:
        work += f" {'in' if callee is not None else 'of'} an earlier iteration"
        where = where.removeprefix(LATER_ITERATION).removeprefix(", ")
    elif is_later:
        what, where = f"{sentence(where)}, {what[0].lower()}{what[1:]}", ""
    if not is_repeated or first.mode is not second.mode:
        is_possible = first.mode in (Mode.BOTH, Mode.MAY)
        work += f", which {first.mode.value} it," if is_possible else f" that {first.mode.value} it"
    advice = (left_by_callee(first) or advice) + same_memory(function, first, second)
    return f"{what} while {work} may still be running{' ' if where else ''}{where}.\n{advice}"


def same_memory(function: AsyncFunction, *accesses: Access) -> str:
    """Return a sentence if a caller passes the same memory for several accessed arguments; else empty."""
    roots = dict.fromkeys(_root(access.value) for access in accesses)
    arguments = [value for value in roots if isinstance(value, BlockArgument)]
    shared = function.context.shared.get(function.name, {})
    entry = function.op.regions[0].blocks[0]
    same = [v for v in arguments if v.owner is entry and (v.index in shared or v.index in shared.values())]
    if len(same) < 2:
        return ""
    return f" A caller in this file passes the same memory for {listing(map(function.span_name, same))}."


def _root(value: SSAValue) -> SSAValue:
    """Return the memref that `value` is a view of."""
    while isinstance(value.owner, Operation) and value.owner.name in ALIASES | PARTS:
        value = value.owner.operands[0]
    return value


def earlier(path: str) -> str:
    """Reword the description of a path to the later of two accesses, to describe when the earlier one
    happens."""
    return path.replace(LATER_ITERATION, "in an earlier iteration", 1)


def defined_at(function: AsyncFunction, value: SSAValue, message: str) -> tuple[Related, ...]:
    """Return the definition of `value` as a related location; nothing if it is not in the source."""
    span = function.spans.result(value)
    return () if span is None else (Related(span, message),)


def at_op(function: AsyncFunction, op: Operation, message: str) -> tuple[Related, ...]:
    """Return the location of the name of `op` as a related location."""
    return (Related(op_span(function, op), message),) if op in function.spans.ops else ()


def op_span(function: AsyncFunction, op: Operation) -> Span:
    """Return the span of the name of `op`."""
    return function.spans.name(op) if op in function.spans.ops else Span(0, 0)


def operand_span(function: AsyncFunction, op: Operation, operand: int | None) -> Span:
    """Return the span of an operand, or of the op's name if the text does not show the operand."""
    span = function.spans.operand(op, operand) if operand is not None else None
    return span or op_span(function, op)


def deps_span(function: AsyncFunction, op: Operation) -> Span:
    """Return the span of the dependency list of `op`, or of its name if it has no list."""
    return (function.spans.deps(op) if op in function.spans.ops else None) or op_span(function, op)


def rejected(function: AsyncFunction, code: str) -> Iterable[tuple[AsyncOp, Unmet]]:
    """Yield the ops that remain unlowered for a reason that rule `code` reports."""
    for op in function.rejected:
        for rejection in op.rejections:
            if rejection.code == code and op.op in function.by_op:
                yield op, rejection


def sentence(text: str) -> str:
    """Return `text` with a capital first letter."""
    return text[:1].upper() + text[1:]
