"""The math and ub dialects on the host: LLVM intrinsics, and short sequences where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import AnyFloat, BoolAttr, FloatAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def

from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.lowering.host.arith import flags, intrinsic
from gpuasync_lsp.syntax.dialects import DIALECTS, llvm

INTRINSICS = {
    "absf": "fabs", "ceil": "ceil", "copysign": "copysign", "cos": "cos", "ctpop": "ctpop", "exp": "exp",
    "exp2": "exp2", "floor": "floor", "fma": "fma", "fpowi": "powi", "log": "log", "log10": "log10",
    "log2": "log2", "powf": "pow", "round": "round", "roundeven": "roundeven", "sin": "sin", "sqrt": "sqrt",
    "trunc": "trunc",
}  # fmt: skip
"""By math op, the intrinsics that all releases use. Measured in 19 and 22."""

NEWER_INTRINSICS = frozenset({"acos", "asin", "atan", "atan2", "cosh", "sinh", "tan", "tanh"})
"""Math ops that 22 makes intrinsics of the same name, and that 19 leaves."""

WITH_IMMEDIATE = {
    "absi": ("abs", "is_int_min_poison"),
    "ctlz": ("ctlz", "is_zero_poison"),
    "cttz": ("cttz", "is_zero_poison"),
}


@irdl_op_definition
class AbsIntrinsicOp(IRDLOperation):
    """`"llvm.intr.abs"`, which has no assembly of its own."""

    name = "llvm.intr.abs"

    in_ = operand_def()
    is_int_min_poison = prop_def()
    res = result_def()


@irdl_op_definition
class CtlzIntrinsicOp(IRDLOperation):
    """`"llvm.intr.ctlz"`, which has no assembly of its own."""

    name = "llvm.intr.ctlz"

    in_ = operand_def()
    is_zero_poison = prop_def()
    res = result_def()


@irdl_op_definition
class CttzIntrinsicOp(IRDLOperation):
    """`"llvm.intr.cttz"`, which has no assembly of its own."""

    name = "llvm.intr.cttz"

    in_ = operand_def()
    is_zero_poison = prop_def()
    res = result_def()


class ToIntrinsic(ConversionPattern[Operation]):
    """A math op becomes the intrinsic with the same operands."""

    def __init__(self, source: type[Operation], mnemonic: str, newer: bool) -> None:
        self.op_types = (source,)
        self.target = intrinsic(mnemonic)
        self.newer = newer

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        if self.newer and not rewriter.profile.trigonometric_intrinsics:
            rewriter.refuse("this release has no intrinsic for it")
        type = rewriter.converted(op.results[0].type)
        operands = rewriter.lowered_all(op.operands)
        new = self.target.create(operands=operands, result_types=[type], properties=flags(op))
        rewriter.replace(op, rewriter.add(new).results)


class ToIntrinsicWithImmediate(ConversionPattern[Operation]):
    """`math.absi`, `ctlz` and `cttz`: the intrinsic that is defined for every input."""

    TARGETS = {"abs": AbsIntrinsicOp, "ctlz": CtlzIntrinsicOp, "cttz": CttzIntrinsicOp}  # noqa: RUF012

    def __init__(self, source: type[Operation], mnemonic: str, immediate: str) -> None:
        self.op_types = (source,)
        self.target = self.TARGETS[mnemonic]
        self.properties: dict[str, Attribute] = {immediate: BoolAttr.from_bool(False)}

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.results[0].type)
        operands = rewriter.lowered_all(op.operands)
        new = self.target.create(operands=operands, result_types=[type], properties=dict(self.properties))
        rewriter.replace(op, rewriter.add(new).results)


class Expanded(ConversionPattern[Operation]):
    """`math.expm1` is exp(x) - 1, `log1p` is log(1 + x), `rsqrt` is 1 / sqrt(x), on scalars."""

    def __init__(self, source: type[Operation]) -> None:
        self.op_types = (source,)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.results[0].type)
        if not isinstance(type, AnyFloat):
            rewriter.refuse("expands scalars only")
        (value,) = rewriter.lowered_all(op.operands)
        one = build.constant(rewriter, FloatAttr(1.0, type), type)
        carried = flags(op)

        def insert(target: type[Operation], *operands: SSAValue) -> SSAValue:
            new = target.create(operands=operands, result_types=[type], properties=dict(carried))
            return rewriter.add(new).results[0]

        if op.name == "math.expm1":
            result = insert(llvm.FSubOp, insert(intrinsic("exp"), value), one)
        elif op.name == "math.log1p":
            result = insert(intrinsic("log"), insert(llvm.FAddOp, one, value))
        else:
            result = insert(llvm.FDivOp, one, insert(intrinsic("sqrt"), value))
        rewriter.replace(op, [result])


class ConvertPoison(ConversionPattern[Operation]):
    """`ub.poison` becomes `llvm.mlir.poison`."""

    def __init__(self, source: type[Operation]) -> None:
        self.op_types = (source,)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.results[0].type)
        rewriter.replace(op, rewriter.add(llvm.PoisonOp.create(result_types=[type])).results)


class ConvertUnreachable(ConversionPattern[Operation]):
    """`ub.unreachable` becomes `llvm.unreachable`."""

    def __init__(self, source: type[Operation]) -> None:
        self.op_types = (source,)

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        rewriter.add(llvm.UnreachableOp.create())
        rewriter.erase(op)


def patterns() -> Sequence[Any]:
    """Return the patterns for the ops that the parser knows."""
    found: list[Any] = []
    for op in DIALECTS["math"]().operations:
        name = op.name.removeprefix("math.")
        if name in INTRINSICS or name in NEWER_INTRINSICS:
            found.append(ToIntrinsic(op, INTRINSICS.get(name, name), name in NEWER_INTRINSICS))
        elif name in WITH_IMMEDIATE:
            found.append(ToIntrinsicWithImmediate(op, *WITH_IMMEDIATE[name]))
        elif name in ("expm1", "log1p", "rsqrt"):
            found.append(Expanded(op))
    found += [ConvertPoison(op) for op in DIALECTS["ub"]().operations if op.name == "ub.poison"]
    found += [ConvertUnreachable(op) for op in DIALECTS["ub"]().operations if op.name == "ub.unreachable"]
    return found
