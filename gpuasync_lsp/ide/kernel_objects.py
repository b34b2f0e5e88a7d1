"""Compiles a kernel module for gpu-module-to-binary, in a separate process."""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.gpu.attributes import ObjectFormat
from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr


def serialize(module: gpu.GPUModuleOp, target: TargetAttr, form: ObjectFormat, profile: Profile) -> bytes:
    """Return `module` as PTX or, for `OFFLOAD`, as bitcode.

    LLVM's backend in llvmlite compiles the module. Raises PassError, with mlir-opt's message if known."""
    # Imported here because no other pass compiles anything.
    from gpuasync_lsp.exec import NoPTX, ObjectJob, compile_object
    from gpuasync_lsp.lowering.llvm_ir.module import kernel_ir
    from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable

    for op in module.walk():
        # mlir-opt reports these ops before it compiles anything.
        if op is not module and op.name.startswith("gpu.") and op.name != "gpu.module_end":
            raise PassError(op, f"unsupported GPU operation: {op.name}")
        if op.name.partition(".")[0] in _NOT_TRANSLATED:
            raise PassError(op, f"{_NO_TRANSLATION} {op.name}")
    try:
        ir = kernel_ir(module, assumes=True)
    except Untranslatable as error:
        at = error.subject if isinstance(error.subject, Operation) else module
        raise PassError(at, error.message) from error
    job = ObjectJob(
        ir,
        target.text("chip", profile.version),
        target.text("features", profile.version),
        target.optimization_level,
        "bitcode" if form is ObjectFormat.OFFLOAD else "ptx",
    )
    try:
        return compile_object(job, raises_ptx_version=profile.ptx_version_is_raised)
    except NoPTX as error:
        raise PassError(module, str(error)) from error


_NO_TRANSLATION = (
    "cannot be converted to LLVM IR: missing `LLVMTranslationDialectInterface` registration "
    "for dialect for op:"
)
_NOT_TRANSLATED = frozenset(
    ["affine", "arith", "cf", "complex", "func", "index", "linalg", "math", "memref", "scf", "ub", "vector"]
)
"""Dialects without a translation in mlir-translate."""
