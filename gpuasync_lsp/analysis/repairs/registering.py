"""Repair that registers host memory with the driver."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Attribute, Operation

from gpuasync_lsp.analysis.model.function import AsyncFunction, Buffer
from gpuasync_lsp.analysis.model.memory.scopes import ends_scope
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.syntax.kinds import is_memref
from gpuasync_lsp.syntax.ods.table import has_op
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Fix, Safety


def register(function: AsyncFunction, buffer: Buffer) -> Iterator[Fix]:
    """Yield the fix that registers a buffer after its allocation and unregisters it before its frees.

    There is no fix if the buffer escapes, if some of its frees are unknown, or if device work on it may still
    be running when it is freed, which has to be repaired first."""
    kind: Attribute = buffer.value.type
    owner = buffer.op
    if owner is None or not is_memref(kind) or owner not in function.spans.ops:
        return
    ends = _ends(function, buffer, owner)
    if ends is None or any(race.second.op in ends for race in function.races):
        return
    editor = Editor(function)
    pinned = editor.fresh("pinned")
    element = attribute_text(kind.element_type)
    name, shaped = function.span_name(buffer.value), attribute_text(buffer.value.type)
    editor.after(
        owner,
        f"{pinned} = memref.cast {name} : {shaped} to memref<*x{element}>",
        f"gpu.host_register {pinned} : memref<*x{element}>",
    )
    if has_op("gpu.host_unregister", function.profile.version):
        # Memory that is freed while it is registered remains page-locked.
        for end in ends:
            editor.before(end, f"gpu.host_unregister {pinned} : memref<*x{element}>")
    title = f"Register {name} with `gpu.host_register`"
    yield Fix(title, Safety.UNSAFE, editor.done(), "it page-locks the memory")


def _ends(function: AsyncFunction, buffer: Buffer, owner: Operation) -> list[Operation] | None:
    """Return the ops before which a buffer must be unregistered; None if some of them are unknown."""
    if owner.name == "memref.alloca":
        # An alloca lives until the end of its scope, whose blocks may branch to each other.
        last = owner.parent.last_op if owner.parent is not None else None
        return [last] if last is not None and ends_scope(last) and last in function.spans.ops else None
    frees = list(function.frees.get(buffer, ()))
    uses = (use.operation for use in buffer.value.uses)
    frees += [op for op in uses if op.name == "memref.dealloc" and op not in frees]
    if any(op.name != "memref.dealloc" or op not in function.spans.ops for op in frees):
        return None
    return sorted(frees, key=lambda op: function.spans.op(op).start)
