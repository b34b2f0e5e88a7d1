"""async: types of values that enter and leave regions, and of function results (Async.cpp)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import First
from gpuasync_lsp.syntax.dialects.assembly import fail
from gpuasync_lsp.syntax.dialects.async_dialect import (
    AwaitOp,
    ExecuteOp,
    FuncOp,
    ReturnOp,
    TokenType,
    ValueType,
    YieldOp,
)


def _verify_execute(op: ExecuteOp) -> None:
    body = op.body_region.blocks[0]
    _check_edge(op, "parent to Region #0", op.body_operands.types, body.arg_types)
    if isinstance(body.last_op, YieldOp):
        yielded = body.last_op.arguments.types
        _check_edge(op, "Operation async.yield to parent", yielded, op.body_results.types)


def _verify_await(op: AwaitOp) -> None:
    awaited, result = op.operand.type, None if op.result is None else op.result.type
    if isinstance(awaited, TokenType) and result is not None:
        fail(op, "awaiting on a token must have empty result")
    if isinstance(awaited, ValueType) and result != awaited.value_type:
        fail(op, f"result type '{result}' does not match async value type '{awaited.value_type}'")


def _verify_func(op: FuncOp) -> None:
    results = op.function_type.outputs.data
    if not results:
        fail(op, "result is expected to be at least of size 1, but got 0")
    for index, result in enumerate(results):
        if not isinstance(result, TokenType | ValueType):
            kinds = "async value type or async token type"
            fail(op, f"result type must be {kinds}, but got '{result}'")
        if index and isinstance(result, TokenType):
            # MLIR's message has two spaces here.
            token = "' (optional) async token type is expected to appear as the 1st return value"
            fail(op, f" results{token}, but got {index + 1}")


def _verify_return(op: ReturnOp) -> None:
    function = op.parent_op()
    if not isinstance(function, FuncOp):
        return
    results = function.function_type.outputs.data
    values = [result.value_type for result in results if isinstance(result, ValueType)]
    is_async = all(isinstance(result, TokenType | ValueType) for result in results)
    if is_async and list(op.arguments.types) != values:
        fail(op, "operand types do not match the types returned from the parent FuncOp")


def _check_edge(op: ExecuteOp, edge: str, operands: Sequence[Attribute], inputs: Sequence[Attribute]) -> None:
    """Raise a VerifyException if the types of the values passed along a control-flow edge do not match."""
    start = f"along control flow edge from {edge}: "
    if len(operands) != len(inputs):
        count = f"region branch point has {len(operands)} operands, but region successor needs {len(inputs)}"
        fail(op, f"{start}{count} inputs")
    for index, (operand, needed) in enumerate(zip(operands, inputs, strict=True)):
        if _awaited(operand) != _awaited(needed):
            given = f"successor operand type #{index} '{operand}'"
            fail(op, f"{start}{given} should match successor input type #{index} '{needed}'")


def _awaited(type: Attribute) -> Attribute:
    return type.value_type if isinstance(type, ValueType) else type


FIRST: First = {
    "async.await": _verify_await,
    "async.execute": _verify_execute,
    "async.func": _verify_func,
    "async.return": _verify_return,
}
