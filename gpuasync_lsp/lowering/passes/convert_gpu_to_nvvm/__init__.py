"""`convert-gpu-to-nvvm`: gpu, arith, math, memref, scf, cf and vector ops in kernels become llvm and nvvm.

Each group of ops has a module; the patterns that mlir-opt lacks are in `MORE_PATTERNS`. Source: the
output of mlir-opt 19 and 22 `--convert-gpu-to-nvvm`.
"""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from gpuasync_lsp.lowering.conversion.driver import Leftover, Legality, convert, never
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.views import compute_views
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.arith_expand import arith_expand
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm import (
    assertions,
    async_copies,
    ids,
    math,
    matrices,
    printf,
    subgroups,
    sync,
)
from gpuasync_lsp.lowering.passes.convert_scf_to_cf import convert_scf_to_cf
from gpuasync_lsp.lowering.passes.expand_vectors import expand_vectors
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import cf, nvvm, vector, vector_print
from gpuasync_lsp.lowering.passes.kernels import expand, functions, reduce, shared
from gpuasync_lsp.lowering.passes.kernels.left import is_left, modules_to_convert
from gpuasync_lsp.lowering.passes.kernels.mbarriers import expand_mbarriers
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.lowering.passes.kernels.nvvm_barriers import expand_nvvm_barriers
from gpuasync_lsp.lowering.passes.kernels.nvvm_products import expand_nvvm_products
from gpuasync_lsp.lowering.passes.kernels.nvvm_wgmma import expand_wgmma
from gpuasync_lsp.lowering.passes.kernels.spaces import SPACES, number_address_spaces
from gpuasync_lsp.lowering.passes.kernels.tensor_maps import expand_tensor_copies
from gpuasync_lsp.lowering.passes.kernels.warp_ops import expand_warp_ops
from gpuasync_lsp.lowering.passes.kernels.warpgroups import expand_warpgroups
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu, operations
from gpuasync_lsp.syntax.dialects.func import FuncOp


def convert_gpu_to_nvvm(module: ModuleOp, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    """Lower the kernels of every gpu.module of `module` in place; return the unlowered ops.

    With `options.whole_kernels`, views, structured control flow and reductions are lowered first, and
    ops without a pattern in mlir-opt are lowered, too. Otherwise an unlowered op of the gpu dialect
    raises LegalizationError, and other unlowered ops remain, as in mlir-opt."""
    left: list[Leftover] = []
    for op in modules_to_convert(module, profile, options):
        left += _convert(op, profile, options)
    return left


def _convert(module: gpu.GPUModuleOp, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    refused = frozenset[str]() if options.whole_kernels else profile.nvvm_refuses
    if options.whole_kernels:
        if options.emulates_nvvm:
            expand_nvvm_barriers(module)
            expand_wgmma(module)
            expand_nvvm_products(module)
        expand_mbarriers(module)
        expand_tensor_copies(module)
        expand_warpgroups(module)
        reduce.expand_reductions(module)
        expand_warp_ops(module, options)
        expand_vectors(module)
        number_address_spaces(module, SPACES)
        compute_views(module)
        arith_expand(module)
        convert_scf_to_cf(module)
        _drop_unreachable(module)
    else:
        shared.prepare(module, profile, SPACES, options)
    types = matrices.KernelTypes(
        bare_pointers=options.use_bare_pointers_for_kernels,
        index_bits=options.index_bits,
        whole_kernels=options.whole_kernels,
    )
    rewriter = ConversionRewriter(types, profile, options)
    if not options.whole_kernels:
        patterns = _EXACT if profile.nvvm_converts_vectors else _SCALARS
        return convert(rewriter, module, patterns, illegal(refused))
    convert(rewriter, module, _WHOLE if options.emulates_nvvm else _FOR_GPU, {})
    return [Leftover(op, "nothing converts it") for op in module.walk() if is_left(op)]


def _drop_unreachable(module: gpu.GPUModuleOp) -> None:
    """Erase unreachable blocks: the conversion does not visit them, so their ops would remain unlowered."""
    for function in module.body_region.ops:
        for region in function.regions:
            reached: set[Block] = set()
            pending = [region.blocks[0]] if region.blocks else []
            while pending:
                block = pending.pop()
                if block not in reached:
                    reached.add(block)
                    pending += block.last_op.successors if block.last_op is not None else ()
            for block in [block for block in region.blocks if block not in reached]:
                region.detach_block(block).drop_all_references()


_ILLEGAL: Legality = {
    op: never for op in (*operations("gpu"), FuncOp) if op not in (gpu.GPUModuleOp, gpu.ModuleEndOp)
}
"""The legality table of the ops that are always illegal."""


@cache
def illegal(names: frozenset[str]) -> Legality:
    """Return a legality table in which the ops with these names are illegal, too."""
    return {**_ILLEGAL, **{op_class(name): never for name in names}}


def _table(*patterns: AnyPattern) -> Patterns:
    return Patterns(patterns)


_OF_SCALARS = (
    *functions.PATTERNS,
    *ids.PATTERNS,
    *sync.PATTERNS,
    *printf.PATTERNS,
    *assertions.PATTERNS,
    *math.PATTERNS,
    *matrices.PATTERNS,
    *subgroups.PATTERNS,
    *shared.SCALAR_PATTERNS,
    cf.ConvertAssert(),
)
_LIKE_MLIR_OPT = (*_OF_SCALARS, *vector_print.PATTERNS)
_SCALARS = _table(*_OF_SCALARS)
"""The patterns of LLVM 16 and 17, which do not convert the vector dialect."""
_EXACT = _table(*_LIKE_MLIR_OPT)
_COMPLETE = (
    *ids.MORE_PATTERNS,
    *math.MORE_PATTERNS,
    *matrices.MORE_PATTERNS,
    *subgroups.MORE_PATTERNS,
    *async_copies.PATTERNS,
    *vector.PATTERNS,
    *expand.PATTERNS,
    *_LIKE_MLIR_OPT,
)
_WHOLE = _table(*_COMPLETE)
"""The patterns for `whole_kernels`, including those for ops that mlir-opt does not lower."""
_FOR_GPU = _table(*_COMPLETE, *nvvm.PATTERNS)
