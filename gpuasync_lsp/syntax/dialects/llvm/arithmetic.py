"""Arithmetic and comparisons of the llvm dialect."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import opt_prop_def

from gpuasync_lsp.syntax.dialects.assembly import i1_like, i64_attr
from gpuasync_lsp.syntax.dialects.llvm.assembly import NO_FASTMATH
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr, IntegerOverflowFlagsAttr
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table
from gpuasync_lsp.syntax.ods.table import entry

_PREDICATES = {
    name: found.variants[-1].attributes["predicate"].cases
    for name in ("llvm.fcmp", "llvm.icmp")
    if (found := entry(name))
}
ICMP_PREDICATES = _PREDICATES["llvm.icmp"]


class OverflowOp(TableOp, ABC):
    """An integer op with `overflow<nsw, nuw>`."""

    overflow_flags = opt_prop_def(
        IntegerAttr | IntegerOverflowFlagsAttr, IntegerAttr(0, i32), prop_name="overflowFlags"
    )


class FloatOp(TableOp, ABC):
    """A float op with fastmath flags; some of these ops have them only since LLVM 23."""

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


AddOp = from_table("llvm.add", OverflowOp)
SubOp = from_table("llvm.sub", OverflowOp)
MulOp = from_table("llvm.mul", OverflowOp)
ShlOp = from_table("llvm.shl", OverflowOp)
UDivOp = from_table("llvm.udiv", TableOp)
SDivOp = from_table("llvm.sdiv", TableOp)
LShrOp = from_table("llvm.lshr", TableOp)
AShrOp = from_table("llvm.ashr", TableOp)
URemOp = from_table("llvm.urem", TableOp)
SRemOp = from_table("llvm.srem", TableOp)
AndOp = from_table("llvm.and", TableOp)
OrOp = from_table("llvm.or", TableOp)
XOrOp = from_table("llvm.xor", TableOp)
FAddOp = from_table("llvm.fadd", FloatOp)
FSubOp = from_table("llvm.fsub", FloatOp)
FMulOp = from_table("llvm.fmul", FloatOp)
FDivOp = from_table("llvm.fdiv", FloatOp)
FRemOp = from_table("llvm.frem", FloatOp)
FNegOp = from_table("llvm.fneg", FloatOp)
SelectOp = from_table("llvm.select", FloatOp)


class _ComparisonOp(TableOp, ABC):
    """A comparison: `llvm.icmp "slt" %a, %b : i32`."""

    def __init__(self, predicate: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[i1_like(lhs.type)],
            properties={"predicate": i64_attr(_PREDICATES[self.name].index(predicate))},
        )


class _FloatComparisonOp(_ComparisonOp, FloatOp, ABC):
    """A comparison with fastmath flags."""


ICmpOp = from_table("llvm.icmp", _ComparisonOp)
FCmpOp = from_table("llvm.fcmp", _FloatComparisonOp)
