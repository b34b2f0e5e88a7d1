"""Expands vector ops that move elements, or create vectors without operands."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from gpuasync_lsp.lowering.passes.expand_vectors.elements import (
    Builder,
    Expansion,
    Index,
    Results,
    indices_of,
    shape_of,
)
from gpuasync_lsp.syntax.kinds import numbers_of
from gpuasync_lsp.syntax.ods.by_table import TableOp


def _rearranged(
    build: Builder, source: SSAValue, result: SSAValue, place: Callable[[Index], Index]
) -> list[SSAValue]:
    elements = {index: build.take(source, place(index)) for index in indices_of(shape_of(result))}
    return [build.vector(result.type, elements)]


def _shape_cast(op: TableOp, build: Builder) -> Results:
    here, there = indices_of(shape_of(op.source)), indices_of(shape_of(op.results[0]))
    places = dict(zip(there, here, strict=True))
    return _rearranged(build, op.source, op.results[0], places.__getitem__)


def _broadcast(op: TableOp, build: Builder) -> Results:
    source, result = shape_of(op.source), shape_of(op.results[0])
    if len(result) < 2 and not source:
        return None

    def place(index: Index) -> Index:
        behind = index[len(index) - len(source) :] if source else ()
        return tuple(0 if extent == 1 else at for at, extent in zip(behind, source, strict=True))

    return _rearranged(build, op.source, op.results[0], place)


def _transpose(op: TableOp, build: Builder) -> Results:
    order = numbers_of(op.permutation)

    def place(index: Index) -> Index:
        at = dict(zip(order, index, strict=True))
        return tuple(at[dimension] for dimension in range(len(index)))

    return _rearranged(build, op.operands[0], op.results[0], place)


def _extract_slice(op: TableOp, build: Builder) -> Results:
    offsets, strides = numbers_of(op.offsets), numbers_of(op.strides)

    def place(index: Index) -> Index:
        moved = [o + i * s for o, i, s in zip(offsets, index, strides, strict=False)]
        return (*moved, *index[len(moved) :])

    return _rearranged(build, op.operands[0], op.results[0], place)


def _insert_slice(op: TableOp, build: Builder) -> Results:
    offsets, strides = numbers_of(op.offsets), numbers_of(op.strides)
    source = shape_of(op.operands[0])
    outer = len(offsets) - len(source)
    elements = dict(build.elements(op.operands[1]))
    for index in indices_of(source):
        steps = [*[0] * outer, *(i * s for i, s in zip(index, strides, strict=True))]
        place = tuple(o + n for o, n in zip(offsets, steps, strict=True))
        elements[place] = build.take(op.operands[0], index)
    return [build.vector(op.results[0].type, elements)]


def _interleave(op: TableOp, build: Builder) -> Results:
    elements = {
        index: build.take(op.rhs if index[-1] % 2 else op.lhs, (*index[:-1], index[-1] // 2))
        for index in indices_of(shape_of(op.results[0]))
    }
    return [build.vector(op.results[0].type, elements)]


def _deinterleave(op: TableOp, build: Builder) -> Results:
    def every_second(odd: int, result: SSAValue) -> list[SSAValue]:
        return _rearranged(build, op.source, result, lambda index: (*index[:-1], 2 * index[-1] + odd))

    return [*every_second(0, op.res1), *every_second(1, op.res2)]


def _step(op: TableOp, build: Builder) -> Results:
    elements = {index: build.index(index[0]) for index in indices_of(shape_of(op.results[0]))}
    return [build.vector(op.results[0].type, elements)]


def _constant_mask(op: TableOp, build: Builder) -> Results:
    sizes = numbers_of(op.mask_dim_sizes)
    elements = {
        index: build.truth(all(at < size for at, size in zip(index, sizes, strict=False)))
        for index in indices_of(shape_of(op.results[0]))
    }
    return [build.vector(op.results[0].type, elements)]


def _create_mask(op: TableOp, build: Builder) -> Results:
    elements: dict[Index, SSAValue] = {}
    for index in indices_of(shape_of(op.results[0])):
        value = build.truth(True)
        for at, size in zip(index, op.operands, strict=False):
            value = build.binary("arith.andi", value, build.less(build.index(at), size))
        elements[index] = value
    return [build.vector(op.results[0].type, elements)]


def _to_elements(op: TableOp, build: Builder) -> Results:
    return [build.take(op.source, index) for index in indices_of(shape_of(op.source))]


def _from_elements(op: TableOp, build: Builder) -> Results:
    shape = shape_of(op.results[0])
    if len(shape) < 2:
        return None
    return [build.vector(op.results[0].type, dict(zip(indices_of(shape), op.elements, strict=True)))]


EXPANSIONS: dict[str, Expansion] = {
    "vector.shape_cast": _shape_cast,
    "vector.broadcast": _broadcast,
    "vector.transpose": _transpose,
    "vector.extract_strided_slice": _extract_slice,
    "vector.insert_strided_slice": _insert_slice,
    "vector.interleave": _interleave,
    "vector.deinterleave": _deinterleave,
    "vector.step": _step,
    "vector.constant_mask": _constant_mask,
    "vector.create_mask": _create_mask,
    "vector.to_elements": _to_elements,
    "vector.from_elements": _from_elements,
}
