"""The arith dialect: mostly one llvm op for one arith op, on converted types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.syntax.dialects import arith, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr


class ConvertConstant(ConversionPattern[arith.ConstantOp]):
    """`arith.constant` becomes `llvm.mlir.constant` with the same attribute."""

    op_types = (arith.ConstantOp,)

    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.result.type)
        rewriter.replace(op, [build.constant(rewriter, op.value, type)])


class OneToOne(ConversionPattern[Operation]):
    """An op that becomes one llvm op with the same operands, such as `arith.addi` and `llvm.add`."""

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
        rewriter.replace(op, [resize(rewriter, op, llvm.SExtOp)])


class ConvertIndexCastUI(ConversionPattern[arith.IndexCastUIOp]):
    """`arith.index_castui`: truncate, zero-extend or nothing, as the widths demand."""

    op_types = (arith.IndexCastUIOp,)

    def match_and_rewrite(self, op: arith.IndexCastUIOp, rewriter: ConversionRewriter) -> None:
        rewriter.replace(op, [resize(rewriter, op, llvm.ZExtOp)])


def resize(rewriter: ConversionRewriter, op: Operation, widen: type[Operation]) -> SSAValue:
    """Insert what brings the operand of the cast `op` to the width of its result."""
    value = rewriter.lowered(op.operands[0])
    type = rewriter.converted(op.results[0].type)
    if not all(isinstance(each, IntegerType) for each in (value.type, type)):
        rewriter.refuse("casts scalars only")
    given, wanted = cast(IntegerType, value.type).bitwidth, cast(IntegerType, type).bitwidth
    if given == wanted:
        return value
    new = (llvm.TruncOp if given > wanted else widen).create(
        operands=[value], result_types=[type], properties=flags(op)
    )
    return rewriter.add(new).results[0]


def compare(
    op: Operation, target: type[Operation], properties: dict[str, Attribute], rewriter: ConversionRewriter
) -> None:
    """Replace a comparison of scalars or vectors of rank 1."""
    operands = rewriter.lowered_all(op.operands)
    type = rewriter.converted(op.results[0].type)
    new = target.create(operands=operands, result_types=[type], properties=properties)
    rewriter.replace(op, rewriter.add(new).results)


def flags(op: Operation) -> dict[str, Attribute]:
    """Return the llvm properties for the fast-math, overflow and other flags of an arith op."""
    found: dict[str, Attribute] = {}
    fastmath = op.get_attr_or_prop("fastmath")
    if isinstance(fastmath, arith.FastMathFlagsAttr):
        found["fastmathFlags"] = FastmathFlagsAttr(fastmath.data)
    overflow = op.get_attr_or_prop("overflowFlags")
    if isinstance(overflow, arith.IntegerOverflowFlagsAttr):
        bits = sum(bit for name, bit in llvm.OVERFLOW_FLAGS.items() if name in overflow.data)
        found["overflowFlags"] = IntegerAttr(bits, i32)
    for name in ("nonNeg", "isExact"):
        flag = op.get_attr_or_prop(name)
        if flag is not None:
            found[name] = flag
    return found


def intrinsic(mnemonic: str) -> type[Operation]:
    """Return the class of `llvm.intr.<mnemonic>`."""
    return llvm.INTRINSICS[f"llvm.intr.{mnemonic}"]


PATTERNS: Sequence[Any] = (
    ConvertConstant(),
    ConvertCmpI(),
    ConvertCmpF(),
    ConvertIndexCast(),
    ConvertIndexCastUI(),
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
            (arith.RemfOp, llvm.FRemOp),
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
            (arith.MaximumfOp, intrinsic("maximum")),
            (arith.MinimumfOp, intrinsic("minimum")),
            (arith.MaxnumfOp, intrinsic("maxnum")),
            (arith.MinnumfOp, intrinsic("minnum")),
            (arith.MaxfOp, intrinsic("maximum")),
            (arith.MinfOp, intrinsic("minimum")),
            (arith.MaxSIOp, intrinsic("smax")),
            (arith.MaxUIOp, intrinsic("umax")),
            (arith.MinSIOp, intrinsic("smin")),
            (arith.MinUIOp, intrinsic("umin")),
        )
    ),
)
