"""gpu.launch_func in LLVM 16 to 18 becomes the whole launch, from loading the binary to unloading it.

The binary is in the gpu.module's attribute that the option `gpu-binary-annotation` specifies. Each
launch creates global strings for the binary and the kernel's name, so two launches of one module define
a symbol twice. LLVM 18 does this only for modules without targets.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr, i8, i32, i64
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion import runtime
from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, array, struct
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu.launch_func import (
    LegalizeLaunchFunc,
    kernel_arguments,
    launch_stream,
)
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu.requirements import demand_preconditions
from gpuasync_lsp.syntax.dialects.gpu import GPUModuleOp, LaunchFuncOp


class LaunchKernel(ConversionPattern[LaunchFuncOp]):
    """Loads the module, launches the kernel, and unloads the module without waiting for the kernel."""

    def match_and_rewrite(self, op: LaunchFuncOp, rewriter: ConversionRewriter) -> None:
        demand_preconditions(op, rewriter)
        container = op.kernel.root_reference.data
        kernel = op.kernel.nested_references.data[-1].data
        module = _lookup(op, container)
        if rewriter.profile.keeps_targeted_launches and (module is None or has_targets(module)):
            return LegalizeLaunchFunc().match_and_rewrite(op, rewriter)
        binary = _binary(module, rewriter)
        says_sizes = rewriter.profile.launches_say_sizes

        data = global_string(rewriter, f"{container}_gpubin_cst", binary)
        if says_sizes:
            size = build.integer_constant(rewriter, len(binary.encode()), i64)
            loaded = runtime.call_value(rewriter, "mgpuModuleLoad", data, size)
        else:
            loaded = runtime.call_value(rewriter, "mgpuModuleLoad", data)
        arguments = kernel_arguments(op, rewriter)
        count = [build.integer_constant(rewriter, len(arguments), i64)] if says_sizes else []
        name = global_string(rewriter, f"{container}_{kernel}_kernel_name", kernel + "\0")
        function = runtime.call_value(rewriter, "mgpuModuleGetFunction", loaded, name)
        no_memory = build.integer_constant(rewriter, 0, i32)
        stream = launch_stream(op, rewriter)
        if stream is None:
            stream = runtime.call_value(rewriter, runtime.STREAM_CREATE)
        parameters = _parameters(rewriter, arguments)
        extra = build.zero(rewriter)
        grid = (op.grid_size_x, op.grid_size_y, op.grid_size_z)
        block = (op.block_size_x, op.block_size_y, op.block_size_z)
        sizes = rewriter.lowered_all([*grid, *block])
        shared = op.dynamic_shared_memory_size
        memory = no_memory if shared is None else rewriter.lowered(shared)
        runtime.call(
            rewriter, "mgpuLaunchKernel", function, *sizes, memory, stream, parameters, extra, *count
        )
        if op.async_token is None:
            runtime.call(rewriter, "mgpuStreamSynchronize", stream)
            runtime.call(rewriter, "mgpuStreamDestroy", stream)
        runtime.call(rewriter, "mgpuModuleUnload", loaded)
        rewriter.replace(op, [] if op.async_token is None else [stream])
        return None


class EraseModule(ConversionPattern[GPUModuleOp]):
    """Erases a gpu.module, whose binary is already in a global string."""

    def match_and_rewrite(self, op: GPUModuleOp, rewriter: ConversionRewriter) -> None:
        rewriter.erase(op)


def global_string(rewriter: ConversionRewriter, name: str, text: str) -> SSAValue:
    """Insert a global with `text` at the start of the module; return the address of its first byte.

    A duplicate name is not detected here; the verifier rejects it after the pass."""
    module = runtime.enclosing_module(rewriter.op)
    type = array(len(text.encode()), i8)
    with rewriter.at_start(module.body.block):
        made = rewriter.add(build.global_constant(name, type, StringAttr(text), "internal"))
    rewriter.declared.append(made)
    address = build.address_of(rewriter, name)
    return build.element_pointer(rewriter, address, type, [0, 0])


def _parameters(rewriter: ConversionRewriter, arguments: Sequence[SSAValue]) -> SSAValue:
    """Insert an array of pointers to the kernel arguments."""
    type = struct(argument.type for argument in arguments)
    values = build.alloca(rewriter, build.integer_constant(rewriter, 1, i32), type)
    count = build.integer_constant(rewriter, len(arguments), i32)
    pointers = build.alloca(rewriter, count, PTR)
    for position, argument in enumerate(arguments):
        field = build.element_pointer(rewriter, values, type, [0, position])
        build.store(rewriter, argument, field)
        build.store(rewriter, field, build.element_pointer(rewriter, pointers, PTR, [position]))
    return pointers


def has_targets(module: Operation) -> bool:
    """Return whether a gpu.module has a list of targets."""
    return module.get_attr_or_prop("targets") is not None


def _binary(module: Operation | None, rewriter: ConversionRewriter) -> str:
    if module is None:
        rewriter.match_failure("the kernel's module does not exist")
    name = rewriter.options.gpu_binary_annotation
    binary = module.attributes.get(name)
    if not isinstance(binary, StringAttr):
        raise PassError(module, f"'gpu.module' op missing {name} attribute")
    return binary.data


def _lookup(op: Operation, name: str) -> Operation | None:
    table = op.parent_op()
    while table is not None:
        if isinstance(table, ModuleOp):
            for candidate in table.ops:
                if isinstance(candidate, GPUModuleOp) and candidate.sym_name.data == name:
                    return candidate
        table = table.parent_op()
    return None
