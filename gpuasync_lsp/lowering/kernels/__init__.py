"""`convert-gpu-to-nvvm`: kernels in gpu, arith, math, memref, scf, cf and vector become llvm and nvvm ops.

One file per group of ops. Facts: the output of mlir-opt-22 `--convert-gpu-to-nvvm`; `reduce.py` lowers the
reductions that mlir-opt leaves to passes before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp
from xdsl.ir import Block, Operation

from gpuasync_lsp.lowering.arith_expand import arith_expand
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter, Leftover, pattern_table
from gpuasync_lsp.lowering.convert_scf_to_cf import convert_scf_to_cf
from gpuasync_lsp.lowering.expand_strided_metadata import expand_strided_metadata
from gpuasync_lsp.lowering.host import arith, cf, func, memref
from gpuasync_lsp.lowering.kernels import (
    assertions,
    atomics,
    expand,
    functions,
    ids,
    math,
    printf,
    reduce,
    sync,
    vector,
)
from gpuasync_lsp.lowering.kernels.spaces import number_address_spaces
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.types import TypeConverter
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects import gpu, llvm


def convert_gpu_to_nvvm(module: ModuleOp, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    """Lower the kernels of every gpu.module of `module` in place; return the ops that nothing converts."""
    left: list[Leftover] = []
    for op in module.walk():
        if isinstance(op, gpu.GPUModuleOp):
            left += _convert(op, profile, options)
    return left


def _convert(module: gpu.GPUModuleOp, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    if all(
        isinstance(op, llvm.LLVMFuncOp | llvm.GlobalOp | gpu.ModuleEndOp) for op in module.body_region.ops
    ):
        return []
    reduce.expand_reductions(module)
    number_address_spaces(module)
    expand_strided_metadata(module)
    arith_expand(module)
    convert_scf_to_cf(module)
    _drop_unreachable(module)
    types = TypeConverter(bare_pointers=options.use_bare_pointers_for_kernels)
    rewriter = ConversionRewriter(types, profile, options)
    rewriter.convert(list(module.body_region.ops), _PATTERNS, {})
    rewriter.finish()
    return [Leftover(op, "nothing converts it") for op in module.walk() if _is_left(op)]


def _drop_unreachable(module: gpu.GPUModuleOp) -> None:
    """Blocks that nothing leads to are not visited by the conversion, and would keep their ops."""
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


def _is_left(op: Operation) -> bool:
    return not op.name.startswith(("llvm.", "nvvm.", "gpu.module")) and not isinstance(
        op, UnrealizedConversionCastOp
    )


_PATTERNS = pattern_table(
    cast(
        Sequence[ConversionPattern[Operation]],
        (
            *functions.PATTERNS,
            *ids.PATTERNS,
            *sync.PATTERNS,
            *printf.PATTERNS,
            *assertions.PATTERNS,
            *math.PATTERNS,
            *vector.PATTERNS,
            *atomics.PATTERNS,
            *expand.PATTERNS,
            func.ConvertFunc(),
            func.ConvertCall(),
            func.ConvertReturn(),
            cf.ConvertBranch(),
            cf.ConvertCondBranch(),
            cf.ConvertSwitch(),
            *arith.PATTERNS,
            *memref.PATTERNS,
        ),
    )
)
