"""MLIR's `index` dialect: arithmetic on values of the target's index width."""

from __future__ import annotations

from abc import ABC

from xdsl.irdl import traits_def
from xdsl.traits import ConstantLike, Pure

from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table, table_op_definition
from gpuasync_lsp.syntax.ods.enumerations import enumeration_attr

CmpPredicateAttr = enumeration_attr("index.cmp_predicate")


class BinaryOp(TableOp, ABC):
    """An op on two indices that returns an index: `index.add %a, %b`."""


AddOp = from_table("index.add", BinaryOp)
SubOp = from_table("index.sub", BinaryOp)
MulOp = from_table("index.mul", BinaryOp)
DivSOp = from_table("index.divs", BinaryOp)
DivUOp = from_table("index.divu", BinaryOp)
CeilDivSOp = from_table("index.ceildivs", BinaryOp)
CeilDivUOp = from_table("index.ceildivu", BinaryOp)
FloorDivSOp = from_table("index.floordivs", BinaryOp)
RemSOp = from_table("index.rems", BinaryOp)
RemUOp = from_table("index.remu", BinaryOp)
MaxSOp = from_table("index.maxs", BinaryOp)
MaxUOp = from_table("index.maxu", BinaryOp)
MinSOp = from_table("index.mins", BinaryOp)
MinUOp = from_table("index.minu", BinaryOp)
ShlOp = from_table("index.shl", BinaryOp)
ShrSOp = from_table("index.shrs", BinaryOp)
ShrUOp = from_table("index.shru", BinaryOp)
AndOp = from_table("index.and", BinaryOp)
OrOp = from_table("index.or", BinaryOp)
XOrOp = from_table("index.xor", BinaryOp)


CmpOp = from_table("index.cmp", TableOp)
SizeOfOp = from_table("index.sizeof", TableOp)
BoolConstantOp = from_table("index.bool.constant", TableOp)


class CastOp(TableOp, ABC):
    """A cast between index and an integer of fixed width: `index.casts %a : index to i64`."""


CastSOp = from_table("index.casts", CastOp)
CastUOp = from_table("index.castu", CastOp)


@table_op_definition
class ConstantOp(TableOp):
    """`index.constant 42`."""

    name = "index.constant"

    traits = traits_def(Pure(), ConstantLike())
