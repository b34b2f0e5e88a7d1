"""Finds the ops in kernels that convert-gpu-to-nvvm would convert, without importing that conversion."""

from __future__ import annotations

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import GPUModuleOp


def is_left(op: Operation) -> bool:
    """Return whether an op in a gpu.module still needs conversion."""
    return not op.name.startswith(("llvm.", "nvvm.", "gpu.module")) and not isinstance(
        op, UnrealizedConversionCastOp
    )


def modules_to_convert(root: Operation, profile: Profile, options: LoweringOptions) -> list[GPUModuleOp]:
    """Return the gpu.modules in `root` with an op that needs conversion or that the release rejects.

    For whole kernels, nvvm ops need conversion as well, since some are expanded for execution."""
    refused = frozenset[str]() if options.whole_kernels else profile.nvvm_refuses
    return [
        module
        for module in root.walk()
        if isinstance(module, GPUModuleOp)
        and any(
            is_left(op) or op.name in refused or (options.whole_kernels and op.name.startswith("nvvm."))
            for op in module.walk()
            if op is not module
        )
    ]
