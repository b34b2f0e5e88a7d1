"""Lowers cf.assert to a branch, on the host and in kernels."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Block, SSAValue

from gpuasync_lsp.lowering.conversion.edits import block_of, region_of
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.cf import AssertOp


def fail_unless(
    rewriter: ConversionRewriter,
    op: AssertOp,
    condition: SSAValue,
    fail: Callable[[Block], None],
    *,
    is_next: bool,
) -> None:
    """Split the block at `op`, and branch to the rest if `condition` holds, otherwise to a new block.

    `fail` inserts the ops of the new block; its argument is the block with the rest. With `is_next` the new
    block is inserted before the rest, otherwise at the end of the region.
    """
    block = block_of(op)
    rest = block.split_before(op)
    failure = Block()
    region = region_of(block)
    if is_next:
        region.insert_block_before(failure, rest)
    else:
        region.add_block(failure)
    with rewriter.at_end(failure):
        fail(rest)
    with rewriter.at_end(block):
        counts = DenseArrayBase.from_list(i32, [1, 0, 0])
        rewriter.add(
            llvm.CondBrOp.create(
                operands=[condition],
                successors=[rest, failure],
                properties={"operandSegmentSizes": counts},
            )
        )
    rewriter.erase(op)
