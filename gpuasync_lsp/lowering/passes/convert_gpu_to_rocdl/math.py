"""Converts the math dialect in kernels for AMD's targets to calls to ocml, or to LLVM's intrinsics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm.math import by_lanes, declare
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import math as host_math
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.arith import flags, intrinsic
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import llvm

OCML = {
    "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan", "atan2": "atan2",
    "atanh": "atanh", "cbrt": "cbrt", "ceil": "ceil", "cos": "cos", "cosh": "cosh", "erf": "erf",
    "erfc": "erfc", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "floor": "floor", "log": "log",
    "log10": "log10", "log1p": "log1p", "log2": "log2", "powf": "pow", "rsqrt": "rsqrt", "sin": "sin",
    "sinh": "sinh", "tan": "tan", "tanh": "tanh",
}  # fmt: skip
"""Maps each math op to its ocml function, without `__ocml_` and the type suffix."""

_BY_CALLS = frozenset(f"math.{name}" for name in OCML)

OLD_OCML = {"absf": "fabs", "sqrt": "sqrt"}
"""Additional entries for OCML, only for releases that use fewer intrinsics."""

NEW_OCML = {"fpowi": "pown"}
"""Additional entries for OCML, only for releases that use more intrinsics."""

SINGLE_INTRINSICS = {"exp": "exp", "log": "log"}
"""Maps ops that become LLVM intrinsics in single precision to the intrinsics."""


class ConvertToOcml(ConversionPattern[Operation]):
    """An op on floats becomes a call; vectors are split into elements."""

    def __init__(self, op_name: str, function: str, newer: bool | None = None) -> None:
        """`newer` selects releases that use more intrinsics (True), fewer (False), or all (None)."""
        self.op_types = (op_class(op_name),)
        self.function = function
        self.newer = newer
        self.intrinsic = SINGLE_INTRINSICS.get(op_name.removeprefix("math."))

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        if self.newer not in (None, rewriter.profile.rocdl_knows_intrinsics):
            rewriter.match_failure("this release lowers it differently, or not at all")
        by_lanes(op, rewriter, rewriter.types.index, partial(self._scalar, rewriter, op))

    def _scalar(
        self, rewriter: ConversionRewriter, op: Operation, operands: Sequence[SSAValue], type: Attribute
    ) -> SSAValue:
        newer = rewriter.profile.rocdl_knows_intrinsics
        if newer and type == f32 and self.intrinsic is not None:
            return rewriter.create(intrinsic(self.intrinsic), operands, type, flags(op))
        if newer and type.name == "bf16" and self.intrinsic is not None:
            rewriter.match_failure("there is no function, and the intrinsic is for single precision only")
        if type.name == "bf16" or (type.name == "f16" and not newer):
            wide = [build.cast(rewriter, llvm.FPExtOp, o, f32) if o.type == type else o for o in operands]
            return build.cast(rewriter, llvm.FPTruncOp, self._scalar(rewriter, op, wide, f32), type)
        if type.name not in ("f16", "f32", "f64"):
            rewriter.match_failure(f"ocml has no function for {type}")
        name = f"__ocml_{self.function}_{type.name}"
        declare(op, name, [operand.type for operand in operands], type)
        return build.call(rewriter, name, operands, [type]).results[0]


class ConvertRemainder(ConvertToOcml):
    """`arith.remf` becomes a call to ocml, or an instruction as on the host, depending on the release."""

    def __init__(self) -> None:
        super().__init__("arith.remf", "fmod")

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        if not rewriter.profile.ocml_has_remainders:
            rewriter.match_failure("this release has an instruction for it")
        super().match_and_rewrite(op, rewriter)


INTRINSICS = tuple(
    pattern for pattern in host_math.PATTERNS if not {type.name for type in pattern.op_types} <= _BY_CALLS
)
"""The patterns of the other ops in releases that use more intrinsics; an op of OCML never uses LLVM's."""

PATTERNS: tuple[ConversionPattern[Operation], ...] = (
    *(ConvertToOcml(f"math.{name}", function) for name, function in OCML.items()),
    *(ConvertToOcml(f"math.{name}", function, newer=False) for name, function in OLD_OCML.items()),
    *(ConvertToOcml(f"math.{name}", function, newer=True) for name, function in NEW_OCML.items()),
    ConvertRemainder(),
)
