"""MLIR's `index` dialect: arithmetic on values of the target's index width."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, ConstantLike, Pure
from xdsl.utils.str_enum import StrEnum

from gpuasync_lsp.syntax.dialects.assembly import (
    INDEX,
    fail,
    named,
    typed,
)
from gpuasync_lsp.syntax.ods.by_table import ByTable, PureByTable


class CmpPredicate(StrEnum):
    """How `index.cmp` compares: `s` signed, `u` unsigned."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"


@irdl_attr_definition
class CmpPredicateAttr(EnumAttribute[CmpPredicate], SpacedOpaqueSyntaxAttribute):
    """`#index<cmp_predicate slt>`."""

    name = "index.cmp_predicate"


class BinaryOp(PureByTable, ABC):
    """`%a, %b`: two indices give one."""

    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(IndexType)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[INDEX])


class CommutativeOp(BinaryOp, ABC):
    """A binary op whose operands may change places."""

    traits = traits_def(Commutative())


AddOp = named(CommutativeOp, "index.add")
SubOp = named(BinaryOp, "index.sub")
MulOp = named(CommutativeOp, "index.mul")
DivSOp = named(BinaryOp, "index.divs")
DivUOp = named(BinaryOp, "index.divu")
CeilDivSOp = named(BinaryOp, "index.ceildivs")
CeilDivUOp = named(BinaryOp, "index.ceildivu")
FloorDivSOp = named(BinaryOp, "index.floordivs")
RemSOp = named(BinaryOp, "index.rems")
RemUOp = named(BinaryOp, "index.remu")
MaxSOp = named(CommutativeOp, "index.maxs")
MaxUOp = named(CommutativeOp, "index.maxu")
MinSOp = named(CommutativeOp, "index.mins")
MinUOp = named(CommutativeOp, "index.minu")
ShlOp = named(BinaryOp, "index.shl")
ShrSOp = named(BinaryOp, "index.shrs")
ShrUOp = named(BinaryOp, "index.shru")
AndOp = named(CommutativeOp, "index.and")
OrOp = named(CommutativeOp, "index.or")
XOrOp = named(CommutativeOp, "index.xor")


@irdl_op_definition
class CmpOp(PureByTable):
    """`slt(%a, %b)` gives an i1."""

    name = "index.cmp"

    pred = prop_def(CmpPredicateAttr)
    lhs = operand_def(IndexType)
    rhs = operand_def(IndexType)
    result = result_def(i1)

    def __init__(self, pred: CmpPredicate, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[i1], properties={"pred": CmpPredicateAttr(pred)})


class CastOp(PureByTable, ABC):
    """`%a : index to i64`, or back: to or from an integer of fixed width."""

    input = operand_def()
    output = result_def()

    def __init__(self, input: SSAValue | Operation, output: IndexType | IntegerType):
        super().__init__(operands=[input], result_types=[output])

    def verify_(self) -> None:
        source, target = self.input.type, self.output.type
        for place, type in (("operand", source), ("result", target)):
            if not isinstance(type, IndexType | IntegerType):
                fail(self, f"{place} #0 must be integer or index, but got {typed(type)}")
        if isinstance(source, IndexType) == isinstance(target, IndexType):
            types = f"{typed(source)} and result type {typed(target)}"
            fail(self, f"operand type {types} are cast incompatible")


@irdl_op_definition
class CastSOp(CastOp):
    """Extends with the sign."""

    name = "index.casts"


@irdl_op_definition
class CastUOp(CastOp):
    """Extends with zeros."""

    name = "index.castu"


@irdl_op_definition
class SizeOfOp(PureByTable):
    """The width of an index in bits."""

    name = "index.sizeof"

    result = result_def(IndexType)


@irdl_op_definition
class ConstantOp(ByTable):
    """`42`, an index."""

    name = "index.constant"

    value = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)

    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: int):
        super().__init__(result_types=[INDEX], properties={"value": IntegerAttr(value, INDEX)})


@irdl_op_definition
class BoolConstantOp(ByTable):
    """`true`, an i1."""

    name = "index.bool.constant"

    value = prop_def(BoolAttr)
    result = result_def(i1)

    traits = traits_def(Pure(), ConstantLike())
