"""Replaces ops without a lowering with calls to functions written as MLIR text."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import insert_before
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.func import CallOp
from gpuasync_lsp.syntax.provenance import module_of
from gpuasync_lsp.syntax.source import parse_source
from gpuasync_lsp.syntax.symbols import symbol_name


def call_text(
    source: Operation, text: str, operands: Sequence[SSAValue], results: Sequence[Attribute]
) -> Operation:
    """Add the function in `text` to the kernel's module, and insert a call to it before `source`.

    In `text` the function is named `@NAME`; it gets a unique name. Its ops get the location of
    `source`, which the call replaces. Returns the call.
    """
    module: Operation | None = source
    while module is not None and not isinstance(module, gpu.GPUModuleOp):
        module = module.parent_op()
    assert module is not None, "the op is in a kernel"
    body = module.regions[0].blocks[0]
    taken = {symbol_name(op) for op in body.ops}
    number = next(n for n in range(len(taken) + 1) if f"gpuasync_{n}" not in taken)
    name = f"gpuasync_{number}"
    (chunk,) = parse_source(text.replace("@NAME", f"@{name}")).chunks
    (function,) = module_of(chunk).ops
    function.detach()
    for op in function.walk():
        op.location = source.location
    first = body.first_op
    assert first is not None, "the module contains the kernel"
    body.insert_op_before(function, first)
    call = CallOp.create(
        operands=operands, result_types=results, properties={"callee": SymbolRefAttr(StringAttr(name))}
    )
    insert_before(source, call)
    return call
