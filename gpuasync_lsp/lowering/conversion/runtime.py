"""The functions of the GPU runtime wrappers (such as libmlir_cuda_runtime), and calls to them.

Source of the signatures: mlir/lib/Conversion/GPUCommon/GPUToLLVMConversion.cpp of each release. `p` is
a pointer, `i32` an integer. The first call to a function declares it at the end of the module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, ModuleOp, StringAttr, TensorType, i8
from xdsl.ir import Attribute, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, array
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import GPUModuleOp
from gpuasync_lsp.syntax.dialects.llvm import CallOp, LLVMFuncOp
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType

STREAM_CREATE = "mgpuStreamCreate"

SIGNATURES: Mapping[str, str] = {
    "mgpuModuleLoad": "p <- p i64",
    "mgpuModuleUnload": "<- p",
    "mgpuModuleGetFunction": "p <- p p",
    "mgpuLaunchKernel": "<- p i64 i64 i64 i64 i64 i64 i32 p p p i64",
    STREAM_CREATE: "p <-",
    "mgpuStreamDestroy": "<- p",
    "mgpuStreamSynchronize": "<- p",
    "mgpuStreamWaitEvent": "<- p p",
    "mgpuEventCreate": "p <-",
    "mgpuEventDestroy": "<- p",
    "mgpuEventSynchronize": "<- p",
    "mgpuEventRecord": "<- p p",
    "mgpuMemHostRegisterMemRef": "<- i64 p i64",
    "mgpuMemHostUnregisterMemRef": "<- i64 p i64",
    "mgpuMemAlloc": "p <- i64 p i8",
    "mgpuMemFree": "<- p p",
    "mgpuMemcpy": "<- p p i64 p",
    "mgpuMemset16": "<- p i16 i64 p",
    "mgpuMemset32": "<- p i32 i64 p",
    "mgpuSetDefaultDevice": "<- i32",
    "mgpuTensorMapEncodeTiledMemref": "p <- i64 p i64 i64 i64 i64 i64 p",
    "mgpuCreateDnVec": "p <- i64 p i32 p",
    "mgpuDestroyDnVec": "<- p p",
    "mgpuCreateDnMat": "p <- i64 i64 p i32 p",
    "mgpuDestroyDnMat": "<- p p",
    "mgpuCreateCoo": "p <- i64 i64 i64 p p p i32 i32 p",
    "mgpuCreateCooAoS": "p <- i64 i64 i64 p p i32 i32 p",
    "mgpuCreateCsr": "p <- i64 i64 i64 p p p i32 i32 i32 p",
    "mgpuCreateCsc": "p <- i64 i64 i64 p p p i32 i32 i32 p",
    "mgpuCreateBsr": "p <- i64 i64 i64 i64 i64 p p p i32 i32 i32 p",
    "mgpuDestroySpMat": "<- p p",
    "mgpuSpMVBufferSize": "i64 <- i32 p p p i32 p",
    "mgpuSpMV": "<- i32 p p p i32 p p",
    "mgpuSpMMBufferSize": "i64 <- i32 i32 p p p i32 p",
    "mgpuSpMM": "<- i32 i32 p p p i32 p p",
    "mgpuSDDMMBufferSize": "i64 <- i32 i32 p p p i32 p",
    "mgpuSDDMM": "<- i32 i32 p p p i32 p p",
    "mgpuCreateCuSparseLtDnMat": "<- p i64 i64 p i32 p",
    "mgpuDestroyCuSparseLtDnMat": "<- p p",
    "mgpuDestroyCuSparseLtSpMat": "<- p p",
    "mgpuCusparseLtCreate2To4SpMat": "<- p i64 i64 p i32 p",
    "mgpuCuSparseLtSpMMBufferSize": "<- p i32 i32 p p p i32 i32 p",
    "mgpuCuSparseLtSpMM": "<- p p p p p p p",
    "mgpuSpGEMMCreateDescr": "p <- p",
    "mgpuSpGEMMDestroyDescr": "<- p p",
    "mgpuSpGEMMWorkEstimation": "i64 <- p i32 i32 p p p i32 i64 p p",
    "mgpuSpGEMMCompute": "i64 <- p i32 i32 p p p i32 i64 p p",
    "mgpuSpGEMMCopy": "<- p i32 i32 p p p i32 p",
    "mgpuSpMatGetSize": "<- p p p p p",
    "mgpuSetCsrPointers": "<- p p p p p",
}
"""Maps each runtime function to its signature in the newest release, as `results <- arguments`."""

_WITHOUT_HOST_SHARED = {"mgpuMemAlloc": "p <- i64 p"}
_ONE_MODULE_PER_LAUNCH = {
    "mgpuModuleLoad": "p <- p",
    "mgpuLaunchKernel": "<- p i64 i64 i64 i64 i64 i64 i32 p p p",
}


def call(rewriter: ConversionRewriter, name: str, *arguments: SSAValue) -> Operation:
    """Insert a call to the runtime function `name`, declaring it if needed, and return the call."""
    type = signature(name, rewriter.profile)
    declare(rewriter, name, type)
    return build.call(rewriter, name, arguments, type.results)


def call_value(rewriter: ConversionRewriter, name: str, *arguments: SSAValue) -> SSAValue:
    """Insert a call to the runtime function `name` and return its result."""
    return call(rewriter, name, *arguments).results[0]


def is_stream(value: SSAValue) -> bool:
    """Return whether lowered code treats `value` as a stream: a call to mgpuStreamCreate defines it.

    Any other value is treated as an event. All releases use this rule."""
    owner = value.owner
    if not isinstance(owner, CallOp) or owner.callee is None:
        return False
    return owner.callee.root_reference.data == STREAM_CREATE


def declare(rewriter: ConversionRewriter, name: str, type: LLVMFunctionType) -> None:
    """Declare the function `name` at the end of the enclosing module, unless the symbol exists."""
    module = enclosing_module(rewriter.op)
    if not rewriter.claim_symbol(module, name):
        return
    with rewriter.at_end(module.body.block):
        properties = build.function_properties(StringAttr(name), type)
        function = LLVMFuncOp.create(properties=properties, regions=[Region()])
        rewriter.declared.append(rewriter.add(function))


def declare_first(rewriter: ConversionRewriter, name: str, type: LLVMFunctionType) -> None:
    """Declare `name` at the start of the enclosing module, where MLIR declares functions such as malloc."""
    module = enclosing_module(rewriter.op)
    if rewriter.claim_symbol(module, name):
        with rewriter.at_start(module.body.block):
            properties = build.function_properties(StringAttr(name), type)
            function = LLVMFuncOp.create(properties=properties, regions=[Region()])
            rewriter.declared.append(rewriter.add(function))
    else:
        _expect_type(rewriter, module, name, type)


def _expect_type(rewriter: ConversionRewriter, module: Operation, name: str, type: LLVMFunctionType) -> None:
    """Raise MatchFailure if the module has a function of this name with a different type."""
    if rewriter.profile.reserved_functions_have_types and rewriter.type_before(module, name) not in (
        None,
        type,
    ):
        rewriter.match_failure(f"redefinition of reserved function '{name}' of different type is prohibited")


def declare_allocator(rewriter: ConversionRewriter, name: str, type: LLVMFunctionType) -> None:
    """Declare malloc or free for an allocation; some releases declare it inside the kernel module."""
    inside: Operation | None = rewriter.op
    while inside is not None and not isinstance(inside, ModuleOp | GPUModuleOp):
        inside = inside.parent_op()
    if not isinstance(inside, GPUModuleOp) or name not in rewriter.profile.declared_in_kernels:
        declare_first(rewriter, name, type)
    elif rewriter.claim_symbol(inside, name):
        with rewriter.at_start(inside.body_region.block):
            properties = build.function_properties(StringAttr(name), type)
            rewriter.add(LLVMFuncOp.create(properties=properties, regions=[Region()]))
    else:
        _expect_type(rewriter, inside, name, type)


def declare_text(rewriter: ConversionRewriter, name: str, text: bytes, *, numbered: bool = False) -> str:
    """Insert a global with `text` at the module's start; return its name.

    The name is `name`, followed by a number if it is in use or `numbered` is set."""
    module = enclosing_module(rewriter.op)
    base, number = name, 0
    if numbered:
        name, number = f"{base}_0", 1
    while not rewriter.claim_symbol(module, name):
        name, number = f"{base}_{number}", number + 1
    value = DenseIntOrFPElementsAttr.from_list(TensorType(i8, [len(text)]), list(text))
    with rewriter.at_start(module.body.block):
        made = rewriter.add(build.global_constant(name, array(len(text), i8), value, "private"))
    rewriter.declared.append(made)
    return name


def enclosing_module(op: Operation) -> ModuleOp:
    """Return the innermost builtin.module around `op`."""
    parent = op.parent_op()
    while not isinstance(parent, ModuleOp):
        assert parent is not None, "lowered ops are in a module"
        parent = parent.parent_op()
    return parent


@cache
def signature(name: str, profile: Profile) -> LLVMFunctionType:
    """Return the type of the runtime function `name` in the release of `profile`."""
    text = SIGNATURES[name]
    if not profile.alloc_host_shared_argument:
        text = _WITHOUT_HOST_SHARED.get(name, text)
    if profile.annotated_binaries and not profile.launches_say_sizes:
        text = _ONE_MODULE_PER_LAUNCH.get(name, text)
    results, arguments = text.split("<-")
    output = _types(results)
    return LLVMFunctionType(_types(arguments), output[0] if output else None)


def _types(words: str) -> Sequence[Attribute]:
    return [_type(word) for word in words.split()]


def _type(word: str) -> Attribute:
    if word == "p":
        return PTR
    return IntegerType(int(word[1:]))
