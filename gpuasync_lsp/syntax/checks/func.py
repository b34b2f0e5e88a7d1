"""func: signatures, and the operands of returns (FuncOps.cpp)."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.view import First
from gpuasync_lsp.syntax.dialects import func
from gpuasync_lsp.syntax.dialects.assembly import check_dialect_attributes, fail, typed


def _verify_func(op: func.FuncOp) -> None:
    function_type = op.function_type
    for kind, attributes, types in (
        ("argument", op.arg_attrs, function_type.inputs.data),
        ("result", op.res_attrs, function_type.outputs.data),
    ):
        if attributes is not None and len(attributes.data) != len(types):
            fail(
                op,
                f"expects {kind} attribute array to have the same number of elements as the number of "
                f"function {kind}s, got {len(attributes.data)}, but expected {len(types)}",
            )
        check_dialect_attributes(op, f"{kind}s", attributes)
    entry = op.body.blocks.first
    if entry is None:
        if op.sym_visibility is None or op.sym_visibility.data == "public":
            fail(op, "symbol declaration cannot have public visibility")
        return
    inputs = op.function_type.inputs.data
    if len(entry.args) != len(inputs):
        fail(op, f"entry block must have {len(inputs)} arguments to match function signature")
    for index, (argument, type) in enumerate(zip(entry.args, inputs, strict=True)):
        if argument.type != type:
            fail(
                op,
                f"type of entry block argument #{index}({typed(argument.type)}) must match the type of "
                f"the corresponding argument in function signature({typed(type)})",
            )


def _verify_return(op: func.ReturnOp) -> None:
    function = op.parent_op()
    if not isinstance(function, func.FuncOp):
        return
    results = function.function_type.outputs.data
    name = function.sym_name.data
    if len(op.arguments) != len(results):
        fail(op, f"has {len(op.arguments)} operands, but enclosing function (@{name}) returns {len(results)}")
    for index, (argument, type) in enumerate(zip(op.arguments, results, strict=True)):
        if argument.type != type:
            fail(
                op,
                f"type of return operand {index} ({typed(argument.type)}) doesn't match function result "
                f"type ({typed(type)}) in function @{name}",
            )


FIRST: First = {"func.func": _verify_func, "func.return": _verify_return}
