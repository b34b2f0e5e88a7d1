"""`arith-expand`, for what runs: divisions that round up or down become the truncated one and a correction.

convert-arith-to-llvm, and so gpu-to-llvm, leaves these ops as they are; mlir-opt has this pass before it.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.syntax.dialects import arith

_EQUAL_NOT, _LESS = 1, 2
"""Predicates of arith.cmpi: `ne` and `slt`."""


def arith_expand(root: Operation) -> None:
    """Expand the rounding divisions of scalars inside `root`, in place; those of vectors stay."""
    for op in list(root.walk()):
        if isinstance(op, _DIVISIONS) and isinstance(op.results[0].type, IndexType | IntegerType):
            _expand(op)


_DIVISIONS = (arith.CeilDivSIOp, arith.CeilDivUIOp, arith.FloorDivSIOp)


def _expand(op: Operation) -> None:
    block, type = cast(Block, op.parent), cast("IndexType | IntegerType", op.results[0].type)

    def add(new: Operation) -> SSAValue:
        new.location = op.location
        block.insert_op_before(new, op)
        return new.results[0]

    def binary(kind: type[Operation], left: SSAValue, right: SSAValue) -> SSAValue:
        return add(kind.create(operands=[left, right], result_types=[left.type]))

    def constant(value: int, type: IndexType | IntegerType) -> SSAValue:
        return add(
            arith.ConstantOp.create(result_types=[type], properties={"value": IntegerAttr(value, type)})
        )

    def compare(predicate: int, left: SSAValue, right: SSAValue) -> SSAValue:
        properties = {"predicate": IntegerAttr(predicate, i64)}
        return add(arith.CmpiOp.create(operands=[left, right], result_types=[i1], properties=properties))

    left, right = op.operands
    signed, down = not isinstance(op, arith.CeilDivUIOp), isinstance(op, arith.FloorDivSIOp)
    divide, rest = (arith.DivSIOp, arith.RemSIOp) if signed else (arith.DivUIOp, arith.RemUIOp)
    quotient, remainder = binary(divide, left, right), binary(rest, left, right)
    zero = constant(0, type)
    off = compare(_EQUAL_NOT, remainder, zero)
    if signed:  # truncation went the other way only where the exact quotient has the other sign
        negative = compare(_LESS, binary(arith.XOrIOp, left, right), zero)
        wrong = negative if down else binary(arith.XOrIOp, negative, constant(1, i1))
        off = binary(arith.AndIOp, off, wrong)
    corrected = binary(arith.AddiOp, quotient, constant(-1 if down else 1, type))
    chosen = add(arith.SelectOp.create(operands=[off, corrected, quotient], result_types=[type]))
    op.results[0].replace_all_uses_with(chosen)
    op.detach()
    op.erase()
