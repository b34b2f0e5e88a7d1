"""Lowers `vector.print` of a vector to loops that print its elements, commas and parentheses."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import IntegerType, Signedness, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion.folders.constants import integer
from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import (
    INDEX,
    Builder,
    extraction,
    yield_of,
)
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, scf, vector
from gpuasync_lsp.syntax.kinds import vector_type

_SMALLEST = 8
"""The width to which narrower integers are extended."""


def print_elements(printed: vector.PrintOp, rewriter: Rewriter) -> bool:
    """Replace a vector.print with prints of its elements; return False if `op` does not print a vector."""
    if printed.source is None or printed.source.type.name != "vector":
        return False
    type = vector_type(printed.source.type)
    scalable = [bool(each.value.data) for each in type.scalable_dims]
    if len(type.get_shape()) > 1 and any(scalable):
        return False
    builder = Builder(rewriter, printed)
    value = _legal(builder, printed.source)
    shape = type.get_shape() or (1,)
    element = vector_type(value.type).element_type
    if len(type.get_shape()) != 1:
        flat = VectorType(element, [prod(shape)])
        value = builder.create(op_class("vector.shape_cast"), [value], flat)
    # Insert loops from the outermost to the innermost: ops of an inner level are inserted before existing
    # ones.
    before: Operation = printed
    first: Operation | None = None
    counters: list[SSAValue] = []
    for number, size in enumerate(shape):
        start, end, step = (_index(rewriter, each, before) for each in (0, size, 1))
        if scalable and scalable[number]:
            scale = rewriter.insert(vector.VectorScaleOp.create(result_types=[INDEX]), before)
            end = rewriter.insert(arith.MuliOp(end, scale), before).results[0]
        last = rewriter.insert(arith.SubiOp(end, step), before).results[0]
        rewriter.insert(_punctuation("open"), before)
        body = Block([yield_of(None)], arg_types=[INDEX])
        rewriter.insert(_at(printed, scf.ForOp(start, end, step, [], Region(body))), before)
        close = rewriter.insert(_punctuation("close"), before)
        first = first or close
        counters.append(body.args[0])
        ending = cast(Operation, body.last_op)
        goes_on = rewriter.insert(arith.CmpiOp(counters[-1], last, "ult"), ending)
        comma = scf.IfOp.create(
            operands=[goes_on.results[0]],
            regions=[Region(Block([_punctuation("comma"), yield_of(None)])), Region()],
        )
        rewriter.insert(_at(printed, comma), ending)
        before = goes_on
    flat_index: SSAValue | None = None
    stride = 1
    for counter, size in reversed(list(zip(counters, shape, strict=True))):
        factor = _index(rewriter, stride, before)
        part = rewriter.insert(arith.MuliOp(factor, counter), before).results[0]
        if flat_index is not None:
            part = rewriter.insert(arith.AddiOp(flat_index, part), before).results[0]
        flat_index, stride = part, stride * size
    assert flat_index is not None
    assert first is not None
    if rewriter.profile.extracts_at_values:
        taken = extraction(value, [flat_index], element)
    else:
        taken = vector.ExtractElementOp.create(operands=[value, flat_index], result_types=[element])
    rewriter.insert(taken, before)
    rewriter.insert(_punctuation("no_punctuation", taken.results[0]), before)
    rewriter.insert(vector.PrintOp.create(properties={"punctuation": printed.punctuation}), printed)
    rewriter.erase(printed)
    return True


def _at(source: Operation, op: Operation) -> Operation:
    """Set the location of `op` and of the ops inside it to that of `source`."""
    for each in op.walk():
        each.location = source.location
    return op


def _legal(builder: Builder, value: SSAValue) -> SSAValue:
    """Insert ops that extend integers of unusual widths; signed ones are cast to signless first."""
    type = vector_type(value.type)
    if type.element_type.name != IntegerType.name:
        return value
    element = cast("IntegerType[int, Signedness]", type.element_type)
    width, wide = element.width.data, _SMALLEST
    while wide < width:
        wide *= 2
    legal = IntegerType(wide, element.signedness.data)

    def cast_to(value: SSAValue, to: Attribute) -> SSAValue:
        result = VectorType(to, type.get_shape(), type.scalable_dims)
        return builder.create(vector.BitCastOp, [value], result)

    value = cast_to(value, IntegerType(width))
    if wide != width:
        unsigned = width == 1 or element.signedness.data is Signedness.UNSIGNED
        extend = arith.ExtUIOp if unsigned else arith.ExtSIOp
        result = VectorType(IntegerType(wide), type.get_shape(), type.scalable_dims)
        value = builder.create(extend, [value], result)
    return cast_to(value, legal)


def _index(rewriter: Rewriter, number: int, before: Operation) -> SSAValue:
    return rewriter.insert(integer(number, INDEX), before).results[0]


def _punctuation(name: str, value: SSAValue | None = None) -> Operation:
    return vector.PrintOp.create(
        operands=[] if value is None else [value],
        properties={"punctuation": vector.PrintPunctuationAttr(name)},
    )
