"""Lowers a module like `mlir-opt` of an LLVM release, in particular with `--gpu-to-llvm`.

`lower` and `run_pipeline` work on clones and never change their input; `lower_chunk` lowers a chunk of a
source file and memoizes in its items the results that an edit elsewhere does not invalidate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.folders.constants import constant_int
from gpuasync_lsp.lowering.conversion.greedy import simplify
from gpuasync_lsp.lowering.llvm_ir.program_text import KernelText, LLVMProgram
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable
from gpuasync_lsp.lowering.llvm_ir.types import symbol as llvm_symbol
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.convert_scf_to_cf import convert_scf_to_cf
from gpuasync_lsp.lowering.passes.gpu_to_llvm import mentions_nvvm
from gpuasync_lsp.lowering.pipeline.item_by_item import (
    Body,
    LoweredChunk,
    Remark,
    Rendering,
    lower_chunk,
    print_chunk,
)
from gpuasync_lsp.lowering.pipeline.line_map import Part, Place, Printed, assembled, print_with_places
from gpuasync_lsp.lowering.pipeline.pipeline import (
    DEFAULT_STAGE,
    STAGES,
    MissingPass,
    Pipeline,
    PipelineError,
    Step,
    parse_pipeline,
    parse_steps,
    run_pipeline,
    stage_pipeline,
    steps_of,
)
from gpuasync_lsp.lowering.result import Lowered, Message
from gpuasync_lsp.releases import profile
from gpuasync_lsp.syntax.memref_types import strides_and_offset

__all__ = [
    "DEFAULT_STAGE",
    "STAGES",
    "Body",
    "KernelText",
    "LLVMProgram",
    "Lowered",
    "LoweredChunk",
    "LoweringOptions",
    "Message",
    "MissingPass",
    "Part",
    "Pipeline",
    "PipelineError",
    "Place",
    "Printed",
    "Remark",
    "Rendering",
    "Step",
    "Untranslatable",
    "assembled",
    "constant_int",
    "llvm_symbol",
    "lower",
    "lower_chunk",
    "mentions_nvvm",
    "merged_ops",
    "parse_pipeline",
    "parse_steps",
    "print_chunk",
    "print_with_places",
    "run_pipeline",
    "stage_pipeline",
    "steps_of",
    "strides_and_offset",
    "translate",
]


def lower(module: ModuleOp, version: int, options: LoweringOptions | None = None) -> Lowered:
    """Run gpu-to-llvm as LLVM `version` does on a clone of `module`."""
    return run_pipeline(module, stage_pipeline(DEFAULT_STAGE), version, options)


def merged_ops(module: ModuleOp, version: int, *, structured: bool) -> dict[Operation, Operation]:
    """Run the greedy rewrite of gpu-to-llvm on `module`, in place, after convert-scf-to-cf if
    `structured`.

    Returns a mapping from each op of a merged block to its equivalent in the remaining block; empty if
    the release merges no blocks.
    """
    target = profile(version)
    merged: dict[Operation, Operation] = {}
    if target.greedy_prepass:
        if structured:
            convert_scf_to_cf(module)
        simplify(module, target, merged=merged)
    return merged


def translate(
    module: ModuleOp,
    version: int,
    options: LoweringOptions,
    site_of: Callable[[Operation], int | None],
    passes: Sequence[Step] = (),
) -> LLVMProgram:
    """Run `passes`, then lower the whole program to executable LLVM IR, in place. Raises `Untranslatable`."""
    # Imported lazily: an editor's checks need neither kernels nor translation.
    from gpuasync_lsp.lowering.llvm_ir.program import to_llvm_program

    return to_llvm_program(module, version, options, site_of, passes)
