"""The folder of scf.if. Source: `fold` in mlir/lib/Dialect/SCF/IR/SCF.cpp."""

from __future__ import annotations

from xdsl.ir import Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.folders.constants import constant_int
from gpuasync_lsp.syntax.dialects import arith, scf


def turn_branches(op: Operation) -> bool:
    """Swap the branches of an scf.if with a negated condition; return whether they were swapped."""
    if not isinstance(op, scf.IfOp) or not op.false_region.blocks:
        return False
    condition = negated(op.cond)
    if condition is None:
        return False
    op.operands[0] = condition
    op.true_region.move_blocks(beside := Region())
    op.false_region.move_blocks(op.true_region)
    beside.move_blocks(op.false_region)
    return True


def negated(value: SSAValue) -> SSAValue | None:
    """Return the operand of the i1 negation `value`; None if it is not a negation."""
    owner = value.owner
    if isinstance(owner, arith.XOrIOp) and constant_int(owner.operands[1]) in (1, -1):
        return owner.operands[0]
    return None
