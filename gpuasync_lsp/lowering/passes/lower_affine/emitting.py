"""Helpers that insert ops, constants and affine expressions for the lowering of affine ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from gpuasync_lsp.lowering.conversion.edits import NewOpT, erase, insert_before
from gpuasync_lsp.lowering.conversion.errors import MatchFailure, PassError
from gpuasync_lsp.lowering.conversion.folders import fold_as_it_is
from gpuasync_lsp.lowering.conversion.folders.constants import integer
from gpuasync_lsp.lowering.conversion.insertion import Inserter
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.dialects.assembly import INDEX
from gpuasync_lsp.text.effort import spend

EQ, SLT, SLE, SGT, SGE = 0, 2, 3, 4, 5
"""Values of arith.cmpi's predicate."""


class Emitter(Inserter):
    """Inserts ops before `op`; `values` maps the results of lowered ops to their replacements."""

    def __init__(self, op: Operation, values: dict[SSAValue, SSAValue], profile: Profile) -> None:
        self.op = op
        self._added: list[Operation] = []
        self.profile = profile
        self._values = values

    def now(self, value: SSAValue) -> SSAValue:
        """Return the current replacement of `value`."""
        while value in self._values:
            value = self._values[value]
        return value

    def all_now(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Return the current replacement of each of `values`."""
        return [self.now(value) for value in values]

    def become(self, values: Sequence[SSAValue]) -> None:
        """Record the values that replace the results of `op`."""
        self._values.update(zip(self.op.results, values, strict=True))

    def add(self, op: NewOpT) -> NewOpT:
        """Insert `op` before the op that is being lowered."""
        insert_before(self.op, op)
        self._added.append(op)
        return op

    def withdraw(self) -> None:
        """Erase the inserted ops, after a failure."""
        for op in reversed(self._added):
            if op.parent is not None:
                op.detach()
                op.erase(safe_erase=False)

    def append(self, block: Block, op: NewOpT) -> NewOpT:
        """Insert `op` at the end of `block`."""
        op.location = self.op.location
        block.add_op(op)
        return op

    def constant(self, value: int) -> SSAValue:
        """Return a new constant of type index."""
        return self.add(integer(value, INDEX)).results[0]

    def truth(self) -> SSAValue:
        """Return a new i1 constant true."""
        return self.add(arith.ConstantOp(IntegerAttr(1, i1))).results[0]

    def binary(self, kind: type[Operation], left: SSAValue, right: SSAValue, flags: str = "") -> SSAValue:
        """Return the result of a new binary op of class `kind`."""
        op = kind.create(operands=[left, right], result_types=[left.type])
        if flags:
            op.properties["overflowFlags"] = arith.IntegerOverflowFlagsAttr(flags)
        return self.add(op).results[0]

    def folded(self, kind: type[Operation], left: SSAValue, right: SSAValue, flags: str = "") -> SSAValue:
        """Return the result of a new op of class `kind`, or the value that it folds to."""
        value = self.binary(kind, left, right, flags)
        op = value.owner
        assert isinstance(op, Operation)
        known = fold_as_it_is(op, self.profile)
        if known is None:
            return value
        erase(op)
        (result,) = known
        return result if isinstance(result, SSAValue) else self.add(result).results[0]

    def compare(self, predicate: int, left: SSAValue, right: SSAValue) -> SSAValue:
        """Return the i1 result of a new arith.cmpi."""
        return self.create(arith.CmpiOp, [left, right], i1, {"predicate": IntegerAttr(predicate, 64)})

    def select(self, condition: SSAValue, yes: SSAValue, no: SSAValue) -> SSAValue:
        """Return the result of a new arith.select."""
        return self.create(arith.SelectOp, [condition, yes, no], yes.type)

    def expand(self, map: AffineMap, operands: Sequence[SSAValue]) -> list[SSAValue]:
        """Return the results of `map` as values. Raises MatchFailure for a division by a constant <= 0."""
        values = self.all_now(operands)
        return [self.expression(result, values, map.num_dims) for result in map.results]

    def expression(self, expression: AffineExpr, values: Sequence[SSAValue], dims: int) -> SSAValue:
        """Insert the ops with which mlir-opt computes `expression`; return its value.

        `values` are those of the dimensions, then of the symbols."""
        spend()
        if isinstance(expression, AffineConstantExpr):
            return self.constant(expression.value)
        if isinstance(expression, AffineDimExpr):
            return values[expression.position]
        if isinstance(expression, AffineSymExpr):
            return values[dims + expression.position]
        assert isinstance(expression, AffineBinaryOpExpr)
        kind, divisor = expression.kind, expression.rhs
        is_division = kind not in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)
        if is_division and isinstance(divisor, AffineConstantExpr) and divisor.value <= 0:
            word = "modulo" if kind is AffineBinaryOpKind.Mod else "division"
            raise MatchFailure(f"{word} by non-positive value is not supported")
        left = self.expression(expression.lhs, values, dims)
        right = self.expression(expression.rhs, values, dims)
        if kind is AffineBinaryOpKind.Add:
            return self.binary(arith.AddiOp, left, right)
        if kind is AffineBinaryOpKind.Mul:
            flags = "nsw" if self.profile.affine_flags else ""
            return self.binary(arith.MuliOp, left, right, flags)
        if kind is AffineBinaryOpKind.Mod:
            return self._modulo(left, right)
        return self._floor(left, right) if kind is AffineBinaryOpKind.FloorDiv else self._ceil(left, right)

    def _modulo(self, left: SSAValue, right: SSAValue) -> SSAValue:
        rest = self.binary(arith.RemSIOp, left, right)
        is_negative = self.compare(SLT, rest, self.constant(0))
        return self.select(is_negative, self.binary(arith.AddiOp, rest, right), rest)

    def _floor(self, left: SSAValue, right: SSAValue) -> SSAValue:
        zero, minus_one = self.constant(0), self.constant(-1)
        is_negative = self.compare(SLT, left, zero)
        dividend = self.select(is_negative, self.binary(arith.SubiOp, minus_one, left), left)
        quotient = self.binary(arith.DivSIOp, dividend, right)
        return self.select(is_negative, self.binary(arith.SubiOp, minus_one, quotient), quotient)

    def _ceil(self, left: SSAValue, right: SSAValue) -> SSAValue:
        zero, one = self.constant(0), self.constant(1)
        is_low = self.compare(SLE, left, zero)
        negated = self.binary(arith.SubiOp, zero, left)
        decremented = self.binary(arith.SubiOp, left, one)
        quotient = self.binary(arith.DivSIOp, self.select(is_low, negated, decremented), right)
        negated = self.binary(arith.SubiOp, zero, quotient)
        incremented = self.binary(arith.AddiOp, quotient, one)
        return self.select(is_low, negated, incremented)

    def extremum(self, map: AffineMap, operands: Sequence[SSAValue], largest: bool) -> SSAValue:
        """Return the maximum or minimum of the results of `map`.

        Raises PassError if `map` has no result, for which mlir-opt (LLVM 16, 19) crashes."""
        if not map.results:
            raise PassError(self.op, f"'{self.op.name}' op has a map without a result")
        first, *others = self.expand(map, operands)
        for other in others:
            if self.profile.affine_extrema_are_ops:
                first = self.binary(arith.MaxSIOp if largest else arith.MinSIOp, first, other)
            else:
                first = self.select(self.compare(SGT if largest else SLT, first, other), first, other)
        return first
