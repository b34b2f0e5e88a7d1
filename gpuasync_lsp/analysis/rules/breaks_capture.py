"""Host code that breaks the capture of its caller's stream into a CUDA graph.

## What happens
The work of a function that takes its stream as a token argument is enqueued in the caller's order, and
becomes part of the CUDA graph that the caller may be capturing. During the capture of a stream, the host must
not wait for the device, nor call functions that are not stream-ordered: otherwise the capture fails with
`cudaErrorStreamCaptureUnsupported`. Work on a stream that the function creates itself is not captured, and is
not ordered with the caller's.

According to the CUDA programming guide ("Prohibited and Unhandled Operations") and the driver API
(cuThreadExchangeStreamCaptureMode), the following is prohibited: synchronization, including that of a launch
without `async`; allocations and frees, because the runtime's mgpuMemAlloc and mgpuMemFree ignore their stream
in all releases; registering memory; synchronous copies. For calls of functions in the file, the rule checks
the functions' bodies.

## What it does not report
- A function that has no token argument, or only waits for it, in which case the argument is an event.
- A function with its own wait (`gpu.wait [...]`), which cannot be meant for capture, unless the settings name
  this rule in `select` or with a severity.
- Functions without a body, except the known ones of CUDA, HIP and MLIR's runtime.
- Host accesses to memory that the stream may still use: GA302 reports them.

## Example
```mlir
func.func @f(%n: index, %stream: !gpu.async.token) {
  gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
  return
}
```
Use instead:
```mlir
func.func @f(%n: index, %stream: !gpu.async.token) {
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
    Breaks.WAITS: "Let the caller wait for its stream.",
    Breaks.ALLOCATES: "Take the memory as an argument, or allocate it before the capture.",
    Breaks.FREES: "Free the memory after the capture.",
    Breaks.REGISTERS: "Register it before the capture.",
    Breaks.COPIES: "Copy with `gpu.memcpy async` on {}.",
}


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find ops that break the capture of a stream argument."""
    given = [handle for handle in function.given if handle.given_as == "stream"]
    if not given or not function.analyzed:
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
                f"{what} {found.value}, so the stream of {name} cannot be captured into a graph.\n"
                f"{_ADVICE[found].format(name)}",
                defined_at(function, given[0].value, "the caller's stream"),
                only_named=has_wait,
            )


def _is_reported_there(function: AsyncFunction, callee: str, call: Operation) -> bool:
    """Return whether the stream is passed to the callee, so that the finding is in the callee."""
    is_given = any(handle is not None and handle.is_given for handle in map(function.handle, call.operands))
    return is_given and callee in function.context.lending


RULE = Rule("GA509", "breaks-capture", Severity.INFORMATION, check)
