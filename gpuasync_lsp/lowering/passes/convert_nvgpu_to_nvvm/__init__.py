"""`convert-nvgpu-to-nvvm`: hardware ops on memrefs and vectors become nvvm ops on pointers.

Source: the output of mlir-opt 19 to 24. Earlier releases and warpgroup MMAs are not supported;
programs with these MMAs are rejected.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion import structural
from gpuasync_lsp.lowering.conversion.driver import Leftover, always, convert
from gpuasync_lsp.lowering.conversion.errors import OwnLimit
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm import async_copies
from gpuasync_lsp.lowering.passes.convert_nvgpu_to_nvvm import barriers, matrices, tensor_copies
from gpuasync_lsp.lowering.passes.convert_nvgpu_to_nvvm.types import NvgpuTypes
from gpuasync_lsp.releases import Profile

_LEGAL = ("arith.", "llvm.", "memref.", "nvvm.")
_OPS: tuple[AnyPattern, ...] = (
    *barriers.PATTERNS,
    *tensor_copies.PATTERNS,
    *matrices.PATTERNS,
    *async_copies.PATTERNS,
)
_PATTERNS = Patterns(_OPS)
_WITH_STRUCTURAL = Patterns((*_OPS, *structural.PATTERNS))


def convert_nvgpu_to_nvvm(root: Operation, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    """Convert the nvgpu ops inside `root` in place; return the unlowered ones.

    Raises PassError for ops that this tool cannot convert."""
    ops = [op for op in root.walk() if op is not root]
    if any(op.name.startswith("nvgpu.") for op in ops):
        _reject_unknown(root, ops, profile)
    types = NvgpuTypes(async_types=False)
    rewriter = ConversionRewriter(types, profile, options)
    rewriter.functions_convert = rewriter.branches_convert = False
    legality: dict[type[Operation], Callable[[Operation], bool]] = dict.fromkeys(
        (type(op) for op in ops if op.name.startswith(_LEGAL)), always
    )
    patterns = _PATTERNS
    if profile.converts_nvgpu_in_loops:
        patterns = _WITH_STRUCTURAL
        legality |= structural.legality(types)
    return convert(rewriter, root, patterns, legality, in_place=True)


def _reject_unknown(root: Operation, ops: list[Operation], profile: Profile) -> None:
    if not profile.nvgpu_conversion_is_known:
        first = Profile.nvgpu_conversion_is_known.since
        raise OwnLimit(root, f"this tool supports convert-nvgpu-to-nvvm from LLVM {first} on")
    for op in ops:
        if op.name.startswith("nvgpu.") and not _PATTERNS.of(type(op)):
            raise OwnLimit(op, f"this tool does not convert {op.name}")
