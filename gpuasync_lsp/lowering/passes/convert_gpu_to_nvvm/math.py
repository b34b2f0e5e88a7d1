"""Converts the math dialect in kernels to calls to libdevice, and to LLVM's intrinsics for integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.math import (
    WITH_IMMEDIATE,
    ToIntrinsic,
    ToIntrinsicWithImmediate,
)
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import convert_rows
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType, LLVMFunctionType, LLVMVoidType
from gpuasync_lsp.syntax.kinds import is_vector
from gpuasync_lsp.syntax.printer import attribute_text

LIBDEVICE = {
    "absf": "fabs", "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan",
    "atan2": "atan2", "atanh": "atanh", "cbrt": "cbrt", "ceil": "ceil", "copysign": "copysign", "cos": "cos",
    "cosh": "cosh", "erf": "erf", "erfc": "erfc", "exp": "exp", "exp2": "exp2", "expm1": "expm1",
    "floor": "floor", "fma": "fma", "fpowi": "powi", "log": "log", "log10": "log10", "log1p": "log1p",
    "log2": "log2", "powf": "pow", "round": "round", "roundeven": "rint", "rsqrt": "rsqrt", "sin": "sin",
    "sinh": "sinh", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh",
}  # fmt: skip
"""Maps each math op to its libdevice function, without `__nv_` and the `f` of single precision.

Source: MLIR's GpuToNVVM `populateLibDeviceConversionPatterns`."""

FAST = frozenset({"cos", "exp", "log", "log10", "log2", "pow", "sin", "tan"})
"""The functions with a fast single-precision variant, which the flag `afn` selects."""


_NOT_EQUAL = 1
"""The predicate `ne` of llvm.icmp."""


class ConvertToLibdevice(ConversionPattern[Operation]):
    """An op on floats becomes a call; half precision is extended to single, vectors are split."""

    def __init__(self, op_name: str, function: str) -> None:
        self.op_types = (op_class(op_name),)
        self.function = function

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _require(op, rewriter)
        by_lanes(op, rewriter, rewriter.types.index, partial(self._scalar, rewriter, op))

    def _scalar(
        self, rewriter: ConversionRewriter, op: Operation, operands: Sequence[SSAValue], type: Attribute
    ) -> SSAValue:
        profile = rewriter.profile
        if type.name == "bf16" and not profile.newer_libdevice and not rewriter.options.whole_kernels:
            rewriter.match_failure("this release does not compute bf16 in single precision")
        if type.name in ("f16", "bf16"):
            wide = [build.cast(rewriter, llvm.FPExtOp, o, f32) if o.type == type else o for o in operands]
            return build.cast(rewriter, llvm.FPTruncOp, self._scalar(rewriter, op, wide, f32), type)
        if type.name not in ("f32", "f64"):
            rewriter.match_failure(f"libdevice has no function for {type}")
        name = f"__nv_{self.function}" + ("f" if type.name == "f32" else "")
        approximate = profile.newer_libdevice and _allows_approximation(op)
        if approximate and type.name == "f32" and self.function in FAST:
            name = f"__nv_fast_{self.function}f"
        declare(op, name, [operand.type for operand in operands], type)
        return build.call(rewriter, name, operands, [type]).results[0]


class ConvertAbs(ConversionPattern[Operation], ops=(op_class("math.absi"),)):
    """`math.absi` becomes a call to libdevice if the release supports it; vectors are split into elements."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        if not rewriter.profile.absi_calls_libdevice:
            rewriter.match_failure("this release does not call libdevice for it")
        by_lanes(op, rewriter, rewriter.types.index, partial(self._scalar, rewriter, op))

    def _scalar(
        self, rewriter: ConversionRewriter, op: Operation, operands: Sequence[SSAValue], type: Attribute
    ) -> SSAValue:
        if type != i32:
            rewriter.match_failure("libdevice has abs for i32 only")
        declare(op, "__nv_abs", [i32], i32)
        return build.call(rewriter, "__nv_abs", operands, [i32]).results[0]


class ConvertPredicate(ConversionPattern[Operation]):
    """A float classification becomes a call that returns an i32; half precision is extended to single."""

    def __init__(self, op_name: str, single: str, double: str) -> None:
        self.op_types = (op_class(op_name),)
        self.functions: dict[Attribute, str] = {f32: single, f64: double}

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        _require(op, rewriter)
        by_lanes(op, rewriter, rewriter.types.index, partial(self._scalar, rewriter, op))

    def _scalar(
        self, rewriter: ConversionRewriter, op: Operation, operands: Sequence[SSAValue], type: Attribute
    ) -> SSAValue:
        (value,) = operands
        if value.type.name in ("f16", "bf16"):
            value = build.cast(rewriter, llvm.FPExtOp, value, f32)
        name = self.functions.get(value.type)
        if name is None:
            rewriter.match_failure(f"libdevice has no predicate for {value.type}")
        declare(op, name, [value.type], i32)
        found = build.call(rewriter, name, [value], [i32]).results[0]
        zero = build.integer_constant(rewriter, 0, i32)
        return rewriter.create(llvm.ICmpOp, [found, zero], i1, {"predicate": IntegerAttr(_NOT_EQUAL, i64)})


class ConvertSinCos(ConversionPattern[Operation], ops=(op_class("math.sincos"),)):
    """`math.sincos` becomes a call that writes its results to the stack; half is extended to single."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        (value,) = rewriter.lowered_all(op.operands)
        type = value.type
        wide = f32 if type.name in ("f16", "bf16") else type
        if wide not in (f32, f64):
            rewriter.match_failure(f"libdevice has no function for {type}")
        one = build.integer_constant(rewriter, 1, i32)
        places = [build.alloca(rewriter, one, wide) for _ in op.results]
        if wide != type:
            value = build.cast(rewriter, llvm.FPExtOp, value, wide)
        name = "__nv_sincosf" if wide == f32 else "__nv_sincos"
        operands = [value, *places]
        declare(op, name, [operand.type for operand in operands], LLVMVoidType())
        build.call(rewriter, name, operands, [])
        results = [build.load(rewriter, place, wide) for place in places]
        if wide != type:
            results = [build.cast(rewriter, llvm.FPTruncOp, result, type) for result in results]
        rewriter.replace(op, results)


PATTERNS: tuple[ConversionPattern[Operation], ...] = (
    *(ConvertToLibdevice(f"math.{name}", function) for name, function in LIBDEVICE.items()),
    ConvertToLibdevice("arith.remf", "fmod"),
    ConvertToLibdevice("arith.minnumf", "fmin"),
    ConvertToLibdevice("arith.maxnumf", "fmax"),
    ConvertAbs(),
    ConvertPredicate("math.isnan", "__nv_isnanf", "__nv_isnand"),
    ConvertPredicate("math.isinf", "__nv_isinff", "__nv_isinfd"),
    ConvertPredicate("math.isfinite", "__nv_finitef", "__nv_isfinited"),
    ConvertSinCos(),
)
MORE_PATTERNS: tuple[ConversionPattern[Operation], ...] = (
    ConvertToLibdevice("math.trunc", "trunc"),
    ToIntrinsic(op_class("math.ctpop"), "ctpop", newer=False),
    *(ToIntrinsicWithImmediate(op_class(f"math.{name}"), *to) for name, to in WITH_IMMEDIATE.items()),
)


def _require(op: Operation, rewriter: ConversionRewriter) -> None:
    """Reject an op that the release does not lower to a call, unless whole kernels are lowered."""
    if op.name in rewriter.profile.libdevice_lacks and not rewriter.options.whole_kernels:
        rewriter.match_failure("this release does not call libdevice for it")


def _allows_approximation(op: Operation) -> bool:
    fastmath = op.get_attr_or_prop("fastmath")
    flags = "" if fastmath is None else attribute_text(fastmath).partition("<")[2]
    return "afn" in flags or "fast" in flags


def declare(op: Operation, name: str, inputs: Sequence[Attribute], output: Attribute) -> None:
    """Declare a libdevice function once in the enclosing gpu.module, before the function around `op`."""
    function, module = op, op.parent_op()
    while not isinstance(module, gpu.GPUModuleOp):
        assert module is not None, "kernels are in a gpu.module"
        function, module = module, module.parent_op()
    block = module.body_region.blocks[0]
    for each in block.ops:
        symbol = each.get_attr_or_prop("sym_name")
        if isinstance(symbol, StringAttr) and symbol.data == name:
            return
    properties = build.function_properties(StringAttr(name), LLVMFunctionType(list(inputs), output))
    new = llvm.LLVMFuncOp.create(properties=properties, regions=[Region()])
    new.location = op.location
    block.insert_op_before(new, function)


def by_lanes(
    op: Operation,
    rewriter: ConversionRewriter,
    index_type: IntegerType,
    make: Callable[[Sequence[SSAValue], Attribute], SSAValue],
) -> None:
    """Replace `op` with the result of `make`, called with scalar operands and type; for vectors, per lane.

    `index_type` is the type of the lane indices."""
    is_array = isinstance(rewriter.converted(op.results[0].type), LLVMArrayType)
    if is_array and not rewriter.profile.kernel_math_by_rows:
        rewriter.match_failure("vectors of several dimensions are not supported")

    def lanes(operands: Sequence[SSAValue], type: Attribute) -> SSAValue:
        if not is_vector(type):
            return make(operands, type)
        result = build.undefined(rewriter, type)
        for lane in range(type.get_shape()[0]):
            index = build.integer_constant(rewriter, lane, index_type)
            value = make([_element_of(rewriter, operand, index) for operand in operands], type.element_type)
            combined = rewriter.create(llvm.InsertElementOp, [result, value, index], result.type)
            if not rewriter.profile.libdevice_loses_vectors or rewriter.options.whole_kernels:
                result = combined
        return result

    convert_rows(op, rewriter, lanes)


def _element_of(rewriter: ConversionRewriter, value: SSAValue, index: SSAValue) -> SSAValue:
    """Return an element of a vector; a scalar is returned unchanged."""
    type = value.type
    if not is_vector(type):
        return value
    return rewriter.create(llvm.ExtractElementOp, [value, index], type.element_type)
