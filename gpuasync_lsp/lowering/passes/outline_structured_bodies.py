"""Outlines loops and branches in bodies of async.execute for execution: a body must be a single block.

MLIR outlines the whole body with async-to-async-runtime; gpu-to-llvm does not support the output of that
pass.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from gpuasync_lsp.syntax.captures import captured
from gpuasync_lsp.syntax.dialects import func, gpu
from gpuasync_lsp.syntax.dialects.async_dialect import ExecuteOp


def outline_structured_bodies(module: ModuleOp) -> None:
    """Outline the structured ops in each async.execute of `module`, in place.

    Ops that use or return a token or an async value are not outlined: in a new function, the token would have
    a different kind of handle.
    """
    count = 0
    for function in list(module.ops):
        if not isinstance(function, func.FuncOp):
            continue
        for op in list(function.walk()):
            if (
                isinstance(op.parent_op(), ExecuteOp)
                and op.regions
                and not isinstance(op, ExecuteOp | gpu.LaunchOp)
            ):
                values = captured([op])
                if not any(
                    value.type.name.startswith(("async.", "gpu.async.")) for value in (*values, *op.results)
                ):
                    module.body.block.insert_op_after(
                        _outlined(op, values, f"gpuasync.body.{count}"), function
                    )
                    count += 1


def _outlined(op: Operation, values: list[SSAValue], name: str) -> func.FuncOp:
    """Replace `op` with a call to a new function that contains it; return the function."""
    results = list(op.results)
    types = [result.type for result in results]
    call = func.CallOp.create(operands=values, result_types=types, properties={"callee": SymbolRefAttr(name)})
    call.location = op.location
    block = op.parent_block()
    assert block is not None
    block.insert_op_before(call, op)
    for result, new in zip(results, call.results, strict=True):
        result.replace_all_uses_with(new)
    op.detach()
    body = Block([op], arg_types=[value.type for value in values])
    arguments = dict(zip(values, body.args, strict=True))
    for inner in op.walk():
        inner.operands = [arguments.get(operand, operand) for operand in inner.operands]
    body.add_op(func.ReturnOp.create(operands=results))
    function = func.FuncOp.create(
        properties={
            "sym_name": StringAttr(name),
            "sym_visibility": StringAttr("private"),
            "function_type": FunctionType.from_lists([value.type for value in values], types),
        },
        regions=[Region(body)],
    )
    function.location = op.location
    return function
