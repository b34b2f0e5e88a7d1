"""cf.br, cf.cond_br, cf.switch and cf.assert become llvm ops on lowered values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, i8, i32
from xdsl.ir import Attribute, Block, Operation

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.assertions import fail_unless
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.runtime import declare_first, declare_text
from gpuasync_lsp.lowering.conversion.types import PTR, array
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.cf import AssertOp, BranchOp, ConditionalBranchOp, SwitchOp
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType


class ConvertBranch(ConversionPattern[BranchOp]):
    """`cf.br` becomes `llvm.br`."""

    def match_and_rewrite(self, op: BranchOp, rewriter: ConversionRewriter) -> None:
        arguments = rewriter.lowered_all(op.arguments)
        convert_targets(op, rewriter)
        branch = llvm.BrOp.create(operands=arguments, successors=[op.successor], attributes=op.attributes)
        rewriter.add(branch)
        rewriter.erase(op)


class ConvertCondBranch(ConversionPattern[ConditionalBranchOp]):
    """`cf.cond_br` becomes `llvm.cond_br`."""

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

    def match_and_rewrite(self, op: SwitchOp, rewriter: ConversionRewriter) -> None:
        operands = rewriter.lowered_all(op.operands)
        convert_targets(op, rewriter)
        counts = [1, len(op.default_operands), sum(len(values) for values in op.case_operand)]
        properties: dict[str, Attribute] = {
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


class ConvertAssert(ConversionPattern[AssertOp]):
    """`cf.assert` becomes a branch to a block that prints the message with puts and aborts."""

    def match_and_rewrite(self, op: AssertOp, rewriter: ConversionRewriter) -> None:
        def fail(_: Block) -> None:
            text = op.msg.data.encode() + b"\0"
            global_type = array(len(text), i8)
            numbered = rewriter.profile.numbers_first_text
            name = declare_text(rewriter, "assert_msg", text, numbered=numbered)
            declare_first(rewriter, "puts", LLVMFunctionType([PTR]))
            address = build.address_of(rewriter, name)
            first = build.element_pointer(rewriter, address, global_type, [0])
            build.call(rewriter, "puts", [first], [])
            declare_first(rewriter, "abort", LLVMFunctionType([]))
            build.call(rewriter, "abort", [], [])
            rewriter.add(llvm.UnreachableOp.create())

        fail_unless(rewriter, op, rewriter.lowered(op.arg), fail, is_next=False)


def convert_targets(op: Operation, rewriter: ConversionRewriter) -> None:
    """Convert the block arguments of the successors of `op`, unless the function's conversion did so."""
    for block in op.successors:
        if rewriter.functions_convert or rewriter.profile.branches_must_convert:
            rewriter.convert_arguments(block)
        elif rewriter.types.convert_all(a.type for a in block.args) != [a.type for a in block.args]:
            rewriter.match_failure("the function, which has the block arguments, is not converted")


PATTERNS: Sequence[AnyPattern] = (ConvertBranch(), ConvertCondBranch(), ConvertSwitch(), ConvertAssert())
