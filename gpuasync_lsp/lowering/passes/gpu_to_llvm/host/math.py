"""Converts the math and ub dialects on the host to LLVM intrinsics, or short sequences of ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.lowering.conversion.types import struct
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.arith import flags, intrinsic
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import convert_rows
from gpuasync_lsp.syntax.dialects import DIALECTS, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType
from gpuasync_lsp.syntax.kinds import is_vector, number_attr

INTRINSICS = {
    "absf": "fabs", "ceil": "ceil", "copysign": "copysign", "cos": "cos", "ctpop": "ctpop", "exp": "exp",
    "exp2": "exp2", "floor": "floor", "fma": "fma", "fpowi": "powi", "log": "log", "log10": "log10",
    "log2": "log2", "powf": "pow", "round": "round", "roundeven": "roundeven", "sin": "sin", "sqrt": "sqrt",
    "trunc": "trunc",
}  # fmt: skip
"""Maps math ops that all releases since LLVM 18 lower to intrinsics. Measured in LLVM 19 and 22."""

NEWER_INTRINSICS = frozenset({"acos", "asin", "atan", "atan2", "cosh", "sinh", "tan", "tanh"})
"""Math ops that become intrinsics of the same name since LLVM 21, and are not lowered earlier."""

WITH_IMMEDIATE = {
    "absi": ("abs", "is_int_min_poison"),
    "ctlz": ("ctlz", "is_zero_poison"),
    "cttz": ("cttz", "is_zero_poison"),
}


class ToIntrinsic(ConversionPattern[Operation]):
    """A math op becomes an intrinsic with the same operands."""

    def __init__(self, source: type[Operation], mnemonic: str, newer: bool) -> None:
        self.op_types = (source,)
        self.target = intrinsic(mnemonic)
        self.newer = newer

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        if self.newer and not rewriter.profile.trigonometric_intrinsics:
            rewriter.match_failure("this release has no intrinsic for it")
        properties = flags(op)

        def make(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
            return rewriter.create(self.target, operands, type, properties, attributes=op.attributes)

        convert_rows(op, rewriter, make)


class ToIntrinsicWithImmediate(ConversionPattern[Operation]):
    """`math.absi`, `ctlz` and `cttz` become intrinsics, with the flag that makes no input poison."""

    def __init__(self, source: type[Operation], mnemonic: str, immediate: str) -> None:
        self.op_types = (source,)
        self.target = intrinsic(mnemonic)
        self.properties: dict[str, Attribute] = {immediate: BoolAttr.from_bool(False)}

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        is_array = isinstance(rewriter.converted(op.results[0].type), LLVMArrayType)
        by_rows = rewriter.profile.integer_math_by_rows or rewriter.options.whole_kernels
        if is_array and not by_rows:
            rewriter.match_failure("vectors of several dimensions are not supported")

        def make(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
            return rewriter.create(self.target, operands, type, self.properties)

        convert_rows(op, rewriter, make)


class Expanded(ConversionPattern[Operation]):
    """`math.expm1` becomes exp(x) - 1, `log1p` log(1 + x), `rsqrt` 1 / sqrt(x)."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        carried = flags(op)

        def make(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
            def insert(target: type[Operation], *operands: SSAValue) -> SSAValue:
                return rewriter.create(target, operands, type, carried, attributes=op.attributes)

            (value,) = operands
            one = build.constant(rewriter, _one(type), type)
            if op.name == "math.expm1":
                return insert(llvm.FSubOp, insert(intrinsic("exp"), value), one)
            if op.name == "math.log1p":
                return insert(intrinsic("log"), insert(llvm.FAddOp, one, value))
            return insert(llvm.FDivOp, one, insert(intrinsic("sqrt"), value))

        convert_rows(op, rewriter, make)


def _one(type: Attribute) -> Attribute:
    """Insert the constant 1.0, or a splat of it."""
    return splat(type, 1.0) if is_vector(type) else number_attr(1.0, type)


class ConvertSincos(ConversionPattern[Operation]):
    """`math.sincos` becomes the intrinsic that returns both values."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        types = [rewriter.converted(result.type) for result in op.results]
        both = rewriter.create(
            intrinsic("sincos"), rewriter.lowered_all(op.operands), struct(types), flags(op)
        )
        rewriter.replace(op, [build.extract_value(rewriter, both, n) for n in range(2)])


class ConvertClass(ConversionPattern[Operation]):
    """`math.isnan` and `math.isfinite` become tests of a float's class."""

    CLASSES = {"math.isnan": 0b11, "math.isfinite": 0b111111000}  # noqa: RUF012
    """Maps each op to the bits of LLVM's FPClassTest for which it tests."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.results[0].type)
        properties: dict[str, Attribute] = {"bit": IntegerAttr(self.CLASSES[op.name], i32)}
        new = rewriter.create(
            build.table_op("llvm.intr.is.fpclass"), rewriter.lowered_all(op.operands), type, properties
        )
        rewriter.replace(op, [new])


class ConvertPoison(ConversionPattern[Operation]):
    """`ub.poison` becomes `llvm.mlir.poison`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        if not rewriter.profile.converts_poison:
            rewriter.match_failure("this release does not convert the ub dialect")
        type = rewriter.converted(op.results[0].type)
        rewriter.replace(op, [rewriter.create(llvm.PoisonOp, [], type)])


class ConvertUnreachable(ConversionPattern[Operation]):
    """`ub.unreachable` becomes `llvm.unreachable`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        rewriter.add(llvm.UnreachableOp.create())
        rewriter.erase(op)


def _patterns() -> Sequence[AnyPattern]:
    """Return the patterns for the math ops that the parser supports."""
    found: list[AnyPattern] = []
    for op in DIALECTS["math"]().operations:
        name = op.name.removeprefix("math.")
        if name in INTRINSICS or name in NEWER_INTRINSICS:
            found.append(ToIntrinsic(op, INTRINSICS.get(name, name), name in NEWER_INTRINSICS))
        elif name in WITH_IMMEDIATE:
            found.append(ToIntrinsicWithImmediate(op, *WITH_IMMEDIATE[name]))
        elif name in ("expm1", "log1p", "rsqrt"):
            found.append(Expanded(op))
    found.append(ConvertSincos(build.table_op("math.sincos")))
    found += [ConvertClass(build.table_op(name)) for name in ConvertClass.CLASSES]
    found += [ConvertPoison(op) for op in DIALECTS["ub"]().operations if op.name == "ub.poison"]
    found += [ConvertUnreachable(op) for op in DIALECTS["ub"]().operations if op.name == "ub.unreachable"]
    return found


PATTERNS: Sequence[AnyPattern] = _patterns()
"""The patterns of this module, including those for `ub`."""
