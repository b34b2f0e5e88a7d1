"""Translates calls, named intrinsics, and inline assembly."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.body import Body, Handler
from gpuasync_lsp.lowering.llvm_ir.reading import attribute, flags, int_list
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable, c_string, ir_type, symbol
from gpuasync_lsp.syntax.kinds import symbol_of, text_of


def _call(body: Body, op: Operation) -> None:
    callee = attribute(op, "callee")
    sizes = int_list(op, "operandSegmentSizes")
    operands = list(op.operands)[: sizes[0]] if sizes else list(op.operands)
    result = ir_type(op.results[0].type) if op.results else "void"
    variadic = attribute(op, "var_callee_type")
    if callee is not None:
        name = symbol_of(callee)
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
    sizes = int_list(op, "operandSegmentSizes")
    if sizes and sizes[0] < len(op.operands):
        raise Untranslatable("operand bundles are not translated to LLVM IR", op)
    body.invoke(op, text_of(attribute(op, "intrin")), [body.typed(o) for o in op.operands])


def _inline_asm(body: Body, op: Operation) -> None:
    effects = " sideeffect" if attribute(op, "has_side_effects") is not None else ""
    result = ir_type(op.results[0].type) if op.results else "void"
    quoted = c_string(text_of(attribute(op, "asm_string")).encode())[1:]
    call = (
        f"call {result} asm{effects} {quoted}, {c_string(text_of(attribute(op, 'constraints')).encode())[1:]}"
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
