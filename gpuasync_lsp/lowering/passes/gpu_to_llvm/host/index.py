"""Converts the index dialect to arithmetic on integers that have the width of an index.

Source: mlir/lib/Conversion/IndexToLLVM/IndexToLLVM.cpp. gpu-to-llvm converts it from LLVM 18 on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.arith import OneToOne, intrinsic
from gpuasync_lsp.syntax.dialects import index, llvm
from gpuasync_lsp.syntax.kinds import integer_type, number_of
from gpuasync_lsp.syntax.ods.by_table import TableOp


class IndexOneToOne(OneToOne):
    """An op becomes one llvm op with the same operands."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        type = rewriter.converted(op.results[0].type)
        new = rewriter.create(self.target, rewriter.lowered_all(op.operands), type, attributes=op.attributes)
        rewriter.replace(op, [new])


class ConvertConstant(
    ConversionPattern[Operation], ops=(index.ConstantOp, index.BoolConstantOp, index.SizeOfOp)
):
    """`index.constant`, `index.bool.constant` and `index.sizeof` become `llvm.mlir.constant`."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        type = cast(IntegerType, rewriter.converted(op.results[0].type))
        number = type.bitwidth if isinstance(op, index.SizeOfOp) else number_of(op.properties["value"])
        # The constant may be wider than the integer type.
        value = IntegerAttr(number, type, truncate_bits=True)
        rewriter.replace(op, [build.constant(rewriter, value, type)])


class ConvertCmp(ConversionPattern[TableOp], ops=(index.CmpOp,)):
    """`index.cmp` becomes `llvm.icmp`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        left, right = rewriter.lowered_all(op.operands)
        rewriter.replace(op, [_compare(rewriter, op.pred.data.value, left, right)])


class ConvertCast(ConversionPattern[Operation]):
    """`index.casts` and `index.castu` truncate, extend, or forward the operand."""

    def __init__(self, source: type[Operation], widen: type[Operation]) -> None:
        self.op_types = (source,)
        self.widen = widen

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        (value,) = rewriter.lowered_all(op.operands)
        type = cast(IntegerType, rewriter.converted(op.results[0].type))
        given = integer_type(value.type).bitwidth
        if given != type.bitwidth:
            value = build.cast(rewriter, llvm.TruncOp if given > type.bitwidth else self.widen, value, type)
        rewriter.replace(op, [value])


class ExpandDivision(
    ConversionPattern[Operation], ops=(index.CeilDivSOp, index.CeilDivUOp, index.FloorDivSOp)
):
    """`index.ceildivs`, `ceildivu` and `floordivs` become the truncated division with a correction."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        left, right = rewriter.lowered_all(op.operands)
        rewriter.replace(op, [_DIVISIONS[type(op)](rewriter, left, right)])


def _ceil_signed(rewriter: ConversionRewriter, n: SSAValue, m: SSAValue) -> SSAValue:
    zero, one, minus = _constants(rewriter, m.type, 0, 1, -1)
    positive = _compare(rewriter, "sgt", m, zero)
    shift = _select(rewriter, positive, minus, one)
    quotient = _binary(rewriter, llvm.SDivOp, _binary(rewriter, llvm.AddOp, n, shift), m)
    up = _binary(rewriter, llvm.AddOp, quotient, one)
    negated = _binary(rewriter, llvm.SDivOp, _binary(rewriter, llvm.SubOp, zero, n), m)
    down = _binary(rewriter, llvm.SubOp, zero, negated)
    same = _compare(rewriter, "eq", _compare(rewriter, "sgt", n, zero), positive)
    both = _binary(rewriter, llvm.AndOp, same, _compare(rewriter, "ne", n, zero))
    return _select(rewriter, both, up, down)


def _ceil_unsigned(rewriter: ConversionRewriter, n: SSAValue, m: SSAValue) -> SSAValue:
    zero, one = _constants(rewriter, m.type, 0, 1)
    quotient = _binary(rewriter, llvm.UDivOp, _binary(rewriter, llvm.SubOp, n, one), m)
    up = _binary(rewriter, llvm.AddOp, quotient, one)
    return _select(rewriter, _compare(rewriter, "eq", n, zero), zero, up)


def _floor_signed(rewriter: ConversionRewriter, n: SSAValue, m: SSAValue) -> SSAValue:
    zero, one, minus = _constants(rewriter, m.type, 0, 1, -1)
    negative = _compare(rewriter, "slt", m, zero)
    shift = _select(rewriter, negative, one, minus)
    quotient = _binary(rewriter, llvm.SDivOp, _binary(rewriter, llvm.SubOp, shift, n), m)
    down = _binary(rewriter, llvm.SubOp, minus, quotient)
    plain = _binary(rewriter, llvm.SDivOp, n, m)
    differ = _compare(rewriter, "ne", _compare(rewriter, "slt", n, zero), negative)
    both = _binary(rewriter, llvm.AndOp, differ, _compare(rewriter, "ne", n, zero))
    return _select(rewriter, both, down, plain)


_DIVISIONS: dict[type[Operation], Callable[[ConversionRewriter, SSAValue, SSAValue], SSAValue]] = {
    index.CeilDivSOp: _ceil_signed,
    index.CeilDivUOp: _ceil_unsigned,
    index.FloorDivSOp: _floor_signed,
}


def _check(rewriter: ConversionRewriter) -> None:
    if not rewriter.profile.converts_index_and_complex:
        rewriter.match_failure("this release does not lower the index dialect")


def _constants(rewriter: ConversionRewriter, type: Attribute, *numbers: int) -> list[SSAValue]:
    return [build.integer_constant(rewriter, number, cast(IntegerType, type)) for number in numbers]


def _binary(rewriter: ConversionRewriter, kind: type[Operation], left: SSAValue, right: SSAValue) -> SSAValue:
    return rewriter.create(kind, [left, right], left.type)


def _compare(rewriter: ConversionRewriter, predicate: str, left: SSAValue, right: SSAValue) -> SSAValue:
    properties: dict[str, Attribute] = {"predicate": IntegerAttr(llvm.ICMP_PREDICATES.index(predicate), i64)}
    return rewriter.create(llvm.ICmpOp, [left, right], i1, properties)


def _select(
    rewriter: ConversionRewriter, condition: SSAValue, if_true: SSAValue, if_false: SSAValue
) -> SSAValue:
    return rewriter.create(llvm.SelectOp, [condition, if_true, if_false], if_true.type)


PATTERNS: Sequence[AnyPattern] = (
    ConvertConstant(),
    ConvertCmp(),
    ConvertCast(index.CastSOp, llvm.SExtOp),
    ConvertCast(index.CastUOp, llvm.ZExtOp),
    ExpandDivision(),
    *(
        IndexOneToOne(source, target)
        for source, target in (
            (index.AddOp, llvm.AddOp),
            (index.SubOp, llvm.SubOp),
            (index.MulOp, llvm.MulOp),
            (index.DivSOp, llvm.SDivOp),
            (index.DivUOp, llvm.UDivOp),
            (index.RemSOp, llvm.SRemOp),
            (index.RemUOp, llvm.URemOp),
            (index.ShlOp, llvm.ShlOp),
            (index.ShrSOp, llvm.AShrOp),
            (index.ShrUOp, llvm.LShrOp),
            (index.AndOp, llvm.AndOp),
            (index.OrOp, llvm.OrOp),
            (index.XOrOp, llvm.XOrOp),
            (index.MaxSOp, intrinsic("smax")),
            (index.MaxUOp, intrinsic("umax")),
            (index.MinSOp, intrinsic("smin")),
            (index.MinUOp, intrinsic("umin")),
        )
    ),
)
