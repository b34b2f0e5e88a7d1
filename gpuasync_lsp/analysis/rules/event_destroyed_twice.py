"""An event that two waits destroy.

## What happens
gpu.wait, blocking or not, destroys each event among its operands (`mgpuEventDestroy`). If a token from
async.await, a function argument or a call result is an operand of two waits, it is destroyed twice, and the
second wait uses a destroyed handle.

A `gpu.wait async [%t]` in a loop has the same bug if the stream of %t is created outside the loop: the event
is created and recorded once, directly after the op that defines %t, and destroyed in every iteration.

## What it does not report
- A callee that destroys the event passed to it on only some paths, or whose body is in another file.
- Paths that take too long to search, if they determine which event is used.
- Functions with a syntax error.

## Example
```mlir
func.func @wait(%event: !gpu.async.token) {
  gpu.wait [%event]
  gpu.wait [%event]
  return
}
```
Use instead:
```mlir
func.func @wait(%event: !gpu.async.token) {
  gpu.wait [%event]
  return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuasync_lsp.analysis.model.function import AsyncFunction, Fault, HandleFault, Kind
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import at_op, defined_at, operand_span
from gpuasync_lsp.syntax.symbols import symbol_text
from gpuasync_lsp.text import Fix, Safety, Severity


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find waits for an event that another wait may have destroyed."""
    for fault in function.faults:
        handle = fault.handle
        if fault.fault is Fault.EVENT_DESTROYED_TWICE:
            yield _event_of_join(function, fault)
            continue
        if fault.fault is not Fault.DESTROYED_TWICE or handle.kind not in (Kind.OPAQUE, Kind.LEFT):
            continue
        assert fault.earlier is not None
        where = f" {fault.path}" if fault.path else ""
        name = function.span_name(handle.value)
        fixes = tuple(_fixes(function, fault))
        yield Draft(
            operand_span(function, fault.op, fault.operand),
            f"{name} is destroyed again here{where}: {_destroys(fault)}.\n"
            f"Wait for {name} once, and order later work after that."
            + (
                ""
                if fixes
                else " No automatic fix: which of the waits comes first depends on the path, is in a called "
                "function, or is needed by other work."
            ),
            (
                *at_op(function, fault.earlier.op, "destroyed here the first time"),
                *defined_at(function, handle.value, f"{name} is defined here"),
            ),
            fixes,
        )


def _destroys(fault: HandleFault) -> str:
    callee = callee_of(fault.op)
    if callee is not None:
        return f"{symbol_text(callee)} waits for the event that is passed to it, and destroys it"
    return "each gpu.wait destroys the events among its operands"


def _event_of_join(function: AsyncFunction, fault: HandleFault) -> Draft:
    value = function.by_op[fault.op].deps[fault.operand or 0]
    name = function.span_name(value)
    return Draft(
        operand_span(function, fault.op, fault.operand),
        f"The event for {name} is recorded once, where {name} is defined, and destroyed here again "
        f"{fault.path}.\nJoin it outside the loop, or define the token inside it. No automatic fix: either "
        "may be intended.",
        defined_at(function, value, "the event is created and recorded here"),
    )


def _fixes(function: AsyncFunction, fault: HandleFault) -> Iterator[Fix]:
    info = function.by_op.get(fault.op)
    earlier = fault.earlier
    if info is None or earlier is None or earlier.op.parent is not fault.op.parent or fault.operand is None:
        return
    if info.token is not None or fault.path or not earlier.blocking:
        return
    editor = Editor(function)
    if len(info.deps) == 1:
        editor.remove(fault.op)
    elif not editor.drop_dependency(fault.op, fault.operand):
        return
    yield Fix(f"Wait for {function.span_name(fault.handle.value)} once", Safety.SAFE, editor.done())


RULE = Rule("GA206", "event-destroyed-twice", Severity.ERROR, check)
