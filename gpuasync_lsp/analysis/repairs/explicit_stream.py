"""Repairs of launches with an explicit stream (`<%stream : ...>`) and dependencies: keep one of the two."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import SSAValue

from gpuasync_lsp.analysis.model.function import AsyncFunction, AsyncOp
from gpuasync_lsp.analysis.model.runtime import needs_conversion
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp, LaunchOp
from gpuasync_lsp.text import Edit, Fix, Safety, Span


def keep_one(function: AsyncFunction, info: AsyncOp, op: LaunchFuncOp | LaunchOp) -> Iterator[Fix]:
    """Yield two fixes: one keeps the dependencies of a launch, the other its explicit stream."""
    span = function.spans.operand(op, len(op.operands) - 1)
    text = function.spans.text
    start, end = (-1, -1) if span is None else (text.rfind("<", 0, span.start), text.find(">", span.end))
    if span is not None and start >= 0 and end >= 0 and not text[start + 1 : span.start].strip():
        edit = Edit(Span(start, end + 1 + (text[end + 1 : end + 2] == " ")), "")
        reason = "the launch runs on the stream of its dependencies"
        yield Fix("Drop the explicit stream", Safety.UNSAFE, (edit,), reason)
    if isinstance(op, LaunchFuncOp):
        yield from _keep_the_stream(function, info, op)


def _keep_the_stream(function: AsyncFunction, info: AsyncOp, op: LaunchFuncOp) -> Iterator[Fix]:
    """Yield the fix that drops `async` and the dependencies, if only blocking waits use the token.

    These waits then wait on the dependencies."""
    editor = Editor(function)
    if not editor.keywords(op, False, ()) or not cast_sizes(function, editor, op):
        return
    if info.token is not None:
        users = [use.operation for use in info.token.uses]
        if any(user.name != "gpu.wait" or user.results for user in users):
            return
        names = [function.span_name(dep) for dep in info.deps]
        for user in users:
            taken = [function.span_name(v) for v in user.operands if v is not info.token]
            editor.dependencies(user, list(dict.fromkeys((*taken, *names))))
            if not taken and not names:
                return
        editor.drop_token(op)
    reason = "the launch runs on the explicit stream, and nothing here waits for it"
    yield Fix("Keep the explicit stream only", Safety.UNSAFE, editor.done(), reason)


def cast_sizes(function: AsyncFunction, editor: Editor, op: LaunchFuncOp) -> bool:
    """Cast the sizes of a launch to i64; return whether no operand needs type conversion afterwards.

    Arguments cannot be cast, since the kernel determines their types.
    """
    sizes = {*op.grid_size, *op.block_size, *(op.cluster_size or ())}
    stream = () if op.async_object is None else (op.async_object,)
    if any(needs_conversion(value.type) for value in (*op.kernel_operands, *stream)):
        return False
    if not any(needs_conversion(size.type) for size in sizes):
        return True
    if function.spans.is_generic(op):
        return False
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
