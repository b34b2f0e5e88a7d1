"""`convert-math-to-xevm`: approximate float functions become calls to OpenCL's native functions.

Sources: mlir/lib/Conversion/MathToXeVM/MathToXeVM.cpp, and the output of mlir-opt 22 and 23.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.driver import Leftover, convert
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.arith import flags
from gpuasync_lsp.lowering.passes.kernels import opencl, symbols
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType
from gpuasync_lsp.syntax.kinds import text_of

_SIZES = (2, 3, 4, 8, 16)
"""The vector sizes that OpenCL supports."""


def convert_math_to_xevm(
    root: Operation, profile: Profile, options: LoweringOptions, *, arith: bool
) -> list[Leftover]:
    """Convert ops with the fast-math flag `afn` in `root` in place; with `arith`, arith.divf as well."""
    rewriter = ConversionRewriter(TypeConverter(), profile, options)
    convert(rewriter, root, Patterns(_PATTERNS if arith else _PATTERNS[:-1]), {})
    return []


class ConvertNative(ConversionPattern[Operation]):
    """An approximate function becomes a call to the native one, declared in the enclosing module."""

    def __init__(self, op_name: str, function: str) -> None:
        self.op_types = (op_class(op_name),)
        self.function = f"__spirv_ocl_native_{function}"

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        approximate = flags(op)
        fastmath = approximate.get("fastmathFlags")
        if fastmath is None or not {"afn", "fast"} & set(text_of(fastmath).replace(" ", "").split(",")):
            rewriter.match_failure("its fastmath flags do not allow an approximation")
        types = [operand.type for operand in op.operands]
        if not all(map(_is_native, types)):
            rewriter.match_failure("OpenCL has no vectors of this size")
        names = map(opencl.mangled, types)
        name = f"_Z{len(self.function)}{self.function}{''.join(each or '' for each in names)}"
        result = op.results[0].type
        symbols.declare(op, name, LLVMFunctionType(types, result))
        new = build.call(rewriter, name, op.operands, [result])
        new.properties |= approximate
        rewriter.replace(op, new.results)


def _is_native(type: Attribute) -> bool:
    element = type
    if isinstance(type, VectorType):
        element = cast(Attribute, type.element_type)  # pyright: ignore[reportUnknownMemberType]
        shape = type.get_shape()
        if len(shape) != 1 or shape[0] not in _SIZES:
            return False
    return element.name in ("f16", "f32", "f64", "bf16")


_NATIVE = {
    **{name: name for name in ("exp", "cos", "exp2", "log", "log2", "log10")},
    "powf": "powr",
    **{name: name for name in ("rsqrt", "sin", "sqrt", "tan")},
}
_PATTERNS = (
    *(ConvertNative(f"math.{name}", function) for name, function in _NATIVE.items()),
    ConvertNative("arith.divf", "divide"),
)
