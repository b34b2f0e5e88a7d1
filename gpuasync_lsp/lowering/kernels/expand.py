"""Ops that mlir-opt expands before conversion: rounding divisions, assumptions, ub.poison."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.lowering.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, llvm, memref


class ExpandDivision(ConversionPattern[Operation]):
    """Divisions that round up or down: the truncated quotient, corrected where the remainder is not zero."""

    op_types = (arith.CeilDivSIOp, arith.FloorDivSIOp, arith.CeilDivUIOp)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        left, right = rewriter.lowered_all(op.operands)
        if left.type.name != "integer_type":
            rewriter.refuse("divides scalars only")
        type = cast(IntegerType, left.type)
        unsigned = isinstance(op, arith.CeilDivUIOp)
        divide, rest = (llvm.UDivOp, llvm.URemOp) if unsigned else (llvm.SDivOp, llvm.SRemOp)
        quotient = _binary(rewriter, divide, left, right)
        remainder = _binary(rewriter, rest, left, right)
        zero = build.constant(rewriter, IntegerAttr(0, type), type)
        uneven = _compare(rewriter, 1, remainder, zero)
        if not unsigned:
            signs = _binary(rewriter, llvm.XOrOp, left, right)
            negative = _compare(rewriter, 2, signs, zero)
            down = isinstance(op, arith.FloorDivSIOp)
            wanted = negative if down else _not(rewriter, negative)
            uneven = _binary(rewriter, llvm.AndOp, uneven, wanted)
        step = build.constant(
            rewriter, IntegerAttr(-1 if isinstance(op, arith.FloorDivSIOp) else 1, type), type
        )
        corrected = build.arithmetic(rewriter, llvm.AddOp, quotient, step)
        select = llvm.SelectOp.create(operands=[uneven, corrected, quotient], result_types=[type])
        rewriter.replace(op, rewriter.add(select).results)


class DropAssumption(ConversionPattern[memref.AssumeAlignmentOp]):
    """`memref.assume_alignment` says nothing that must be lowered."""

    op_types = (memref.AssumeAlignmentOp,)

    def match_and_rewrite(self, op: memref.AssumeAlignmentOp, rewriter: ConversionRewriter) -> None:
        if op.results:
            rewriter.replace(op, [rewriter.lowered(op.memref)])
        else:
            rewriter.erase(op)


class ConvertPoison(ConversionPattern[Operation]):
    """`ub.poison` becomes `llvm.mlir.poison`."""

    op_types = (op_class("ub.poison"),)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [build.undefined(rewriter, rewriter.converted(op.results[0].type))])


PATTERNS: tuple[ConversionPattern[Operation], ...] = (ExpandDivision(), DropAssumption(), ConvertPoison())  # type: ignore[assignment]


def _binary(rewriter: ConversionRewriter, kind: type[Operation], left: SSAValue, right: SSAValue) -> SSAValue:
    return rewriter.add(kind.create(operands=[left, right], result_types=[left.type])).results[0]


def _compare(rewriter: ConversionRewriter, predicate: int, left: SSAValue, right: SSAValue) -> SSAValue:
    properties = {"predicate": IntegerAttr(predicate, i64)}
    return rewriter.add(
        llvm.ICmpOp.create(operands=[left, right], result_types=[i1], properties=properties)
    ).results[0]


def _not(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    return _binary(rewriter, llvm.XOrOp, value, build.constant(rewriter, IntegerAttr(-1, i1), i1))
