"""Lowers vector.extract_strided_slice and insert_strided_slice to shuffles of rows.

Source: mlir/lib/Dialect/Vector/Transforms/VectorInsertExtractStridedSliceRewritePatterns.cpp; measured
in all releases.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import AnyVector, Builder
from gpuasync_lsp.syntax.kinds import numbers_of, vector_type


def lower_extract_slice(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a slice along only the first dimension with a shuffle; unroll others along that dimension."""
    (source,) = op.operands
    result = vector_type(op.results[0].type)
    given = making.of(source)
    offsets, sizes, strides = (
        numbers_of(op.get_attr_or_prop(name)) for name in ("offsets", "sizes", "strides")
    )
    places = range(offsets[0], offsets[0] + sizes[0] * strides[0], strides[0])
    builder = Builder(rewriter, op)
    if len(offsets) == 1:
        scales = any(making.scalable(result)) or any(making.scalable(given))
        # Older releases shuffle even scalable rows.
        if scales and (rewriter.profile.greedy_prepass or len(given.get_shape()) == 1):
            rewriter.replace(op, [_one_by_one(builder, source, places, result)])
        else:
            rewriter.replace(op, [making.shuffled(builder, source, source, list(places))])
        return True
    whole = builder.repeat(making.zero(builder, result.element_type), result)
    for number, place in enumerate(places):
        row = making.extract(builder, source, place)
        part = extract_slice(builder, row, offsets[1:], sizes[1:], strides[1:])
        whole = making.insert(builder, part, whole, number)
    rewriter.replace(op, [whole])
    return True


def _one_by_one(builder: Builder, source: SSAValue, places: Sequence[int], result: AnyVector) -> SSAValue:
    elements = [making.extract(builder, source, place) for place in places]
    whole = making.zero(builder, result)
    for number, element in enumerate(elements):
        whole = making.insert(builder, element, whole, number)
    return whole


def extract_slice(
    builder: Builder, source: SSAValue, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> SSAValue:
    """Insert a vector.extract_strided_slice; return the vector unchanged if the slice is the whole vector."""
    type = making.of(source)
    kept = len(sizes)
    scales = making.scalable(type)
    properties = {
        "offsets": making.i64_list(offsets),
        "sizes": making.i64_list(sizes),
        "strides": making.i64_list(strides),
    }
    result = making.shaped(type, [*sizes, *type.get_shape()[kept:]], scales)
    if result == type:
        return source
    made = making.by_table(builder, "vector.extract_strided_slice", [source], [result], properties)
    return made.results[0]


def lower_insert_slice(op: Operation, rewriter: Rewriter) -> bool:
    """Replace the insertion of a slice with shuffles, row by row."""
    value, target = op.operands
    offsets, strides = numbers_of(op.get_attr_or_prop("offsets")), numbers_of(op.get_attr_or_prop("strides"))
    inner, outer = making.of(value), making.of(target)
    builder = Builder(rewriter, op)
    more = len(outer.get_shape()) - len(inner.get_shape())
    if not offsets:
        return False
    if more:
        at = offsets[:more]
        row = making.extract(builder, target, *at)
        part = insert_slice(builder, value, row, offsets[more:], strides)
        rewriter.replace(op, [making.insert(builder, part, target, *at)])
        return True
    if len(inner.get_shape()) == 1 and (any(making.scalable(inner)) or any(making.scalable(outer))):
        return False
    if inner == outer:
        rewriter.replace(op, [value])
        return True
    size, offset, stride = inner.get_shape()[0], offsets[0], strides[0]
    places = range(offset, offset + size * stride, stride)
    if len(inner.get_shape()) == 1:
        rewriter.replace(op, [_shuffled_in(builder, value, target, places)])
        return True
    whole = target
    for number, place in enumerate(places):
        part = making.extract(builder, value, number)
        row = making.extract(builder, target, place)
        part = insert_slice(builder, part, row, offsets[1:], strides[1:])
        whole = making.insert(builder, part, whole, place)
    rewriter.replace(op, [whole])
    return True


def _shuffled_in(builder: Builder, value: SSAValue, target: SSAValue, places: range) -> SSAValue:
    have, want = making.of(value).get_shape()[0], making.of(target).get_shape()[0]
    scaled = making.shuffled(builder, value, value, [*range(have), *[0] * (want - have)])
    mask = [places.index(n) if n in places else want + n for n in range(want)]
    return making.shuffled(builder, scaled, target, mask)


def insert_slice(
    builder: Builder, value: SSAValue, target: SSAValue, offsets: Sequence[int], strides: Sequence[int]
) -> SSAValue:
    """Insert a vector.insert_strided_slice; return the slice if it replaces the whole vector."""
    if value.type == target.type:
        return value
    properties = {"offsets": making.i64_list(offsets), "strides": making.i64_list(strides)}
    made = making.by_table(builder, "vector.insert_strided_slice", [value, target], [target.type], properties)
    return made.results[0]
