"""Ops of the llvm dialect on values: arithmetic, comparisons, casts, constants, structs and vectors."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import opt_prop_def

from gpuasync_lsp.syntax.dialects.assembly import i1_like, i64_attr
from gpuasync_lsp.syntax.dialects.llvm.assembly import NO_FASTMATH
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr, IntegerOverflowFlagsAttr
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table, table_op_definition
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
    """A float op with fastmath flags; some ops have the flags only since LLVM 23."""

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

BitcastOp = from_table("llvm.bitcast", TableOp)
AddrSpaceCastOp = from_table("llvm.addrspacecast", TableOp)
IntToPtrOp = from_table("llvm.inttoptr", TableOp)
PtrToIntOp = from_table("llvm.ptrtoint", TableOp)
SExtOp = from_table("llvm.sext", TableOp)
ZExtOp = from_table("llvm.zext", TableOp)
TruncOp = from_table("llvm.trunc", OverflowOp)
SIToFPOp = from_table("llvm.sitofp", TableOp)
UIToFPOp = from_table("llvm.uitofp", TableOp)
FPToSIOp = from_table("llvm.fptosi", TableOp)
FPToUIOp = from_table("llvm.fptoui", TableOp)
FPExtOp = from_table("llvm.fpext", FloatOp)
FPTruncOp = from_table("llvm.fptrunc", FloatOp)

ConstantOp = from_table("llvm.mlir.constant", TableOp)
ZeroOp = from_table("llvm.mlir.zero", TableOp)
UndefOp = from_table("llvm.mlir.undef", TableOp)
PoisonOp = from_table("llvm.mlir.poison", TableOp)
NullOp = from_table("llvm.mlir.null", TableOp)
"""Exists through LLVM 17; LLVM 18 replaced it with llvm.mlir.zero."""
StackSaveOp = from_table("llvm.intr.stacksave", TableOp)


@table_op_definition
class ExtractValueOp(TableOp):
    name = "llvm.extractvalue"


InsertValueOp = from_table("llvm.insertvalue", TableOp)
ExtractElementOp = from_table("llvm.extractelement", TableOp)
InsertElementOp = from_table("llvm.insertelement", TableOp)
ShuffleVectorOp = from_table("llvm.shufflevector", TableOp)
