"""Converts the complex dialect to structs of two floats.

Source: mlir/lib/Conversion/ComplexToLLVM/ComplexToLLVM.cpp. gpu-to-llvm converts it from LLVM 18 on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import complex as complex_ops
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.arith import intrinsic
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import FastmathFlagsAttr
from gpuasync_lsp.syntax.printer import attribute_text

REAL, IMAGINARY = 0, 1


class ConvertConstant(ConversionPattern[complex_ops.ConstantOp]):
    """`complex.constant` becomes a constant struct."""

    def match_and_rewrite(self, op: complex_ops.ConstantOp, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        type = rewriter.converted(op.results[0].type)
        rewriter.replace(op, [build.constant(rewriter, op.properties["value"], type)])


class ConvertCreate(ConversionPattern[complex_ops.CreateOp]):
    """`complex.create` inserts both parts into a struct."""

    def match_and_rewrite(self, op: complex_ops.CreateOp, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        real, imaginary = rewriter.lowered_all(op.operands)
        empty = build.undefined(rewriter, rewriter.converted(op.results[0].type))
        rewriter.replace(op, [_fill(rewriter, empty, real, imaginary)])


class ConvertPart(ConversionPattern[Operation], ops=(complex_ops.ReOp, complex_ops.ImOp)):
    """`complex.re` and `complex.im` extract one part."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        position = REAL if isinstance(op, complex_ops.ReOp) else IMAGINARY
        (value,) = rewriter.lowered_all(op.operands)
        rewriter.replace(op, [build.extract_value(rewriter, value, position)])


class ConvertAbs(ConversionPattern[complex_ops.AbsOp]):
    """`complex.abs` becomes the square root of the sum of the squares."""

    def match_and_rewrite(self, op: complex_ops.AbsOp, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        emit = _Emitter(op, rewriter)
        (value,) = rewriter.lowered_all(op.operands)
        real, imaginary = (build.extract_value(rewriter, value, n) for n in (REAL, IMAGINARY))
        squares = emit(llvm.FMulOp, real, real), emit(llvm.FMulOp, imaginary, imaginary)
        total = emit(llvm.FAddOp, *squares)
        # The square root has no fast-math flags.
        rewriter.replace(op, [rewriter.create(intrinsic("sqrt"), [total], total.type)])


class ConvertBinary(
    ConversionPattern[Operation],
    ops=(complex_ops.AddOp, complex_ops.SubOp, complex_ops.MulOp, complex_ops.DivOp),
):
    """`complex.add`, `sub`, `mul` and `div` become float ops on the parts."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _check(rewriter)
        left, right = rewriter.lowered_all(op.operands)
        parts = [build.extract_value(rewriter, value, n) for value in (left, right) for n in range(2)]
        empty = build.undefined(rewriter, rewriter.converted(op.results[0].type))
        emit = _Emitter(op, rewriter)
        if isinstance(op, complex_ops.DivOp):
            rewriter.replace(op, [_divided(rewriter, emit, empty, *parts)])
            return
        real, imaginary = _PARTS[type(op)](emit, *parts)
        rewriter.replace(op, [_fill(rewriter, empty, real, imaginary)])


class _Emitter:
    """Inserts float ops with the fast-math flags of a complex op."""

    def __init__(self, op: Operation, rewriter: ConversionRewriter) -> None:
        given = op.get_attr_or_prop("fastmath")
        written = "none" if given is None else attribute_text(given).partition("<")[2].rstrip(">")
        self._properties: dict[str, Attribute] = {"fastmathFlags": FastmathFlagsAttr(written)}
        self._rewriter = rewriter
        self.products_first = rewriter.profile.complex_products_first

    def __call__(self, kind: type[Operation], *operands: SSAValue) -> SSAValue:
        return self._rewriter.create(kind, operands, operands[0].type, self._properties)


def _add(emit: _Emitter, a: SSAValue, b: SSAValue, c: SSAValue, d: SSAValue) -> tuple[SSAValue, SSAValue]:
    return emit(llvm.FAddOp, a, c), emit(llvm.FAddOp, b, d)


def _subtract(
    emit: _Emitter, a: SSAValue, b: SSAValue, c: SSAValue, d: SSAValue
) -> tuple[SSAValue, SSAValue]:
    return emit(llvm.FSubOp, a, c), emit(llvm.FSubOp, b, d)


def _multiply(
    emit: _Emitter, a: SSAValue, b: SSAValue, c: SSAValue, d: SSAValue
) -> tuple[SSAValue, SSAValue]:
    reals = emit(llvm.FMulOp, c, a), emit(llvm.FMulOp, d, b)
    if emit.products_first:
        mixed = emit(llvm.FMulOp, b, c), emit(llvm.FMulOp, a, d)
        return emit(llvm.FSubOp, *reals), emit(llvm.FAddOp, *mixed)
    real = emit(llvm.FSubOp, *reals)
    return real, emit(llvm.FAddOp, emit(llvm.FMulOp, b, c), emit(llvm.FMulOp, a, d))


def _divided(
    rewriter: ConversionRewriter,
    emit: _Emitter,
    empty: SSAValue,
    a: SSAValue,
    b: SSAValue,
    c: SSAValue,
    d: SSAValue,
) -> SSAValue:
    norm = emit(llvm.FAddOp, emit(llvm.FMulOp, c, c), emit(llvm.FMulOp, d, d))
    real = emit(llvm.FAddOp, emit(llvm.FMulOp, a, c), emit(llvm.FMulOp, b, d))
    imaginary = emit(llvm.FSubOp, emit(llvm.FMulOp, b, c), emit(llvm.FMulOp, a, d))
    real = emit(llvm.FDivOp, real, norm)
    if not rewriter.profile.fills_quotients_first:
        return _fill(rewriter, empty, real, emit(llvm.FDivOp, imaginary, norm))
    empty = build.insert_value(rewriter, real, empty, REAL)
    return build.insert_value(rewriter, emit(llvm.FDivOp, imaginary, norm), empty, IMAGINARY)


_PARTS: dict[type[Operation], Callable[..., tuple[SSAValue, SSAValue]]] = {
    complex_ops.AddOp: _add,
    complex_ops.SubOp: _subtract,
    complex_ops.MulOp: _multiply,
}
"""Maps each op except division to a function that computes both parts of (a + bi) op (c + di)."""


def _check(rewriter: ConversionRewriter) -> None:
    if not rewriter.profile.converts_index_and_complex:
        rewriter.match_failure("this release does not lower the complex dialect")


def _fill(rewriter: ConversionRewriter, empty: SSAValue, real: SSAValue, imaginary: SSAValue) -> SSAValue:
    return build.insert_value(rewriter, imaginary, build.insert_value(rewriter, real, empty, REAL), IMAGINARY)


PATTERNS: Sequence[AnyPattern] = (
    ConvertConstant(),
    ConvertCreate(),
    ConvertPart(),
    ConvertAbs(),
    ConvertBinary(),
)
