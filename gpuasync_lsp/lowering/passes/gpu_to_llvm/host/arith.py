"""Converts the arith dialect: most ops become one llvm op on converted types."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, IntegerType, VectorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.conversion.types import struct
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import convert_rows
from gpuasync_lsp.syntax.dialects import arith, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr, LLVMArrayType
from gpuasync_lsp.syntax.kinds import is_integer, is_vector
from gpuasync_lsp.syntax.ods.custom.llvm import OVERFLOW_FLAGS


class ConvertConstant(ConversionPattern[arith.ConstantOp]):
    """`arith.constant` becomes `llvm.mlir.constant` with the same attribute."""

    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.result.type)
        rewriter.replace(op, [build.constant(rewriter, op.value, type, op.attributes)])


class OneToOne(ConversionPattern[Operation]):
    """An op becomes one llvm op with the same operands, for example `llvm.add` for `arith.addi`."""

    def __init__(self, source: type[Operation], target: type[Operation]):
        self.op_types = (source,)
        self.target = target

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        floats = any(is_small_float(value.type) for value in (*op.operands, *op.results))
        if floats and op.name not in _MOVES_BITS and rewriter.profile.small_floats_stay:
            rewriter.match_failure(_NO_SMALL_FLOATS)
        properties = flags(op)

        def make(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
            if op.name == "arith.bitcast" and operands[0].type == type:
                return operands[0]  # MLIR folds this llvm.bitcast.
            return rewriter.create(self.target, operands, type, properties, attributes=op.attributes)

        convert_rows(op, rewriter, make)


_MOVES_BITS = frozenset({"arith.select", "arith.bitcast"})
"""Ops lowered as integer ops if an operand is a float that LLVM lacks. Measured in LLVM 22 and 23."""
_NO_SMALL_FLOATS = "LLVM has no floats of this type"
_CONSTRAINED_TRUNC = build.table_op("llvm.intr.experimental.constrained.fptrunc")


class ConvertTruncF(OneToOne):
    """`arith.truncf` becomes `llvm.fptrunc`; with a rounding mode, the constrained intrinsic."""

    def __init__(self) -> None:
        super().__init__(arith.TruncFOp, llvm.FPTruncOp)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        mode = op.get_attr_or_prop("roundingmode")
        if not isinstance(mode, IntegerAttr):
            super().match_and_rewrite(op, rewriter)
            return
        number: int = mode.value.data  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        word = arith.ROUNDING_MODES[number].replace("nearest_even", "nearest").replace("_", "")
        properties: dict[str, Attribute] = {
            "roundingmode": IntegerAttr(llvm.ROUNDING_MODES.index(word), i64),
            "fpExceptionBehavior": IntegerAttr(llvm.EXCEPTIONS.index("ignore"), i64),
        }

        def make(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
            return rewriter.create(_CONSTRAINED_TRUNC, operands, type, properties)

        convert_rows(op, rewriter, make)


class ConvertExtended(ConversionPattern[Operation], ops=(arith.AddUIExtendedOp, arith.SubUIExtendedOp)):
    """`arith.addui_extended` and `subui_extended` become `llvm.intr.uadd.with.overflow` and `usub`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        operands = rewriter.lowered_all(op.operands)
        types = [rewriter.converted(result.type) for result in op.results]
        _reject_arrays(types, rewriter)
        kind = "uadd" if isinstance(op, arith.AddUIExtendedOp) else "usub"
        intrinsic = build.table_op(f"llvm.intr.{kind}.with.overflow")
        both = rewriter.create(intrinsic, operands, struct(types))
        rewriter.replace(op, [build.extract_value(rewriter, both, n) for n in range(2)])


class ConvertMultiplyExtended(
    ConversionPattern[Operation], ops=(arith.MulSIExtendedOp, arith.MulUIExtendedOp)
):
    """`arith.mulsi_extended` and `mului_extended` become a product of twice the width, split into halves."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        operands = rewriter.lowered_all(op.operands)
        type = rewriter.converted(op.results[0].type)
        _reject_arrays([type], rewriter)
        widen = llvm.SExtOp if isinstance(op, arith.MulSIExtendedOp) else llvm.ZExtOp
        bits = _width(type, rewriter)
        double = IntegerType(2 * bits)
        wide: Attribute = double
        count: Attribute = IntegerAttr(bits, double)
        if is_vector(type):
            wide_vector = VectorType(double, type.shape, type.scalable_dims)
            wide, count = wide_vector, splat(wide_vector, bits)
        left, right = (build.cast(rewriter, widen, operand, wide) for operand in operands)
        product = build.multiply(rewriter, left, right)
        low = build.cast(rewriter, llvm.TruncOp, product, type)
        shift = build.constant(rewriter, count, wide)
        high = build.cast(rewriter, llvm.TruncOp, rewriter.create(llvm.LShrOp, [product, shift], wide), type)
        rewriter.replace(op, [low, high])


class ConvertCmpI(ConversionPattern[arith.ComparisonOp], ops=(arith.CmpiOp,)):
    """`arith.cmpi` becomes `llvm.icmp`; both use the same predicate numbers."""

    def match_and_rewrite(self, op: arith.ComparisonOp, rewriter: ConversionRewriter) -> None:
        compare(op, llvm.ICmpOp, {"predicate": op.predicate}, rewriter)


class ConvertCmpF(ConversionPattern[arith.ComparisonOp], ops=(arith.CmpfOp,)):
    """`arith.cmpf` becomes `llvm.fcmp`; both use the same predicate numbers."""

    def match_and_rewrite(self, op: arith.ComparisonOp, rewriter: ConversionRewriter) -> None:
        if is_small_float(op.lhs.type) and rewriter.profile.small_floats_stay:
            rewriter.match_failure(_NO_SMALL_FLOATS)
        compare(op, llvm.FCmpOp, {"predicate": op.predicate, **flags(op)}, rewriter)


class ConvertIndexCast(ConversionPattern[Operation], ops=(arith.IndexCastOp,)):
    """`arith.index_cast` truncates, sign-extends or forwards its operand, depending on the widths."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        resize(rewriter, op, llvm.SExtOp)


class ConvertIndexCastUI(ConversionPattern[Operation], ops=(arith.IndexCastUIOp,)):
    """`arith.index_castui` truncates, zero-extends or forwards its operand, depending on the widths."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        resize(rewriter, op, llvm.ZExtOp)


def resize(rewriter: ConversionRewriter, op: Operation, widen: type[Operation]) -> None:
    """Replace the cast `op` with ops that convert its operand to the width of its result."""
    given, wanted = (
        _width(rewriter.converted(value.type), rewriter) for value in (op.operands[0], op.results[0])
    )
    if given == wanted:
        rewriter.replace(op, [rewriter.lowered(op.operands[0])])
        return
    target = llvm.TruncOp if given > wanted else widen

    def make(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
        return rewriter.create(target, operands, type, flags(op))

    convert_rows(op, rewriter, make)


def _width(type: Attribute, rewriter: ConversionRewriter) -> int:
    """Return the bit width of an integer, or of the element type of a vector or an array of vectors."""
    while isinstance(type, LLVMArrayType):
        type = type.type
    if is_vector(type):
        type = type.element_type
    if not is_integer(type):
        rewriter.match_failure("only integers are cast")
    return type.bitwidth


def is_small_float(type: Attribute) -> bool:
    """Return whether `type` is a float of fewer than 16 bits, or a vector of them; LLVM has no such type."""
    if is_vector(type):
        type = type.element_type
    return type.name.startswith(("f8E", "f6E", "f4E"))


def _reject_arrays(types: Sequence[Attribute], rewriter: ConversionRewriter) -> None:
    if any(isinstance(type, LLVMArrayType) for type in types):
        rewriter.match_failure("vectors of several dimensions are not supported")


def compare(
    op: Operation, target: type[Operation], properties: dict[str, Attribute], rewriter: ConversionRewriter
) -> None:
    """Replace a comparison with an llvm op that has the same predicate."""

    def make(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
        return rewriter.create(target, operands, type, properties)

    convert_rows(op, rewriter, make)


def flags(op: Operation) -> dict[str, Attribute]:
    """Return the fast-math, overflow and other flags of an arith op as properties of an llvm op."""
    found: dict[str, Attribute] = {}
    fastmath = op.get_attr_or_prop("fastmath")
    if isinstance(fastmath, arith.FastMathFlagsAttr):
        found["fastmathFlags"] = FastmathFlagsAttr(fastmath.data)
    elif fastmath is not None:
        # xDSL's own attribute, which the math dialect uses, keeps the order of the source.
        words = str(fastmath).partition("<")[2].rstrip(">").split(",")
        found["fastmathFlags"] = FastmathFlagsAttr(", ".join(sorted(words, key=_FASTMATH.find)))
    overflow = op.get_attr_or_prop("overflowFlags")
    if isinstance(overflow, arith.IntegerOverflowFlagsAttr):
        bits = sum(bit for name, bit in OVERFLOW_FLAGS.items() if name in overflow.data)
        found["overflowFlags"] = IntegerAttr(bits, i32)
    for name in ("nonNeg", "isExact"):
        flag = op.get_attr_or_prop(name)
        if flag is not None:
            found[name] = flag
    return found


_FASTMATH = "none nnan ninf nsz arcp contract afn reassoc fast"
"""The flags in the order in which LLVM prints them."""


def intrinsic(mnemonic: str) -> type[Operation]:
    """Return the class of `llvm.intr.<mnemonic>`."""
    return build.table_op(f"llvm.intr.{mnemonic}")


PATTERNS: Sequence[AnyPattern] = (
    ConvertConstant(),
    ConvertCmpI(),
    ConvertCmpF(),
    ConvertIndexCast(),
    ConvertIndexCastUI(),
    ConvertTruncF(),
    ConvertExtended(),
    ConvertMultiplyExtended(),
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
            (arith.SIToFPOp, llvm.SIToFPOp),
            (arith.UIToFPOp, llvm.UIToFPOp),
            (arith.FPToSIOp, llvm.FPToSIOp),
            (arith.FPToUIOp, llvm.FPToUIOp),
            (arith.MaximumfOp, intrinsic("maximum")),
            (arith.MinimumfOp, intrinsic("minimum")),
            (arith.MaxnumfOp, intrinsic("maxnum")),
            (arith.MinnumfOp, intrinsic("minnum")),
            (arith.MaxfOp, intrinsic("maxnum")),
            (arith.MinfOp, intrinsic("minnum")),
            (arith.MaxSIOp, intrinsic("smax")),
            (arith.MaxUIOp, intrinsic("umax")),
            (arith.MinSIOp, intrinsic("smin")),
            (arith.MinUIOp, intrinsic("umin")),
        )
    ),
)
