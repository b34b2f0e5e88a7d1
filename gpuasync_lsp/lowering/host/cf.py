"""cf.br, cf.cond_br, cf.switch and cf.assert: the same control flow on LLVM values."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.cf import BranchOp, ConditionalBranchOp, SwitchOp


class ConvertBranch(ConversionPattern[BranchOp]):
    """`cf.br` becomes `llvm.br`."""

    op_types = (BranchOp,)

    def match_and_rewrite(self, op: BranchOp, rewriter: ConversionRewriter) -> None:
        arguments = rewriter.lowered_all(op.arguments)
        convert_targets(op, rewriter)
        branch = llvm.BrOp.create(operands=arguments, successors=[op.successor], attributes=op.attributes)
        rewriter.add(branch)
        rewriter.erase(op)


class ConvertCondBranch(ConversionPattern[ConditionalBranchOp]):
    """`cf.cond_br` becomes `llvm.cond_br`."""

    op_types = (ConditionalBranchOp,)

    def match_and_rewrite(self, op: ConditionalBranchOp, rewriter: ConversionRewriter) -> None:
        operands = rewriter.lowered_all(op.operands)
        convert_targets(op, rewriter)
        counts = [1, len(op.then_arguments), len(op.else_arguments)]
        branch = llvm.CondBrOp.create(
            operands=operands,
            successors=list(op.successors),
            attributes=op.attributes,
            properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, counts)},
        )
        weights = op.get_attr_or_prop("branch_weights")
        if weights is not None:
            branch.properties["branch_weights"] = weights
        rewriter.add(branch)
        rewriter.erase(op)


class ConvertSwitch(ConversionPattern[SwitchOp]):
    """`cf.switch` becomes `llvm.switch`."""

    op_types = (SwitchOp,)

    def match_and_rewrite(self, op: SwitchOp, rewriter: ConversionRewriter) -> None:
        operands = rewriter.lowered_all(op.operands)
        convert_targets(op, rewriter)
        counts = [1, len(op.default_operands), sum(len(values) for values in op.case_operand)]
        properties = {
            "case_operand_segments": op.case_operand_segments,
            "operandSegmentSizes": DenseArrayBase.from_list(i32, counts),
        }
        if op.case_values is not None:
            properties["case_values"] = op.case_values
        branch = llvm.SwitchOp.create(
            operands=operands,
            successors=list(op.successors),
            attributes=op.attributes,
            properties=properties,
        )
        rewriter.add(branch)
        rewriter.erase(op)


def convert_targets(op: Operation, rewriter: ConversionRewriter) -> None:
    """Convert the arguments of the blocks that `op` leads to, where the function's own conversion did not."""
    for block in op.successors:
        rewriter.convert_arguments(block)
