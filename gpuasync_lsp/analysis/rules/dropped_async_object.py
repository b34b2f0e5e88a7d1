"""An explicit stream that gpu-to-llvm drops without a word.

## What happens
`gpu.launch_func <%stream : !llvm.ptr> ...` keeps its stream only if nothing about the op needs conversion.
With index dimensions, memref arguments, `async` or dependencies the op is rebuilt, and the explicit stream
is lost: the launch runs on another stream. From LLVM 18; 16 and 17 have no such operand.

## Where it is silent
- A launch with `async` or dependencies where the release refuses it with a stream: GA109 speaks.

## Example
```mlir
gpu.launch_func <%s : !llvm.ptr> @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
```
Use instead dimensions of type i64 and arguments of LLVM types, or tokens:
```mlir
%n_i64 = arith.index_cast %n : index to i64
gpu.launch_func <%s : !llvm.ptr> @kernels::@k blocks in (%n_i64, %n_i64, %n_i64)
    threads in (%n_i64, %n_i64, %n_i64) : i64
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.model.runtime import needs_conversion
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.analysis.rule import Draft, Rule
from gpuasync_lsp.analysis.wording import op_span
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.text import Edit, Fix, Safety, Severity, Span


def check(function: AsyncFunction) -> Iterator[Draft]:
    """Find launches that lose their stream."""
    profile = function.profile
    if not profile.async_object:
        return
    for info in function.launches:
        op = info.op
        if not info.has_object or not isinstance(op, LaunchFuncOp):
            continue
        if profile.async_object_conflict and (info.token is not None or info.deps):
            continue
        converted = [o for o in op.operands if needs_conversion(o.type)]
        if not converted and info.token is None:
            continue
        stream = op.async_object
        of_token = stream is not None and needs_conversion(stream.type)
        first = stream if of_token else converted[0] if converted else None
        why = "it is async" if first is None else f"{function.span_name(first)} has to be converted"
        instead = "Convert the operands to LLVM types first (i64 dimensions), or depend on a token."
        if of_token:
            instead = "A token goes into the dependencies: `gpu.launch_func async [...]`."
        span = function.spans.operand(op, len(op.operands) - 1)
        yield Draft(
            span or op_span(function, op),
            f"{profile.label} drops this stream without a message: {why}. The launch runs on another.\n"
            f"{instead}",
            fixes=tuple(_fixes(function, info, op)),
        )


def _fixes(function: AsyncFunction, info: AsyncOp, op: LaunchFuncOp) -> Iterator[Fix]:
    editor = Editor(function)
    if info.token is None and cast_sizes(function, editor, op):
        reason = "the launch then runs on this stream"
        yield Fix("Cast the sizes to i64", Safety.UNSAFE, editor.done(), reason)


def cast_sizes(function: AsyncFunction, editor: Editor, op: LaunchFuncOp) -> bool:
    """Make the sizes of a launch i64; tell whether no operand needs conversion then.

    An argument's type is the kernel's: that is for nobody else to change.
    """
    sizes = {*op.grid_size, *op.block_size, *(op.cluster_size or ())}
    stream = () if op.async_object is None else (op.async_object,)
    if any(needs_conversion(value.type) for value in (*op.kernel_operands, *stream)):
        return False
    if not any(needs_conversion(size.type) for size in sizes):
        return True
    last_size = function.spans.operand(op, len(op.async_dependencies) + 5)
    if last_size is None:
        return False
    names: dict[SSAValue, str] = {}
    for number, operand in enumerate(op.operands):
        place = function.spans.operand(op, number)
        if place is None or operand not in sizes:
            continue
        if operand not in names:
            old = function.span_name(operand)
            names[operand] = editor.fresh(f"{old[1:].replace('#', '_')}_i64")
            editor.before(op, f"{names[operand]} = arith.index_cast {old} : index to i64")
        editor.edits.append(Edit(place, names[operand]))
    close = function.spans.text.index(")", last_size.end) + 1
    editor.edits.append(Edit(Span(close, close), " : i64"))
    return True


def versions(profile: Profile) -> str:
    """Say whether there is such an operand."""
    return "dropped if anything is converted" if profile.async_object else "no async object"


RULE = Rule("GA207", "dropped-async-object", Severity.ERROR, check, versions=versions)
