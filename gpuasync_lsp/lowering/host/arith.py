"""The arith dialect: mostly one llvm op for one arith op, on converted types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr

OVERFLOW_BITS = {"nsw": 1, "nuw": 2}


class ConvertConstant(ConversionPattern[arith.ConstantOp]):
    """`arith.constant` becomes `llvm.mlir.constant` with the same attribute."""

    op_types = (arith.ConstantOp,)

    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.result.type)
        rewriter.replace(op, [build.constant(rewriter, op.value, type)])


class OneToOne(ConversionPattern[Operation]):
    """An op that becomes one llvm op with the same operands, such as `arith.addi` and `llvm.add`."""

    op_types = ()

    def __init__(self, source: type[Operation], target: type[Operation]):
        self.op_types = (source,)
        self.target = target

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        operands = rewriter.lowered_all(op.operands)
        types = [rewriter.converted(result.type) for result in op.results]
        new = rewriter.add(
            self.target.create(
                operands=operands, result_types=types, properties=flags(op), attributes=op.attributes
            )
        )
        rewriter.replace(op, new.results)


class ConvertCmpI(ConversionPattern[arith.CmpiOp]):
    """`arith.cmpi` becomes `llvm.icmp`; both number the predicates alike."""

    op_types = (arith.CmpiOp,)

    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: ConversionRewriter) -> None:
        compare(op, llvm.ICmpOp, {"predicate": op.predicate}, rewriter)


class ConvertCmpF(ConversionPattern[arith.CmpfOp]):
    """`arith.cmpf` becomes `llvm.fcmp`; both number the predicates alike."""

    op_types = (arith.CmpfOp,)

    def match_and_rewrite(self, op: arith.CmpfOp, rewriter: ConversionRewriter) -> None:
        compare(op, llvm.FCmpOp, {"predicate": op.predicate, **flags(op)}, rewriter)


class ConvertIndexCast(ConversionPattern[arith.IndexCastOp]):
    """`arith.index_cast`: truncate, sign-extend or nothing, as the widths demand."""

    op_types = (arith.IndexCastOp,)

    def match_and_rewrite(self, op: arith.IndexCastOp, rewriter: ConversionRewriter) -> None:
        value = rewriter.lowered(op.input)
        type = rewriter.converted(op.result.type)
        if not isinstance(value.type, IntegerType) or not isinstance(type, IntegerType):
            rewriter.refuse("casts scalars only")
        rewriter.replace(op, [resize(rewriter, value, type)])


def resize(rewriter: ConversionRewriter, value: SSAValue, type: IntegerType) -> SSAValue:
    """Insert what brings the integer `value` to the width of `type`, keeping its sign."""
    width = cast(IntegerType, value.type).bitwidth
    if width == type.bitwidth:
        return value
    return build.cast(rewriter, llvm.TruncOp if width > type.bitwidth else llvm.SExtOp, value, type)


def compare(
    op: Operation, target: type[Operation], properties: dict[str, Attribute], rewriter: ConversionRewriter
) -> None:
    """Replace a comparison of scalars or vectors of rank 1."""
    operands = rewriter.lowered_all(op.operands)
    type = rewriter.converted(op.results[0].type)
    new = target.create(operands=operands, result_types=[type], properties=properties)
    rewriter.replace(op, rewriter.add(new).results)


def flags(op: Operation) -> dict[str, Attribute]:
    """Return the llvm properties for the fast-math and overflow flags of an arith op."""
    found: dict[str, Attribute] = {}
    fastmath = op.get_attr_or_prop("fastmath")
    if isinstance(fastmath, arith.FastMathFlagsAttr):
        found["fastmathFlags"] = FastmathFlagsAttr(_words(fastmath) or "none")
    overflow = op.get_attr_or_prop("overflowFlags")
    if isinstance(overflow, arith.IntegerOverflowAttr):
        bits = sum(OVERFLOW_BITS[flag.value] for flag in overflow.flags)
        found["overflowFlags"] = IntegerAttr(bits, i32)
    return found


def _words(fastmath: arith.FastMathFlagsAttr) -> str:
    chosen = [flag.value for flag in fastmath.flags]
    all_flags = {flag.value for flag in type(fastmath).all_flags()} if hasattr(fastmath, "all_flags") else set()
    return "fast" if all_flags and set(chosen) == all_flags else ", ".join(chosen)


PATTERNS: Sequence[ConversionPattern[Operation]] = (
    ConvertConstant(),
    ConvertCmpI(),
    ConvertCmpF(),
    ConvertIndexCast(),
    *(
        OneToOne(source, target)
        for source, target in (
            (arith.AddiOp, llvm.AddOp),
            (arith.SubiOp, llvm.SubOp),
            (arith.MuliOp, llvm.MulOp),
            (arith.DivSIOp, llvm.SDivOp),
            (arith.DivUIOp, llvm.UDivOp),
            (arith.RemSIOp, llvm.SRemOp),
            (arith.RemUIOp, llvm.URemOp),
            (arith.AndIOp, llvm.AndOp),
            (arith.OrIOp, llvm.OrOp),
            (arith.XOrIOp, llvm.XOrOp),
            (arith.ShLIOp, llvm.ShlOp),
            (arith.ShRSIOp, llvm.AShrOp),
            (arith.ShRUIOp, llvm.LShrOp),
            (arith.AddfOp, llvm.FAddOp),
            (arith.SubfOp, llvm.FSubOp),
            (arith.MulfOp, llvm.FMulOp),
            (arith.DivfOp, llvm.FDivOp),
            (arith.NegfOp, llvm.FNegOp),
            (arith.SelectOp, llvm.SelectOp),
            (arith.BitcastOp, llvm.BitcastOp),
            (arith.ExtSIOp, llvm.SExtOp),
            (arith.ExtUIOp, llvm.ZExtOp),
            (arith.TruncIOp, llvm.TruncOp),
            (arith.ExtFOp, llvm.FPExtOp),
            (arith.TruncFOp, llvm.FPTruncOp),
            (arith.SIToFPOp, llvm.SIToFPOp),
            (arith.UIToFPOp, llvm.UIToFPOp),
            (arith.FPToSIOp, llvm.FPToSIOp),
            (arith.FPToUIOp, llvm.FPToUIOp),
        )
    ),
)
