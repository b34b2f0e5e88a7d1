"""Converts ops that mlir-opt converts or drops in other passes: memref.assume_alignment and ub.poison."""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import memref


class DropAssumption(ConversionPattern[memref.AssumeAlignmentOp]):
    """`memref.assume_alignment` is erased, since it is only a hint."""

    def match_and_rewrite(self, op: memref.AssumeAlignmentOp, rewriter: ConversionRewriter) -> None:
        if op.results:
            rewriter.replace(op, [rewriter.lowered(op.memref)])
        else:
            rewriter.erase(op)


class ConvertPoison(ConversionPattern[Operation], ops=(op_class("ub.poison"),)):
    """`ub.poison` becomes `llvm.mlir.poison`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [build.undefined(rewriter, rewriter.converted(op.results[0].type))])


PATTERNS: tuple[ConversionPattern[Operation], ...] = (DropAssumption(), ConvertPoison())  # type: ignore[assignment]
