"""Converts matrix products, `xegpu.dpas` and `xegpu.dpas_mx`, and casts between narrow floats."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import IntegerType, Signedness, VectorType, i8
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.conversion.errors import OWN
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.builder import Builder
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.lanes import (
    ConvertXeGPU,
    chip_of,
    group,
    named,
    one,
    replace,
    zero,
)
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.types import width_of
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import element_type, is_integer, is_vector, vector_type

_DEPTH, _LANES = 8, 16
_NARROW_COUNT = 16
_NARROW = ("f8E5M2", "f8E4M3FN", "f4E2M1FN")
_ELEMENTS = {
    **{name: name for name in ("bf16", "f16", "tf32", "f32")},
    "f8E5M2": "bf8",
    "f8E4M3FN": "f8",
    "f4E2M1FN": "e2m1",
}
_PER_DWORD = {"tf32": 1, "bf16": 2, "f16": 2, "u8": 4, "s8": 4, "f8": 4, "bf8": 4, "e2m1": 8}


class ConvertProduct(ConvertXeGPU):
    """`xegpu.dpas` becomes `xevm.mma`; without an accumulator, zeros are added."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        left, right = one(op, "lhs"), one(op, "rhs")
        result: Attribute = op.results[0].type
        if rewriter.profile.xegpu_asks_chip:
            _demand_known_chip(op, rewriter)
            for each in (left.type, right.type, result):
                _demand_known_element(element_type(each), each is result, rewriter)
        given = group(op, "acc")
        sum = given[0] if given else build.attribute(zero(result), result)
        type = vector_type(sum.type)
        flat: Attribute = VectorType(type.element_type, (prod(type.get_shape()),))
        shape, types = _described(left.type, right.type, type, vector_type(result), rewriter)
        if sum.type != flat:
            sum = build.one("vector.shape_cast", [sum], flat)
        value = build.one("xevm.mma", [left, right, sum], flat, {"shape": shape, "types": types})
        if type != flat:
            value = build.one("vector.shape_cast", [value], result)
        replace(op, value, rewriter)


class ConvertScaledProduct(ConvertXeGPU):
    """`xegpu.dpas_mx` becomes `xevm.mma_mx`: an MMA of narrow floats with scales."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        _demand_known_chip(op, rewriter)
        result = rewriter.converted(op.results[0].type)
        given = group(op, "acc")
        sum = rewriter.lowered(given[0]) if given else build.attribute(zero(result), result)
        left, right = (one(op, name).type for name in "ab")
        shape, types = _described(left, right, vector_type(sum.type), vector_type(result), rewriter)
        operands = [rewriter.lowered(one(op, name)) for name in "ab"]
        for number, operand in enumerate(operands):
            if width_of(element_type(operand.type)) == 4:
                count = prod(vector_type(operand.type).get_shape()) // 2
                operands[number] = build.bitcast(operand, i8, count)
        scales = [rewriter.lowered(each) for name in ("scale_a", "scale_b") for each in group(op, name)]
        properties = {"shape": shape, "types": types}
        value = build.one("xevm.mma_mx", [*operands, *scales, sum], result, properties)
        rewriter.replace(op, [value])


class ConvertFloats(ConversionPattern[Operation], ops=(arith.ExtFOp, arith.TruncFOp)):
    """`arith.extf` and `arith.truncf` of 16 narrow floats become one xevm op."""

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        build = Builder(rewriter)
        (value,) = rewriter.lowered_all(op.operands)
        kinds = [_element(element_type(type), rewriter) for type in (op.operands[0].type, op.results[0].type)]
        described = {"src_etype": kinds[0], "dst_etype": kinds[1]}
        side = "ext_" if isinstance(op, arith.ExtFOp) else ""
        properties = {
            name: named(f"xevm.{side}{name}", f"{name} = {kind}") for name, kind in described.items()
        }
        if isinstance(op, arith.ExtFOp):
            if kinds[0] == "e2m1":
                value = build.bitcast(value, i8, _NARROW_COUNT // 2)
            result = build.one("xevm.extf", [value], op.results[0].type, properties)
        else:
            count = _NARROW_COUNT // 2 if kinds[1] == "e2m1" else _NARROW_COUNT
            result = build.one("xevm.truncf", [value], VectorType(i8, (count,)), properties)
            if kinds[1] == "e2m1":
                result = build.bitcast(result, IntegerType(4), _NARROW_COUNT)
        rewriter.replace(op, [result])


def converts_floats(op: Operation) -> bool:
    """Return whether an arith.extf or arith.truncf is a cast from or to 16 narrow floats."""
    wide, narrow = op.results[0].type, op.operands[0].type
    if isinstance(op, arith.TruncFOp):
        wide, narrow = narrow, wide
    return (
        is_vector(wide)
        and is_vector(narrow)
        and wide.get_shape() == (_NARROW_COUNT,)
        and wide.element_type.name in ("f16", "bf16")
        and narrow.element_type.name in _NARROW
    )


def patterns() -> Sequence[ConversionPattern[Operation]]:
    """Return the patterns for MMAs and float casts."""
    return ConvertProduct("dpas"), ConvertScaledProduct("dpas_mx"), ConvertFloats()


def _demand_known_chip(op: Operation, rewriter: ConversionRewriter) -> None:
    chip = chip_of(op)
    if chip is None:
        rewriter.match_failure("cannot determine target chip")
    if chip not in ("pvc", "bmg", "cri"):
        rewriter.match_failure("unsupported target uArch")


def _demand_known_element(type: Attribute, is_result: bool, rewriter: ConversionRewriter) -> None:
    """Reject an MMA whose element type no chip known to LLVM 23 supports."""
    if type.name == "tf32":
        rewriter.match_failure(f"{OWN}does not support products of tf32, on which this release crashes")
    if type.name not in (("f16", "bf16", "f32") if is_result else ("f16", "bf16")):
        rewriter.match_failure("element type not supported by target uArch")


def _described(
    left: Attribute,
    right: Attribute,
    sum: VectorType[Attribute],
    result: VectorType[Attribute],
    rewriter: ConversionRewriter,
) -> tuple[Attribute, Attribute]:
    """Return the shape and type attributes of an MMA."""
    a, b, c, d = (_element(element_type(each), rewriter) for each in (left, right, sum, result))
    if a not in _PER_DWORD:
        rewriter.match_failure(f"{OWN}does not support products of {a}")
    shape = f"m = {prod(sum.get_shape())}, n = {_LANES}, k = {_DEPTH * _PER_DWORD[a]}"
    types = f"d = {d}, a = {a}, b = {b}, c = {c}"
    return named("xevm.mma_shape", shape), named("xevm.mma_types", types)


def _element(type: Attribute, rewriter: ConversionRewriter) -> str:
    """Return xevm's name of an element type."""
    found = _ELEMENTS.get(type.name)
    if is_integer(type) and type.bitwidth == 8:
        found = "u8" if type.signedness.data == Signedness.UNSIGNED else "s8"
    elif is_integer(type) and type.bitwidth == 32:
        found = "s32"
    if found is None:
        rewriter.match_failure(f"{OWN}does not support products of {type}")
    return found
