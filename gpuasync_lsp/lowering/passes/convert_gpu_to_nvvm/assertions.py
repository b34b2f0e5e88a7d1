"""Converts cf.assert in kernels into a call to the device's `__assertfail` if the condition is false."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Block

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.assertions import fail_unless
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR
from gpuasync_lsp.lowering.passes.kernels import symbols
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.cf import AssertOp
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType

ASSERT_FAIL = "__assertfail"
"""A function with the arguments message, file, line, function and character size; it never returns."""


class ConvertAssert(ConversionPattern[AssertOp]):
    """`cf.assert` becomes a branch around `llvm.call @__assertfail`, as in mlir-opt 22.

    In releases without this pattern, it lowers as on the host (see `convert_gpu_to_nvvm/__init__.py`)."""

    def match_and_rewrite(self, op: AssertOp, rewriter: ConversionRewriter) -> None:
        if not (rewriter.profile.kernels_assert_by_call or rewriter.options.whole_kernels):
            rewriter.match_failure("this release lowers assertions in kernels like those on the host")
        symbols.declare(op, ASSERT_FAIL, LLVMFunctionType([PTR, PTR, i32, PTR, i64]), never_returns=True)

        def fail(rest: Block) -> None:
            message, file, function = (
                symbols.text_address(rewriter, op, prefix, text)
                for prefix, text in (
                    ("assert_message_", op.msg.data),
                    ("assert_file_", "(unknown)"),
                    ("assert_func_", "(unknown)"),
                )
            )
            line = build.constant(rewriter, IntegerAttr(0, i32), i32)
            width = build.constant(rewriter, IntegerAttr(1, i64), i64)
            build.call(rewriter, ASSERT_FAIL, [message, file, line, function, width], [])
            rewriter.add(llvm.BrOp.create(successors=[rest]))

        fail_unless(rewriter, op, rewriter.lowered(op.arg), fail, is_next=True)


PATTERNS = (ConvertAssert(),)
