"""Expands gpu.launch_func into calls to the GPU runtime, like mlir-translate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.llvm_ir.body import Body, Handler
from gpuasync_lsp.lowering.llvm_ir.intrinsics import parameter_type
from gpuasync_lsp.lowering.llvm_ir.reading import attribute, int_list
from gpuasync_lsp.lowering.llvm_ir.translation import Line
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable, ir_type, symbol


def _launch(body: Body, op: Operation) -> None:
    """Expand a launch like mlir-translate: load module and function, fill parameters, call the runtime."""
    sizes = int_list(op, "operandSegmentSizes")
    groups: list[list[SSAValue]] = []
    start = 0
    for size in sizes:
        groups.append(list(op.operands)[start : start + size])
        start += size
    dependencies, grid, block, cluster = groups[0], groups[1:4], groups[4:7], groups[7:10]
    shared, arguments = groups[10], groups[11]
    stream_object = groups[12] if len(groups) > 12 else []
    if dependencies or len(op.results):
        raise Untranslatable("gpu.launch_func still has async tokens", op)
    kernel = attribute(op, "kernel")
    assert isinstance(kernel, SymbolRefAttr)
    container = kernel.root_reference.data
    entry = kernel.nested_references.data[-1].data
    handle = _module_handle(body, op, container)
    name = body.translation.string(f"{container}_{entry}_name", entry)
    function = _runtime(body, op, "ptr", "mgpuModuleGetFunction", [handle, f"ptr {name}"])
    parameters = _parameters(body, op, arguments)
    own_stream = not stream_object
    stream = (
        _runtime(body, op, "ptr", "mgpuStreamCreate", [])
        if own_stream
        else f"ptr {body.value(stream_object[0])}"
    )
    dims = [_as_i64(body, d[0]) for d in (*grid, *block)]
    memory = _as_i32(body, shared[0]) if shared else "i32 0"
    tail = [memory, stream, f"ptr {parameters}", "ptr null", f"i64 {len(arguments)}"]
    if all(cluster):
        dims = [_as_i64(body, d[0]) for d in cluster] + dims
        _runtime(body, op, "void", "mgpuLaunchClusterKernel", [function, *dims, *tail])
    else:
        _runtime(body, op, "void", "mgpuLaunchKernel", [function, *dims, *tail])
    if own_stream:
        _runtime(body, op, "void", "mgpuStreamSynchronize", [stream])
        _runtime(body, op, "void", "mgpuStreamDestroy", [stream])
    if body.module_sizes is not None:
        _runtime(body, op, "void", "mgpuModuleUnload", [handle])


def _module_handle(body: Body, op: Operation, container: str) -> str:
    if body.module_sizes is not None:
        blob, size = symbol(f"{container}_binary"), body.module_sizes.get(container, 0)
        return _runtime(body, op, "ptr", "mgpuModuleLoad", [f"ptr {blob}", f"i64 {size}"])
    name = body.fresh()
    body.put(f"{name} = load ptr, ptr {symbol(f'{container}_module')}")
    return f"ptr {name}"


def _parameters(body: Body, op: Operation, arguments: Sequence[SSAValue]) -> str:
    """Fill an array of pointers to the arguments, as cuLaunchKernel expects it."""
    array = body.fresh()
    body.slots.append(Line(f"  {array} = alloca ptr, i64 {max(len(arguments), 1)}"))
    for index, argument in enumerate(arguments):
        slot, place = body.fresh(), body.fresh()
        body.slots.append(Line(f"  {slot} = alloca {ir_type(argument.type)}"))
        body.put(f"store {body.typed(argument)}, ptr {slot}")
        body.put(f"{place} = getelementptr ptr, ptr {array}, i64 {index}")
        body.put(f"store ptr {slot}, ptr {place}")
    return array


def _runtime(body: Body, op: Operation, result: str, name: str, arguments: Sequence[str]) -> str:
    function = body.translation.declare(name, result, map(parameter_type, arguments))
    call = f"call {result} {function}({', '.join(arguments)})"
    if result == "void":
        body.put(call, op)
        return ""
    name = body.fresh()
    body.put(f"{name} = {call}", op)
    return f"{result} {name}"


def _as_i64(body: Body, value: SSAValue) -> str:
    type = ir_type(value.type)
    if type == "i64":
        return body.typed(value)
    name = body.fresh()
    body.put(f"{name} = sext {body.typed(value)} to i64")
    return f"i64 {name}"


def _as_i32(body: Body, value: SSAValue) -> str:
    if ir_type(value.type) == "i32":
        return body.typed(value)
    name = body.fresh()
    body.put(f"{name} = trunc {body.typed(value)} to i32")
    return f"i32 {name}"


HANDLERS: Mapping[str, Handler] = {
    "gpu.launch_func": _launch,
}
