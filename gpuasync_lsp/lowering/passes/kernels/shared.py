"""The rewrites and patterns that convert-gpu-to-nvvm and -rocdl have in common, as in mlir-opt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import UnitAttr

from gpuasync_lsp.lowering.conversion.greedy import simplify
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.arith_expand import arith_expand
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import (
    arith,
    cf,
    complex,
    func,
    index,
    memref,
    vector_print,
)
from gpuasync_lsp.lowering.passes.kernels.all_reduce import expand_all_reductions
from gpuasync_lsp.lowering.passes.kernels.spaces import number_address_spaces
from gpuasync_lsp.lowering.passes.kernels.wide_shuffles import split_wide_shuffles
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.func import FuncOp

SCALAR_PATTERNS: Sequence[AnyPattern] = (
    *func.PATTERNS,
    cf.ConvertBranch(),
    cf.ConvertCondBranch(),
    cf.ConvertSwitch(),
    *arith.PATTERNS,
    *memref.PATTERNS,
    *index.PATTERNS,
    *complex.PATTERNS,
)
"""Patterns of gpu-to-llvm that also apply in kernels, except those for vectors."""

HOST_PATTERNS: Sequence[AnyPattern] = (*SCALAR_PATTERNS, *vector_print.PATTERNS)
"""`SCALAR_PATTERNS` and the patterns for vectors."""


def prepare(
    module: gpu.GPUModuleOp, profile: Profile, spaces: Mapping[str, int], options: LoweringOptions
) -> None:
    """Apply in place the rewrites that convert-gpu-to-nvvm and -rocdl run on a gpu.module first.

    `spaces` maps `#gpu.address_space<..>` to the target's numbers."""
    expand_all_reductions(module, profile)
    split_wide_shuffles(module)
    simplify(module, profile, merge_blocks=not options.keeps_branches)
    number_address_spaces(module, spaces)
    if profile.expands_rounding_divisions:
        arith_expand(module, profile)
    for op in module.body_region.ops:
        if isinstance(op, FuncOp):
            op.attributes[func.EMIT_C_INTERFACE] = UnitAttr()
