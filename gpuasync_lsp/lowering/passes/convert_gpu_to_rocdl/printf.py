"""Converts gpu.printf for AMD's targets, for the HIP or OpenCL runtime."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from xdsl.dialects.builtin import f64, i32, i64
from xdsl.ir import SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, pointer
from gpuasync_lsp.lowering.passes.kernels import symbols
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType

PREFIX = "printfFormat_"
ARGUMENTS_PER_CALL = 7
CONSTANT_SPACE = 4


class PrintfOfHip(ConversionPattern[gpu.PrintfOp]):
    """`gpu.printf` for HIP: begins a message, then appends the format and up to seven values at a time."""

    def match_and_rewrite(self, op: gpu.PrintfOp, rewriter: ConversionRewriter) -> None:
        begin, text, values = (
            f"__ockl_printf_{part}" for part in ("begin", "append_string_n", "append_args")
        )
        symbols.declare(op, begin, LLVMFunctionType([i64], i64))
        symbols.declare(op, values, LLVMFunctionType([i64, i32, *[i64] * ARGUMENTS_PER_CALL, i32], i64))
        symbols.declare(op, text, LLVMFunctionType([i64, PTR, i64, i32], i64))
        zero = build.integer_constant(rewriter, 0, i64)
        message = build.call(rewriter, begin, [zero], [i64]).results[0]
        address = symbols.text_address(rewriter, op, PREFIX, op.format.data)
        length = build.integer_constant(rewriter, len(op.format.data.encode()) + 1, i64)
        last, more = (build.integer_constant(rewriter, value, i32) for value in (1, 0))
        given = rewriter.lowered_all(op.args)
        is_last = more if given else last
        message = build.call(rewriter, text, [message, address, length, is_last], [i64]).results[0]
        pending = iter(given)
        done = 0
        while group := list(islice(pending, ARGUMENTS_PER_CALL)):
            done += len(group)
            count = build.integer_constant(rewriter, len(group), i32)
            numbers = [_as_i64(rewriter, value) for value in group]
            numbers += [zero] * (ARGUMENTS_PER_CALL - len(group))
            is_last = last if done == len(given) else more
            message = build.call(rewriter, values, [message, count, *numbers, is_last], [i64]).results[0]
        rewriter.erase(op)


class PrintfOfOpenCL(ConversionPattern[gpu.PrintfOp]):
    """`gpu.printf` for OpenCL: calls `printf` with a format in constant memory."""

    def match_and_rewrite(self, op: gpu.PrintfOp, rewriter: ConversionRewriter) -> None:
        type = LLVMFunctionType([pointer(CONSTANT_SPACE)], i32, is_variadic=True)
        symbols.declare(op, "printf", type)
        address = symbols.text_address(rewriter, op, PREFIX, op.format.data, CONSTANT_SPACE)
        call = build.call(rewriter, "printf", [address, *rewriter.lowered_all(op.args)], [i32])
        call.properties["var_callee_type"] = type
        rewriter.erase(op)


def patterns(runtime: str) -> Sequence[AnyPattern]:
    """Return the pattern for the runtime HIP or OpenCL; no pattern for any other."""
    return {"HIP": (PrintfOfHip(),), "OpenCL": (PrintfOfOpenCL(),)}.get(runtime, ())


def _as_i64(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    if value.type.name == "integer_type":
        return value if value.type == i64 else build.cast(rewriter, llvm.ZExtOp, value, i64)
    if value.type.name in ("f16", "bf16", "f32"):
        value = build.cast(rewriter, llvm.FPExtOp, value, f64)
    kind = llvm.BitcastOp if value.type == f64 else llvm.PtrToIntOp
    return build.cast(rewriter, kind, value, i64)
