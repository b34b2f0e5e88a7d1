"""Converts memref.alloca_scope, which frees its stack allocations at its end."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.edits import region_of
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR
from gpuasync_lsp.syntax.dialects import llvm, memref


class ConvertAllocaScope(ConversionPattern[memref.AllocaScopeOp]):
    """Encloses the blocks of the scope in `llvm.intr.stacksave` and `llvm.intr.stackrestore`."""

    def match_and_rewrite(self, op: memref.AllocaScopeOp, rewriter: ConversionRewriter) -> None:
        types = [rewriter.converted(result.type) for result in op.results]
        before = op.parent
        assert before is not None, "a converted op is in a block"
        region = region_of(before)
        after = before.split_before(op)
        # The results become block arguments, so that they need a block of their own.
        join = Block(arg_types=types) if types else after
        body = list(op.body_region.blocks)
        op.body_region.move_blocks_before(after)
        if join is not after:
            region.insert_block_before(join, after)
            with rewriter.at_end(join):
                build.branch(rewriter, after, [])
        with rewriter.at_end(before):
            saved = rewriter.create(llvm.StackSaveOp, [], PTR)
            build.branch(rewriter, body[0], [])
        end = body[-1].last_op
        assert isinstance(end, memref.AllocaScopeReturnOp)
        with rewriter.at_end(body[-1]):
            rewriter.add(llvm.StackRestoreOp.create(operands=[saved]))
            build.branch(rewriter, join, end.operands)
        rewriter.erase(end)
        rewriter.replace(op, join.args)


PATTERNS: Sequence[AnyPattern] = (ConvertAllocaScope(),)
