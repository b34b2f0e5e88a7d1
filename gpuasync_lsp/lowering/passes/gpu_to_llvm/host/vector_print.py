"""The patterns of the vector dialect on the host: those that kernels share, and that of vector.print.

vector.print becomes calls to the runner library."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, Signedness, i8, i16, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion import runtime
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, array
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import vector as shared
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import vector_more, vector_slices
from gpuasync_lsp.syntax.dialects import arith, llvm, vector
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType
from gpuasync_lsp.syntax.kinds import element_type, integer_type, is_integer, is_vector

_FLOATS = {"f32": "printF32", "f64": "printF64", "f16": "printF16", "bf16": "printBF16"}
_PUNCTUATION = {"newline": "printNewline", "comma": "printComma", "open": "printOpen", "close": "printClose"}


class ConvertPrint(ConversionPattern[vector.PrintOp]):
    """`vector.print` of a scalar, string or punctuation becomes calls.

    `vector.print` of a vector is lowered only through LLVM 17."""

    def match_and_rewrite(self, op: vector.PrintOp, rewriter: ConversionRewriter) -> None:
        if not rewriter.profile.prints_vectors_by_loops and op.source is not None:
            _print_whole(rewriter, op.source.type, rewriter.lowered(op.source))
            _call(rewriter, "printNewline")
            rewriter.erase(op)
            return
        if op.source is not None:
            name, value = _printed(rewriter, op.source.type, rewriter.lowered(op.source))
            _call(rewriter, name, value)
        if op.string_literal is not None:
            text = op.string_literal.data.encode() + b"\0"
            name = runtime.declare_text(rewriter, "vector_print_str", text)
            address = build.address_of(rewriter, name)
            first = build.element_pointer(rewriter, address, array(len(text), i8), [0])
            runtime.declare_first(rewriter, "printString", LLVMFunctionType([PTR]))
            build.call(rewriter, "printString", [first], [])
        else:
            if op.punctuation.data in _PUNCTUATION:
                _call(rewriter, _PUNCTUATION[op.punctuation.data])
        rewriter.erase(op)


def _print_whole(rewriter: ConversionRewriter, type: Attribute, value: SSAValue) -> None:
    """Print a vector element by element, as LLVM 16 and 17 do."""
    if not is_vector(type):
        name, value = _printed(rewriter, type, value)
        _call(rewriter, name, value)
        return
    element = type.element_type
    rewriter.converted(element)
    _declare_printer(rewriter, element)
    _print_rows(rewriter, element, list(type.get_shape()), value)


def _declare_printer(rewriter: ConversionRewriter, type: Attribute) -> None:
    """Declare the function that prints an element, as MLIR does before it prints anything."""
    if type.name in ("f32", "f64"):
        runtime.declare_first(rewriter, _FLOATS[type.name], LLVMFunctionType([type]))
        return
    if type.name != "index" and (not is_integer(type) or type.bitwidth > 64):
        rewriter.match_failure(f"no function of the runner library prints values of type {type}")
    unsigned = type.name == "index" or integer_type(type).signedness.data is Signedness.UNSIGNED
    runtime.declare_first(rewriter, "printU64" if unsigned else "printI64", LLVMFunctionType([i64]))


def _print_rows(
    rewriter: ConversionRewriter, element: Attribute, shape: Sequence[int], value: SSAValue
) -> None:
    _call(rewriter, "printOpen")
    runtime.declare_first(rewriter, "printComma", LLVMFunctionType([]))
    size = shape[0] if shape else 1
    for number in range(size):
        if len(shape) > 1:
            row = build.extract_value(rewriter, value, number)
            _print_rows(rewriter, element, shape[1:], row)
        else:
            at = build.index_constant(rewriter, number)
            element_types = [element_type(value.type)]
            taken = llvm.ExtractElementOp.create(operands=[value, at], result_types=element_types)
            name, one = _printed(rewriter, element, rewriter.add(taken).results[0])
            _call(rewriter, name, one)
        if number != size - 1:
            _call(rewriter, "printComma")
    _call(rewriter, "printClose")


def _call(rewriter: ConversionRewriter, name: str, *values: SSAValue) -> None:
    runtime.declare_first(rewriter, name, LLVMFunctionType([value.type for value in values]))
    build.call(rewriter, name, values, [])


def _printed(rewriter: ConversionRewriter, type: Attribute, value: SSAValue) -> tuple[str, SSAValue]:
    """Return the name of the function that prints a value of `type`, and the argument for it."""
    if type.name in _FLOATS:
        narrow = type.name in ("f16", "bf16")
        return _FLOATS[type.name], build.cast(rewriter, llvm.BitcastOp, value, i16) if narrow else value
    if type.name == "index":
        return "printU64", value
    if not isinstance(type, IntegerType) or type.bitwidth > 64:
        rewriter.match_failure(f"no function of the runner library prints values of type {type}")
    width = type.bitwidth
    unsigned = type == IntegerType(width, Signedness.UNSIGNED)
    if width < 64:
        value = build.cast(rewriter, _widening(rewriter, unsigned or width == 1), value, i64)
    return ("printU64" if unsigned else "printI64"), value


def _widening(rewriter: ConversionRewriter, unsigned: bool) -> type[Operation]:
    if rewriter.arith_converts:
        return llvm.ZExtOp if unsigned else llvm.SExtOp
    return arith.ExtUIOp if unsigned else arith.ExtSIOp


PATTERNS: Sequence[AnyPattern] = (
    *shared.PATTERNS,
    *vector_more.PATTERNS,
    *vector_slices.PATTERNS,
    ConvertPrint(),  # type: ignore[assignment]
)
