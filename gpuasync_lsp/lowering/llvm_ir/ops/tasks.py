"""Translates async.execute, whose body runs in place, and the ops that wait for it.

In a program to be executed, calls mark the beginning and end of a body, and the waits for it. A token
is the number of its body, as a pointer; if the awaited body is unknown, null represents all bodies that
have ended.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.llvm_ir.body import Body, Handler
from gpuasync_lsp.lowering.llvm_ir.reading import op_name
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable

BEGIN, END, AWAIT = "gpuasync_body_begin", "gpuasync_body_end", "gpuasync_body_await"
CREATE_GROUP, ADD_TO_GROUP, AWAIT_GROUP = (
    "gpuasync_group_create",
    "gpuasync_group_add",
    "gpuasync_group_await",
)


def _execute(body: Body, op: Operation) -> None:
    blocks = list(op.regions[0].blocks)
    if len(blocks) != 1:
        raise Untranslatable("async.execute with several blocks", op)
    tells = body.translation.tells_bodies
    if tells:
        body.put(f"call void {body.translation.declare(BEGIN, 'void', [])}()", op)
        for operand in op.operands:
            _wait_for(body, op, operand)
    for inner in blocks[0].ops:
        body.operation(inner)
    if tells:
        function = body.translation.declare(END, "ptr", [])
        body.put(f"{body.value(op.results[0])} = call ptr {function}()", op)


def _await(body: Body, op: Operation) -> None:
    if body.translation.tells_bodies:
        _wait_for(body, op, op.operands[0])


def _wait_for(body: Body, op: Operation, awaited: SSAValue) -> None:
    token = "null"
    if awaited.type.name == "async.token":
        token = body.value(awaited)
    elif isinstance(awaited, OpResult) and op_name(awaited.op) == "async.execute":
        token = body.value(awaited.op.results[0])
    body.put(f"call void {body.translation.declare(AWAIT, 'void', ['ptr'])}(ptr {token})", op)


def _create_group(body: Body, op: Operation) -> None:
    _only_in_runs(body, op)
    body.define(op, f"call ptr {body.translation.declare(CREATE_GROUP, 'ptr', [])}()")


def _add_to_group(body: Body, op: Operation) -> None:
    _only_in_runs(body, op)
    if op.results[0].uses:
        raise Untranslatable("the rank of a token in an async.group cannot be determined at run time", op)
    token, group = (body.value(operand) for operand in op.operands)
    function = body.translation.declare(ADD_TO_GROUP, "void", ["ptr", "ptr"])
    body.put(f"call void {function}(ptr {token}, ptr {group})", op)


def _await_group(body: Body, op: Operation) -> None:
    _only_in_runs(body, op)
    function = body.translation.declare(AWAIT_GROUP, "void", ["ptr"])
    body.put(f"call void {function}(ptr {body.value(op.operands[0])})", op)


def _only_in_runs(body: Body, op: Operation) -> None:
    if not body.translation.tells_bodies:
        raise Untranslatable(f"{op_name(op)} has not been converted to the llvm dialect", op)


HANDLERS: Mapping[str, Handler] = {
    "async.execute": _execute,
    "async.await": _await,
    "async.create_group": _create_group,
    "async.add_to_group": _add_to_group,
    "async.await_all": _await_group,
}
