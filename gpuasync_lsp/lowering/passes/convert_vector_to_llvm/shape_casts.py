"""Lowers vector.shape_cast to slices, extractions and insertions.

Source: mlir/lib/Dialect/Vector/Transforms/LowerVectorShapeCast.cpp; measured in all releases.
"""

from __future__ import annotations

from math import gcd, prod

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making, slices
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import AnyVector, Builder
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import positions
from gpuasync_lsp.syntax.kinds import vector_type

_PLANE = 2
"""The rank of vectors that older releases cast row by row."""


def lower_shape_cast(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a shape cast with extractions from one vector and insertions into the other."""
    (source,) = op.operands
    result = vector_type(op.results[0].type)
    builder = Builder(rewriter, op)
    given = making.of(source)
    if any(making.scalable(given)) or any(making.scalable(result)):
        if not rewriter.profile.casts_scalable_shapes or not (_scales_last(given) and _scales_last(result)):
            return False
        rewriter.replace(op, [_by_scalable_parts(builder, source, result)])
        return True
    by_slices = rewriter.profile.shape_casts_by_slices
    cast_to = _by_slices if by_slices else _by_rows
    rewriter.replace(op, [cast_to(builder, source, result)])
    return True


def _scales_last(type: AnyVector) -> bool:
    """Return whether only the last dimension is scalable."""
    *others, last = making.scalable(type)
    return last and True not in others


def _by_scalable_parts(builder: Builder, source: SSAValue, result: AnyVector) -> SSAValue:
    """Move the largest parts that divide both last dimensions (`ScalableShapeCastOpRewritePattern`)."""
    have, want = list(making.of(source).get_shape()), list(result.get_shape())
    size = min(have[-1], want[-1])
    part_type = making.shaped(result, [size], [True])
    whole = making.nothing(builder, result)
    row: SSAValue | None = None
    target: SSAValue | None = None
    here, there = positions(have[:-1]), positions(want[:-1])
    at, place = (), ()
    for start in range(0, prod(have), size):
        inside, into = start % have[-1], start % want[-1]
        if inside == 0:
            at = next(here)
            row = making.extract(builder, source, *at) if len(have) > 1 else source
        part = row
        assert part is not None, "the first part begins a row"
        if size < have[-1]:
            taken = making.by_table(
                builder, "vector.scalable.extract", [part], [part_type], {"pos": IntegerAttr(inside, i64)}
            )
            part = taken.results[0]
        if into == 0:
            place = next(there)
            target = making.extract(builder, whole, *place) if len(want) > 1 and size < want[-1] else whole
        if size < want[-1]:
            assert target is not None, "the first part begins a row"
            put = making.by_table(
                builder,
                "vector.scalable.insert",
                [part, target],
                [target.type],
                {"pos": IntegerAttr(into, i64)},
            )
            target = put.results[0]
            if len(want) == 1:
                whole = target
            elif into + size == want[-1]:
                whole = making.insert(builder, target, whole, *place)
        else:
            whole = making.insert(builder, part, whole, *place) if len(want) > 1 else part
    return whole


def _by_rows(builder: Builder, source: SSAValue, result: AnyVector) -> SSAValue:
    have, want = list(making.of(source).get_shape()), list(result.get_shape())
    whole = making.nothing(builder, result)
    if len(have) == _PLANE and len(want) == 1:
        for number in range(have[0]):
            row = making.extract(builder, source, number)
            whole = slices.insert_slice(builder, row, whole, [number * have[1]], [1])
        return whole
    if len(have) == 1 and len(want) == _PLANE:
        for number in range(want[0]):
            row = slices.extract_slice(builder, source, [number * want[1]], [want[1]], [1])
            whole = making.insert(builder, row, whole, number)
        return whole
    for here, there in zip(positions(have), positions(want), strict=True):
        whole = making.insert(builder, making.extract(builder, source, *here), whole, *there)
    return whole


def _by_slices(builder: Builder, source: SSAValue, result: AnyVector) -> SSAValue:
    have, want = list(making.of(source).get_shape()), list(result.get_shape())
    a, b = len(have) - 1, len(want) - 1
    while a >= 0 and b >= 0 and have[a] == want[b]:
        a, b = a - 1, b - 1
    if a < 0 or b < 0:
        return _leading_ones(builder, source, result)
    common = gcd(have[a], want[b])
    if common == 1:
        whole = making.nothing(builder, result)
        pairs = zip(positions(have[: a + 1]), positions(want[: b + 1]), strict=True)
        for here, there in pairs:
            whole = making.insert(builder, making.extract(builder, source, *here), whole, *there)
        return whole
    atom = [common, *have[a + 1 :]]
    take, put = have[a] // common, want[b] // common
    ones = [1] * len(atom)
    rest = [0] * (len(atom) - 1)
    here, there = positions(have[:a]), positions(want[:b])
    whole = making.nothing(builder, result)
    empty = making.nothing(builder, making.shaped(result, want[b:]))
    part, row = source, empty
    for number in range(prod(have) // prod(atom)):
        if number % take == 0:
            part = making.extract(builder, source, *next(here))
        at = [number % take * common, *rest]
        piece = slices.extract_slice(builder, part, at, atom, ones)
        if number % put == 0:
            row = empty
        row = slices.insert_slice(builder, piece, row, [number % put * common, *rest], ones)
        if number % put == put - 1:
            whole = making.insert(builder, row, whole, *next(there))
    return whole


def _leading_ones(builder: Builder, source: SSAValue, result: AnyVector) -> SSAValue:
    more = len(making.of(source).get_shape()) - len(result.get_shape())
    whole = making.nothing(builder, result)
    part = making.extract(builder, source, *[0] * max(more, 0))
    return making.insert(builder, part, whole, *[0] * max(-more, 0))
