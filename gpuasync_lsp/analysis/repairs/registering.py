"""Make host memory known to the driver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from gpuasync_lsp.analysis.model.function import AsyncFunction, Buffer
from gpuasync_lsp.analysis.repairs.edits import Editor
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Fix, Safety


def register(function: AsyncFunction, buffer: Buffer) -> Iterator[Fix]:
    """Yield the repair that registers a buffer behind its allocation, where the text shows it."""
    kind: Attribute = buffer.value.type
    owner = buffer.op
    if owner is None or not isinstance(kind, MemRefType) or owner not in function.spans.ops:
        return
    editor = Editor(function)
    pinned = editor.fresh("pinned")
    element = attribute_text(cast("MemRefType", kind).element_type)
    name, shaped = function.span_name(buffer.value), attribute_text(buffer.value.type)
    editor.after(
        owner,
        f"{pinned} = memref.cast {name} : {shaped} to memref<*x{element}>",
        f"gpu.host_register {pinned} : memref<*x{element}>",
    )
    if "gpu.host_unregister" not in function.profile.missing_ops:
        # Memory that is freed while it is registered stays page-locked.
        for use in buffer.value.uses:
            if use.operation.name == "memref.dealloc" and use.operation in function.spans.ops:
                editor.before(use.operation, f"gpu.host_unregister {pinned} : memref<*x{element}>")
    yield Fix(
        "Register it with `gpu.host_register`", Safety.UNSAFE, editor.done(), "it page-locks the memory"
    )
