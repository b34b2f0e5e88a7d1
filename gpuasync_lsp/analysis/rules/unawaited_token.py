"""A stream that no blocking wait destroys.

## What happens
Every `gpu.wait async` without operands, and every async launch without dependencies, creates a stream. Only a
blocking gpu.wait on one of the stream's tokens synchronizes and destroys it. Without such a wait, each call
leaks a stream, and the host may read or free the results before the work has finished.

A function that returns a token of its own stream leaves the stream to its caller, which has no way to destroy
it: gpu.wait treats a returned token as an event (GA203). Create the stream in the caller and pass its token.

## What it does not report
- A token that escapes: it is returned, stored, or passed to an unknown op.
- A token that is passed to an unknown callee, or to a callee that waits for it (GA203).
- A stream of an op that does not lower, or of a function with a syntax error.
- Paths that take too long to search.

## Example
```mlir
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
```
Use instead:
```mlir
%t0 = gpu.wait async
%t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
gpu.wait [%t1]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, Fault, Handle, HandleFault
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.terms import Origin
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, op_span
from gpuasync_lsp.syntax.symbols import symbol_text
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find streams that may leak without being joined into another stream.

    Also find unused tokens of streams that a callee creates."""
    for handle in function.handles if function.analyzed else ():
        if handle.sources == (Origin.STREAM,):
            yield from _left_by_callee(function, handle)
    for fault in leaks(function):
        if fault.handle.joins and fault.certain:
            continue
        handle = fault.handle
        value = _last_token(function, handle, everywhere=not fault.certain)
        name = function.span_name(value)
        if fault.certain:
            message = (
                f"No blocking gpu.wait ever waits for {name}: its stream leaks, and nothing waits for "
                "its work."
            )
            advice = f"Wait for it before the function returns: {_wait(name)}."
        else:
            where = f" {fault.path}" if fault.path else " on some path"
            message = (
                f"No blocking gpu.wait waits for {name}{where}: its stream leaks there, and nothing waits "
                "for its work."
            )
            advice = f"Wait for it on that path, too: {_wait(name)}."
        assert handle.op is not None
        related = (
            at_op(function, handle.op, "the stream is created here") if value is not handle.value else ()
        )
        fixes = tuple(_fixes(function, fault))
        obstacle = "" if fixes else f" No automatic fix: {_obstacle(fault)}."
        yield Draft(
            function.spans.result(value) or op_span(function, handle.op),
            f"{message}\n{advice}{obstacle}",
            related,
            fixes,
        )


def _wait(name: str) -> str:
    """Return the source of the wait to add, or, for an unnamed token, the advice to name it first."""
    return (
        f"`gpu.wait [{name}]`" if name.startswith("%") else "name it, `%t = ...`, and write `gpu.wait [%t]`"
    )


def _left_by_callee(function: AsyncFunction, handle: Handle) -> Iterator[Draft]:
    call = handle.op
    callee = callee_of(call) if call is not None else None
    if call is None or callee is None:
        return
    if handle.goes_on or handle.waits or handle.joins or not function.is_reached(call):
        return
    name = function.span_name(handle.value)
    symbol = symbol_text(callee)
    yield Draft(
        function.spans.result(handle.value) or op_span(function, call),
        f"{symbol} creates the stream of {name} and leaves it running: it leaks, and nothing waits for its "
        f"work.\nWait for it in {symbol}, or pass {symbol} a stream that the caller creates and waits for. "
        "No automatic fix: gpu.wait treats a returned token as an event.",
    )


def leaks(function: AsyncFunction) -> Iterator[HandleFault]:
    """Yield the leaks of streams that no escape or rejected op explains."""
    if not function.analyzed:
        return
    names, unconverted, leaked = function.other_names, function.unconverted, Fault.LEAKED
    for fault in function.faults:
        handle = fault.handle
        if fault.fault is not leaked or handle.escapes or handle in unconverted:
            continue
        if names and any(other.escapes for other in names.get(handle, ())):
            continue
        yield fault


def _last_token(function: AsyncFunction, handle: Handle, *, everywhere: bool) -> SSAValue:
    """Return the last token of a stream; with `everywhere`, the last in the block that creates the stream."""
    tokens = _kept(function, handle)
    if everywhere:
        block = handle.op.parent if handle.op is not None else None
        beside = [t for t in tokens if isinstance(t.owner, Operation) and t.owner.parent is block]
        tokens = beside or [handle.value]
    return max(tokens, key=lambda token: _position(function, token))


def _kept(function: AsyncFunction, handle: Handle) -> list[SSAValue]:
    """Return the tokens of the stream's ops that the greedy rewrite does not erase.

    A new use of any other token would keep its op from being erased."""
    makers = ((token, function.by_op.get(token.owner)) for token in handle.tokens)  # type: ignore[arg-type]
    return [token for token, maker in makers if maker is None or not maker.erased] or handle.tokens


def _position(function: AsyncFunction, value: SSAValue) -> int:
    return function.order.get(value.owner, -1) if isinstance(value.owner, Operation) else -1


def _fixes(function: AsyncFunction, fault: HandleFault) -> Iterator[Fix]:
    """Yield the fix that waits at the end of the stream's block, if the block has all of its work."""
    handle = fault.handle
    creator = handle.op
    block = creator.parent if creator is not None else None
    if not fault.certain or handle.waits or handle.passed or block is None or block.last_op is None:
        return
    users = [use.operation for token in handle.tokens for use in token.uses]
    end: Operation = block.last_op
    if any(_ancestor_in(use, block) is None for use in users):
        region = block.parent
        returns = function.returns
        if (
            region is None
            or region.parent is not function.op
            or block is not region.blocks[0]
            or len(returns) != 1
        ):
            return
        end = returns[0]
    here = [t for t in _kept(function, handle) if isinstance(t.owner, Operation) and t.owner.parent is block]
    token = max(here, key=lambda t: _position(function, t)) if here else handle.value
    editor = Editor(function)
    name = function.span_name(token)
    editor.before(end, f"gpu.wait [{name}]")
    place = "return" if end.name == "func.return" else "end of the block"
    yield Fix(f"Wait for {name} before the {place}", Safety.UNSAFE, editor.done(), "the host waits there")


def _obstacle(fault: HandleFault) -> str:
    """Explain why no fix adds a wait."""
    if not fault.certain:
        return "a wait at the end would also run on the other paths"
    if fault.handle.waits:
        return "another gpu.wait already waits for it"
    if fault.handle.passed:
        return "it is passed on as another value, which gpu.wait treats as an event"
    return "no single place follows all of its work"


def _ancestor_in(op: Operation, block: object) -> Operation | None:
    inner: Operation | None = op
    while inner is not None and inner.parent is not block:
        inner = inner.parent_op()
    return inner


RULE = Rule("GA401", "unawaited-token", Severity.WARNING, check)
