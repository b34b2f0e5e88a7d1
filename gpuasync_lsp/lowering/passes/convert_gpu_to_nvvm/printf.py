"""Converts gpu.printf to a call to the device's vprintf, with the values packed in a struct."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, f64, i32, i64
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, struct
from gpuasync_lsp.lowering.passes.kernels import symbols
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType


class ConvertPrintf(ConversionPattern[gpu.PrintfOp]):
    """`gpu.printf` becomes `llvm.call @vprintf`; floats are passed as f64, as in C.

    In whole kernels narrow integers are extended to i32."""

    def match_and_rewrite(self, op: gpu.PrintfOp, rewriter: ConversionRewriter) -> None:
        symbols.declare(op, "vprintf", LLVMFunctionType([PTR, PTR], i32))
        address = symbols.text_address(rewriter, op, "printfFormat_", op.format.data)
        values = [_promoted(rewriter, value) for value in rewriter.lowered_all(op.args)]
        type = struct(value.type for value in values)
        memory = build.alloca(rewriter, build.constant(rewriter, IntegerAttr(1, IndexType()), i64), type)
        for number, value in enumerate(values):
            build.store(rewriter, value, build.element_pointer(rewriter, memory, type, [0, number]))
        build.call(rewriter, "vprintf", [address, memory], [i32])
        rewriter.erase(op)


PATTERNS = (ConvertPrintf(),)


def _promoted(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    type: Attribute = value.type
    if type.name in ("f16", "bf16", "f32") or (type == f64 and not rewriter.options.whole_kernels):
        # As in mlir-opt, even an f64 is extended to f64.
        return build.cast(rewriter, llvm.FPExtOp, value, f64)
    if rewriter.options.whole_kernels and isinstance(type, IntegerType) and type.bitwidth < 32:
        # mlir-opt passes the narrow integer, so that `%d` reads the adjacent bytes, too.
        return build.cast(rewriter, llvm.ZExtOp if type.bitwidth == 1 else llvm.SExtOp, value, i32)
    return value
