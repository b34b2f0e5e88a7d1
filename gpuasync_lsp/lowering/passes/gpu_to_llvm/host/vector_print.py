"""The vector dialect on the host: what kernels have, too, and vector.print, calls of the runner's library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import IntegerType, Signedness, i8, i16, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion import runtime
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, array
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import vector as shared
from gpuasync_lsp.syntax.dialects import llvm, vector
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType

_FLOATS = {"f32": "printF32", "f64": "printF64", "f16": "printF16", "bf16": "printBF16"}
_PUNCTUATION = {"newline": "printNewline", "comma": "printComma", "open": "printOpen", "close": "printClose"}


class ConvertPrint(ConversionPattern[vector.PrintOp]):
    """`vector.print` of a scalar, a text or punctuation becomes calls; that of a vector stays."""

    op_types = (vector.PrintOp,)

    def match_and_rewrite(self, op: vector.PrintOp, rewriter: ConversionRewriter) -> None:
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


def _call(rewriter: ConversionRewriter, name: str, *values: SSAValue) -> None:
    runtime.declare_first(rewriter, name, LLVMFunctionType([value.type for value in values]))
    build.call(rewriter, name, values, [])


def _printed(rewriter: ConversionRewriter, type: Attribute, value: SSAValue) -> tuple[str, SSAValue]:
    """Return the function that prints a value of `type`, and what it is given."""
    if type.name in _FLOATS:
        narrow = type.name in ("f16", "bf16")
        return _FLOATS[type.name], build.cast(rewriter, llvm.BitcastOp, value, i16) if narrow else value
    if type.name == "index":
        return "printU64", value
    if not isinstance(type, IntegerType) or type.bitwidth > 64:
        rewriter.refuse(f"values of type {type} are not printed as one")
    width = type.bitwidth
    unsigned = type == IntegerType(width, Signedness.UNSIGNED)
    if width < 64:
        widen: Any = llvm.ZExtOp if unsigned or width == 1 else llvm.SExtOp
        value = build.cast(rewriter, widen, value, i64)
    return ("printU64" if unsigned else "printI64"), value


PATTERNS: Sequence[ConversionPattern[Operation]] = (*shared.PATTERNS, ConvertPrint())  # type: ignore[assignment]
