"""A token yielded from async.execute that reaches the host as a raw stream.

## What happens
A `!gpu.async.token` yielded from async.execute is meant to become an event that is recorded on the stream. In
LLVM 18 to 22 it remains the raw stream, unrecorded and never destroyed, if and only if the NVVM dialect is
loaded while gpu-to-llvm runs: because of `#nvvm.target` or any nvvm op or attribute in the file, or
nvvm-attach-target, convert-gpu-to-nvvm, convert-nvgpu-to-nvvm or convert-nvvm-to-llvm in the same invocation.
The host then waits on a stream pointer as if it were an event, which does nothing, and races with the device.
PR 190717 (LLVM 23) always records an event; LLVM 16 never had the bug.

## What it does not report
- Tokens that become raw streams because of passes that neither the file nor the setting `pipeline` names.
- A token whose stream is not created in the function: an argument, or a token from another async.execute.

## Example
```mlir
%token, %value = async.execute -> !async.value<!gpu.async.token> {
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
  async.yield %t1 : !gpu.async.token
}
%event = async.await %value : !async.value<!gpu.async.token>
gpu.wait [%event]
```
Use instead, with `#nvvm.target` in the file:
```mlir
%token = async.execute {
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %dst, %src : memref<4xf32>, memref<4xf32>
  gpu.wait [%t1]
  async.yield
}
async.await %token : !async.token
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Handle, Kind
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.rules.stream_taken_for_event import is_async_value
from gpuasync_lsp.analysis.wording import defined_at, operand_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.text import Edit, Fix, Safety, Severity, Span

_RESULTS = re.compile(r"->\s*!async\.value<\s*!gpu\.async\.token\s*>\s*")


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find yields of streams in releases in which async.yield does not record an event."""
    profile = function.profile
    if not profile.yield_keeps_stream_with_nvvm or not function.context.nvvm_loaded:
        return
    for op, number, handle in function.yields:
        known = [m for m in handle.members if isinstance(m, Handle) and m.kind is Kind.STREAM]
        if not known or is_async_value(handle):
            continue
        yield Draft(
            operand_span(function, op, number),
            f"{profile.label} yields the raw stream here, not an event, because NVVM is loaded: the host "
            "does not wait for it.\nWait inside the region, or use LLVM 23.",
            defined_at(function, handle.value, "the stream is created here"),
            tuple(_fixes(function, op)),
        )


def _fixes(function: AsyncFunction, op: Operation) -> Iterator[Fix]:
    """Yield the fix that waits in the region and awaits only the task, if only waits use the token."""
    execute = op.parent_op()
    if execute is None or len(op.operands) != 1 or len(execute.results) != 2:
        return
    done, value = execute.results
    if done not in function.spans.values or value not in function.spans.values:
        return
    awaits = [use.operation for use in value.uses]
    if len(awaits) != 1 or awaits[0].name != "async.await" or len(awaits[0].results) != 1:
        return
    waits = list(awaits[0].results[0].uses)
    if any(use.operation.name != "gpu.wait" for use in waits) or len({u.operation for u in waits}) < len(
        waits
    ):
        return
    text, spans = function.spans.text, function.spans
    results = _RESULTS.search(text, spans.name(execute).end, text.index("{", spans.name(execute).end))
    names = (spans.result(done), spans.result(value))
    if results is None or names[0] is None or names[1] is None:
        return
    editor = Editor(function)
    editor.edits.append(Edit(Span(names[0].end, names[1].end), ""))
    begin = len(text[: results.start()].rstrip())
    editor.edits.append(Edit(Span(begin, results.end()), " "))
    whole = spans.op(op)
    indent = text[text.rfind("\n", 0, whole.start) + 1 : whole.start]
    token = spans.value_name(op.operands[0])
    editor.edits.append(Edit(whole, f"gpu.wait [{token}]\n{indent}async.yield"))
    editor.edits.append(Edit(spans.op(awaits[0]), f"async.await {spans.value_name(done)} : !async.token"))
    for use in waits:
        if len(use.operation.operands) == 1 and not use.operation.results:
            editor.remove(use.operation)
        elif not editor.drop_dependency(use.operation, use.index):
            return
    reason = "the thread of the region waits instead of the host"
    yield Fix("Wait inside the region", Safety.UNSAFE, editor.done(), reason)


def versions(profile: Profile) -> str:
    """Describe what async.yield returns."""
    return "raw stream if NVVM is loaded" if profile.yield_keeps_stream_with_nvvm else "recorded event"


RULE = Rule("GA205", "yielded-stream", Severity.ERROR, check, versions=versions)
