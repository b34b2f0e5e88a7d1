"""Loops and branches in bodies of async.execute become functions, for a run: a body is a single block.

MLIR has the whole body outlined, by async-to-async-runtime, which gpu-to-llvm cannot follow.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from gpuasync_lsp.syntax.captures import captured
from gpuasync_lsp.syntax.dialects import func, gpu
from gpuasync_lsp.syntax.dialects.async_dialect import ExecuteOp


def outline_structured_bodies(module: ModuleOp) -> None:
    """Outline what is structured in each async.execute of `module`, in place.

    What takes or gives a token or an async value stays: another function would get another kind of handle.
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
                if not any(_is_async(value) for value in (*values, *op.results)):
                    module.body.block.insert_op_after(
                        _outlined(op, values, f"gpuasync.body.{count}"), function
                    )
                    count += 1


def _is_async(value: SSAValue) -> bool:
    return value.type.name.startswith(("async.", "gpu.async."))


def _outlined(op: Operation, values: list[SSAValue], name: str) -> func.FuncOp:
    """Replace `op` by a call of a function that has it; return that."""
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
