"""Expands vector ops that reduce or multiply."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from gpuasync_lsp.lowering.passes.expand_vectors.elements import (
    MOST_PRODUCTS,
    Builder,
    Elements,
    Expansion,
    Index,
    MaskedExpansion,
    Results,
    element_type_of,
    indices_of,
    shape_of,
)
from gpuasync_lsp.lowering.passes.kernels.reduce import operation_of
from gpuasync_lsp.syntax.kinds import map_of, numbers_of
from gpuasync_lsp.syntax.ods.by_table import TableOp


def _combined(build: Builder, kind: str, left: SSAValue, right: SSAValue) -> SSAValue:
    name = operation_of(kind, left.type)
    assert name is not None, "the element type supports this kind"
    return build.binary(name, left, right)


def _multi_reduction(op: TableOp, build: Builder, mask: SSAValue | None = None) -> Results:
    gone = set(numbers_of(op.reduction_dims))
    kind = op.kind.data
    if operation_of(kind, element_type_of(op.source.type)) is None:
        return None
    elements = dict(build.elements(op.acc))
    for index in indices_of(shape_of(op.source)):
        kept = tuple(at for dimension, at in enumerate(index) if dimension not in gone)
        value = _combined(build, kind, elements[kept], build.take(op.source, index))
        elements[kept] = build.select(mask, index, value, elements[kept])
    return [build.vector(op.results[0].type, elements)]


def _masked_reduction(op: TableOp, build: Builder, mask: SSAValue) -> Results:
    if op.acc is None or operation_of(op.kind.data, op.acc.type) is None:
        return None
    result: SSAValue = op.acc
    for index in indices_of(shape_of(op.vector)):
        value = _combined(build, op.kind.data, result, build.take(op.vector, index))
        result = build.select(mask, index, value, result)
    return [result]


def _last_of(elements: Elements, shape: Index, along: int) -> dict[Index, SSAValue]:
    last = shape[along] - 1
    return {(*at[:along], *at[along + 1 :]): value for at, value in elements.items() if at[along] == last}


def _scan(op: TableOp, build: Builder) -> Results:
    along: int = op.reduction_dim.value.data
    kind = op.kind.data
    if operation_of(kind, element_type_of(op.source.type)) is None:
        return None
    running = dict(build.elements(op.initial_value))
    elements: dict[Index, SSAValue] = {}
    # Indices are in row-major order, so the preceding element in dimension `along` has been visited.
    for index in indices_of(shape_of(op.source)):
        rest = (*index[:along], *index[along + 1 :])
        value = build.take(op.source, index)
        if op.inclusive.value.data:
            first = index[along] == 0
            # An inclusive scan begins with the first element; it does not include the initial value.
            elements[index] = value if first else _combined(build, kind, running[rest], value)
            running[rest] = elements[index]
        else:
            elements[index] = running[rest]
            running[rest] = _combined(build, kind, running[rest], value)
    last = _last_of(elements, shape_of(op.source), along)
    return [build.vector(op.dest.type, elements), build.vector(op.accumulated_value.type, last)]


def _outer_product(op: TableOp, build: Builder) -> Results:
    element = element_type_of(op.results[0].type)
    multiply = operation_of("mul", element)
    if multiply is None or operation_of(op.kind.data, element) is None:
        return None
    elements: dict[Index, SSAValue] = {}
    for index in indices_of(shape_of(op.results[0])):
        left = build.take(op.lhs, index[:1])
        value = build.binary(multiply, left, build.take(op.rhs, index[1:]))
        if op.acc is not None:
            value = _combined(build, op.kind.data, value, build.take(op.acc, index))
        elements[index] = value
    return [build.vector(op.results[0].type, elements)]


def _dimensions(mapped: AffineMap) -> Index:
    return tuple(each.position for each in mapped.results if isinstance(each, AffineDimExpr))


def _contract(op: TableOp, build: Builder, mask: SSAValue | None = None) -> Results:
    maps = [map_of(each) for each in op.indexing_maps]
    element = element_type_of(op.results[0].type)
    names = [operation_of("mul", element), operation_of(op.kind.data, element)]
    plain = all(len(_dimensions(mapped)) == len(mapped.results) for mapped in maps)
    if None in names or not plain:
        return None
    extents: dict[int, int] = {}
    for mapped, value in zip(maps, (op.lhs, op.rhs), strict=False):
        extents |= zip(_dimensions(mapped), shape_of(value), strict=True)
    if prod(extents.values()) > MOST_PRODUCTS:
        return None
    taken = [build.elements(value) for value in (op.lhs, op.rhs)]
    elements = dict(build.elements(op.acc))
    for point in indices_of([extents[dimension] for dimension in range(maps[0].num_dims)]):
        left, right, at = [tuple(point[at] for at in _dimensions(mapped)) for mapped in maps]
        factors = (build.widen(taken[0][left], element), build.widen(taken[1][right], element))
        value = build.binary(str(names[1]), build.binary(str(names[0]), *factors), elements[at])
        elements[at] = build.select(mask, point, value, elements[at])
    return [build.vector(op.results[0].type, elements)]


EXPANSIONS: dict[str, Expansion] = {
    "vector.multi_reduction": _multi_reduction,
    "vector.outerproduct": _outer_product,
    "vector.contract": _contract,
    "vector.scan": _scan,
}

MASKED: dict[str, MaskedExpansion] = {
    "vector.multi_reduction": _multi_reduction,
    "vector.reduction": _masked_reduction,
    "vector.contract": _contract,
}
