"""`arith-expand` for divisions that round: corrects the truncated quotient using the remainder.

gpu-to-llvm of newer releases does the same; for kernels and execution, this pass runs before other passes.
Sources: mlir/lib/Dialect/Arith/Transforms/ExpandOps.cpp of LLVM 22, and the output of LLVM 20.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import IntegerAttr, VectorType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.conversion.insertion import OpBuilder
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import is_vector, number_attr, vector_type

_EQ, _NE, _SLT, _SGT = 0, 1, 2, 4
"""Values of arith.cmpi's predicate."""


def arith_expand(root: Operation, profile: Profile | None = None) -> None:
    """Expand the rounding divisions inside `root` in place, as `profile`'s release (default: newest) does."""
    ceil = _ceil_by_signs if profile is not None and profile.ceil_divides_by_signs else _ceil_signed
    for op in list(root.walk()):
        if isinstance(op, _DIVISIONS):
            _expand(op, ceil)


_DIVISIONS = (arith.CeilDivSIOp, arith.CeilDivUIOp, arith.FloorDivSIOp)


def _expand(op: Operation, ceil_signed: Callable[[_Emitter, SSAValue, SSAValue], SSAValue]) -> None:
    emit = _Emitter(op)
    left, right = op.operands
    if isinstance(op, arith.CeilDivUIOp):
        result = _ceil_unsigned(emit, left, right)
    elif isinstance(op, arith.CeilDivSIOp):
        result = ceil_signed(emit, left, right)
    else:
        result = _floor_signed(emit, left, right)
    replace(op, [result])


class _Emitter(OpBuilder):
    """Inserts ops before a division."""

    def constant(self, value: int) -> SSAValue:
        type = self.source.results[0].type
        return self.value(
            arith.ConstantOp(splat(type, value) if is_vector(type) else number_attr(value, type))
        )

    def binary(self, kind: type[Operation], left: SSAValue, right: SSAValue) -> SSAValue:
        return self.create(kind, [left, right], left.type)

    def compare(self, predicate: int, left: SSAValue, right: SSAValue) -> SSAValue:
        type: Attribute = i1
        if left.type.name == "vector":
            vector = vector_type(left.type)
            type = VectorType(i1, vector.shape, vector.scalable_dims)
        return self.create(arith.CmpiOp, [left, right], type, {"predicate": IntegerAttr(predicate, i64)})

    def select(self, condition: SSAValue, if_true: SSAValue, if_false: SSAValue) -> SSAValue:
        return self.create(arith.SelectOp, [condition, if_true, if_false], if_true.type)


def _ceil_signed(emit: _Emitter, left: SSAValue, right: SSAValue) -> SSAValue:
    zero, one = emit.constant(0), emit.constant(1)
    quotient, uneven = _divide(emit, left, right)
    condition = emit.binary(arith.AndIOp, uneven, _compare_signs(emit, _EQ, left, right, zero))
    return emit.select(condition, emit.binary(arith.AddiOp, quotient, one), quotient)


def _ceil_by_signs(emit: _Emitter, left: SSAValue, right: SSAValue) -> SSAValue:
    """Select between two quotients, depending on whether the operands have the same sign."""
    one, zero, minus_one = emit.constant(1), emit.constant(0), emit.constant(-1)
    towards_zero = emit.select(emit.compare(_SGT, right, zero), minus_one, one)
    less = emit.binary(arith.AddiOp, towards_zero, left)
    if_same = emit.binary(arith.AddiOp, emit.binary(arith.DivSIOp, less, right), one)
    negated = emit.binary(arith.SubiOp, zero, left)
    if_not = emit.binary(arith.SubiOp, zero, emit.binary(arith.DivSIOp, negated, right))
    left_signs = [emit.compare(sign, left, zero) for sign in (_SLT, _SGT)]
    right_signs = [emit.compare(sign, right, zero) for sign in (_SLT, _SGT)]
    both = [emit.binary(arith.AndIOp, *each) for each in zip(left_signs, right_signs, strict=True)]
    return emit.select(emit.binary(arith.OrIOp, *both), if_same, if_not)


def _floor_signed(emit: _Emitter, left: SSAValue, right: SSAValue) -> SSAValue:
    quotient, uneven = _divide(emit, left, right)
    zero = emit.constant(0)
    condition = emit.binary(arith.AndIOp, uneven, _compare_signs(emit, _NE, left, right, zero))
    return emit.select(condition, emit.binary(arith.AddiOp, quotient, emit.constant(-1)), quotient)


def _ceil_unsigned(emit: _Emitter, left: SSAValue, right: SSAValue) -> SSAValue:
    zero = emit.constant(0)
    is_zero = emit.compare(_EQ, left, zero)
    one = emit.constant(1)
    quotient = emit.binary(arith.DivUIOp, emit.binary(arith.SubiOp, left, one), right)
    return emit.select(is_zero, zero, emit.binary(arith.AddiOp, quotient, one))


def _divide(emit: _Emitter, left: SSAValue, right: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Return the truncated quotient and whether there is a remainder."""
    quotient = emit.binary(arith.DivSIOp, left, right)
    return quotient, emit.compare(_NE, left, emit.binary(arith.MuliOp, quotient, right))


def _compare_signs(
    emit: _Emitter, predicate: int, left: SSAValue, right: SSAValue, zero: SSAValue
) -> SSAValue:
    return emit.compare(predicate, emit.compare(_SLT, left, zero), emit.compare(_SLT, right, zero))
