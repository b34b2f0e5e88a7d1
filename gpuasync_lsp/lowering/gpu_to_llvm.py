"""`gpu-to-llvm`: host code with gpu ops becomes llvm ops and calls to the GPU runtime.

Facts: mlir/lib/Conversion/GPUCommon/GPUToLLVMConversion.cpp of LLVM 16, 19, 22 and 24, and what those releases
were measured to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion import (
    ConversionPattern,
    ConversionRewriter,
    Leftover,
    Legality,
    Patterns,
    pattern_table,
)
from gpuasync_lsp.lowering.gpu import alloc, copy, launch_func, wait
from gpuasync_lsp.lowering.host import arith, cf, func
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.types import TypeConverter
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects import gpu


def gpu_to_llvm(module: ModuleOp, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    """Lower `module` in place as the release of `profile` does; return the ops that it leaves behind.

    Raises LegalizationError or PassError where that release ends with exit status 1."""
    types = TypeConverter(bare_pointers=options.use_bare_pointers_for_host)
    rewriter = ConversionRewriter(types, profile, options)
    left = rewriter.convert(list(module.ops), PATTERNS, _legality(rewriter))
    rewriter.finish()
    return left


_ALL: Sequence[Any] = (
    wait.BlockingWait(),
    wait.AsyncWait(),
    alloc.Alloc(),
    alloc.Dealloc(),
    copy.Memcpy(),
    copy.Memset(),
    launch_func.LegalizeLaunchFunc(),
    func.ConvertFunc(),
    func.ConvertCall(),
    func.ConvertReturn(),
    cf.ConvertBranch(),
    cf.ConvertCondBranch(),
    cf.ConvertSwitch(),
    *arith.PATTERNS,
)

PATTERNS: Patterns = pattern_table(cast(Sequence[ConversionPattern[Operation]], _ALL))


def _legality(rewriter: ConversionRewriter) -> Legality:
    """Return, for the ops that must not stay as they are, the test that tells which may."""
    legality: dict[type[Operation], Callable[[Operation], bool]] = {
        gpu.LaunchFuncOp: lambda op: launch_func.is_legal(op, rewriter),
    }
    return legality
