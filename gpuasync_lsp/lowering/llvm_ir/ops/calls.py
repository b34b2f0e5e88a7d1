"""Calls, named intrinsics, and inline assembly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.body import Body, Handler
from gpuasync_lsp.lowering.llvm_ir.reading import attribute, flags, int_list
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable, c_string, ir_type, symbol


def _call(body: Body, op: Operation) -> None:
    callee: Any = attribute(op, "callee")
    sizes = int_list(op, "operandSegmentSizes")
    operands = list(op.operands)[: sizes[0]] if sizes else list(op.operands)
    result = ir_type(op.results[0].type) if op.results else "void"
    variadic: Any = attribute(op, "var_callee_type")
    if callee is not None:
        name = callee.root_reference.data
        function = symbol(name)
        if variadic is None:
            body.translation.declare(name, result, [ir_type(o.type) for o in operands])
    else:
        function = body.value(operands.pop(0))
    type = ir_type(variadic) if variadic is not None else result
    text = f"call{flags(op)} {type} {function}({', '.join(body.typed(o) for o in operands)})"
    if op.results:
        body.define(op, text)
    else:
        body.put(text, op)


def _call_intrinsic(body: Body, op: Operation) -> None:
    name: Any = attribute(op, "intrin")
    sizes = int_list(op, "operandSegmentSizes")
    if sizes and sizes[0] < len(op.operands):
        raise Untranslatable("operand bundles are not translated to LLVM IR", op)
    body.invoke(op, name.data, [body.typed(o) for o in op.operands])


def _inline_asm(body: Body, op: Operation) -> None:
    text: Any = attribute(op, "asm_string")
    constraints: Any = attribute(op, "constraints")
    effects = " sideeffect" if attribute(op, "has_side_effects") is not None else ""
    result = ir_type(op.results[0].type) if op.results else "void"
    quoted = c_string(text.data.encode())[1:]
    call = (
        f"call {result} asm{effects} {quoted}, {c_string(constraints.data.encode())[1:]}"
        f"({', '.join(body.typed(o) for o in op.operands)})"
    )
    if op.results:
        body.define(op, call)
    else:
        body.put(call, op)


HANDLERS: Mapping[str, Handler] = {
    "llvm.call": _call,
    "llvm.call_intrinsic": _call_intrinsic,
    "llvm.inline_asm": _inline_asm,
}
