"""Host code that breaks the capture of its caller's stream into a CUDA graph.

## What happens
A function that is given its stream as a token has its work put into the caller's order, and into the CUDA
graph that the caller may be capturing. While a stream is captured, the host must not wait for the device, nor
call what is not stream-ordered: the capture fails, `cudaErrorStreamCaptureUnsupported`. Work on a stream that
the function makes itself is not captured, and nothing orders it with the caller's.
Forbidden are, by the CUDA programming guide ("Prohibited and Unhandled Operations") and the driver API
(cuThreadExchangeStreamCaptureMode): synchronization, also of a launch without `async`; allocations and frees,
as the runtime's mgpuMemAlloc and mgpuMemFree ignore their stream in all releases; registered memory;
synchronous copies. A function of the file that is called counts with what its body does.

## Where it is silent
- A function that has no token argument, or one that it only waits for: that is an event.
- A function with a wait of its own (`gpu.wait [...]`) cannot be meant for capture: it is checked only if the
  settings name this rule, by `select` or with a severity.
- Functions without a body, but for those of CUDA, HIP and MLIR's runtime that are known.
- The host's own use of memory that the stream may still work on: GA302 reports it.

## Example
```mlir
func.func @f(%stream: !gpu.async.token) {
  gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
}
```
Use instead:
```mlir
func.func @f(%stream: !gpu.async.token) {
  %0 = gpu.launch_func async [%stream] @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.capture import Breaks, breaks_capture
from gpuasync_lsp.analysis.model.function import AsyncFunction
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import defined_at, op_span
from gpuasync_lsp.syntax.symbols import symbol_text
from gpuasync_lsp.text import Severity

_ADVICE = {
    Breaks.LAUNCHES_ALONE: "Launch it `async` on {}.",
    Breaks.CREATES: "Depend on {}.",
    Breaks.WAITS: "Leave it to the caller to wait for its stream.",
    Breaks.ALLOCATES: "Take the memory as an argument, or allocate it before the capture.",
    Breaks.REGISTERS: "Register it before the capture.",
    Breaks.COPIES: "Copy with `gpu.memcpy async` on {}.",
}


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find what breaks the capture of a stream that the function is given."""
    given = [handle for handle in function.given if handle.given_as == "stream"]
    if not given or not function.analysed:
        return
    has_wait = any(op.name == "gpu.wait" and op.token is None and op.deps for op in function.ops)
    name = function.span_name(given[0].value)
    for op in function.order:
        info = function.by_op.get(op)
        if (info is not None and info.erased) or not function.is_reached(op):
            continue
        found = breaks_capture(op)
        what = f"This {op.name}"
        if found is None and (callee := callee_of(op)) is not None:
            found = function.context.breaking.get(callee)
            what = symbol_text(callee)
            if found is not None and _is_reported_there(function, callee, op):
                continue
        if found is not None:
            yield Draft(
                op_span(function, op),
                f"{what} {found.value}: {name} cannot be captured into a graph.\n"
                f"{_ADVICE[found].format(name)}",
                defined_at(function, given[0].value, "the caller's stream"),
                only_named=has_wait,
            )


def _is_reported_there(function: AsyncFunction, callee: str, call: Operation) -> bool:
    """Tell whether the callee is given the stream, and says itself what breaks it."""
    is_given = any(handle is not None and handle.is_given for handle in map(function.handle, call.operands))
    return is_given and callee in function.context.lending


RULE = Rule("GA509", "breaks-capture", Severity.INFORMATION, check)
