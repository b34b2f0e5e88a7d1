"""Expands vector ops that access memory into scalar accesses, so that each access is checked separately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from gpuasync_lsp.lowering.passes.expand_vectors.elements import (
    Builder,
    Elements,
    Expansion,
    Index,
    MaskedExpansion,
    Results,
    indices_of,
    shape_of,
)
from gpuasync_lsp.syntax.dialects import arith, memref
from gpuasync_lsp.syntax.kinds import bools_of, element_type, is_memref, is_vector, map_of
from gpuasync_lsp.syntax.ods.by_table import TableOp


@dataclass(frozen=True)
class _Place:
    indices: Sequence[SSAValue]
    inside: SSAValue | None = None
    """An i1: whether the element is accessed at run time; None if it is always accessed."""


def _holds_scalars(base: SSAValue) -> bool:
    return is_memref(base.type) and not is_vector(base.type.element_type)


def _both(build: Builder, left: SSAValue | None, right: SSAValue) -> SSAValue:
    return right if left is None else build.binary("arith.andi", left, right)


def _load(build: Builder, base: SSAValue, place: _Place, otherwise: Callable[[], SSAValue]) -> SSAValue:
    load = memref.LoadOp.create(operands=[base, *place.indices], result_types=[element_type(base.type)])
    if place.inside is None:
        return build.add(load).results[0]
    return build.choose(place.inside, load, otherwise())


def _store(build: Builder, base: SSAValue, place: _Place, value: SSAValue) -> None:
    store = memref.StoreOp.create(operands=[value, base, *place.indices])
    if place.inside is None:
        build.add(store)
    else:
        build.choose(place.inside, store, None)


def _is_plain(op: TableOp, rank: int, mask: SSAValue | None) -> bool:
    """Return whether a transfer accesses consecutive elements in bounds; such a transfer has a lowering."""
    mapped = map_of(op.permutation_map)
    last = getattr(mapped.results[0], "position", None) if len(mapped.results) == 1 else None
    return rank == 1 and last == mapped.num_dims - 1 and mask is None and all(_bounds(op))


def _bounds(op: TableOp) -> list[bool]:
    return bools_of(op.in_bounds)


def _transferred(
    op: TableOp, build: Builder, shape: Index, mask: SSAValue | None
) -> dict[Index, _Place] | None:
    """Return the address of each element of a transfer; None if the transfer is not expanded."""
    mapped = map_of(op.permutation_map)
    bounds = _bounds(op)
    if not _holds_scalars(op.base) or len(shape) != len(mapped.results) or _is_plain(op, len(shape), mask):
        return None
    if not all(isinstance(each, AffineDimExpr | AffineConstantExpr) for each in mapped.results):
        return None
    ends = {
        each.position: build.dimension(op.base, each.position)
        for each, inside in zip(mapped.results, bounds, strict=True)
        if isinstance(each, AffineDimExpr) and not inside
    }
    found: dict[Index, _Place] = {}
    for index in indices_of(shape):
        places = list(op.indices)
        steps: list[tuple[int, int]] = []
        inside: SSAValue | None = None
        for each, at in zip(mapped.results, index, strict=True):
            if not isinstance(each, AffineDimExpr):
                continue
            number = each.position
            steps.append((number, at))
            if at:
                places[number] = build.plus(op.indices[number], at)
            if number in ends:
                inside = _both(build, inside, build.less(places[number], ends[number]))
        if mask is not None:
            # The mask has the shape of the vector, with dimensions in memory order.
            inside = _both(build, inside, build.take(mask, tuple(at for _, at in sorted(steps)) or (0,)))
        found[index] = _Place(places, inside)
    return found


def _transfer_read(op: TableOp, build: Builder, mask: SSAValue | None = None) -> Results:
    places = _transferred(op, build, shape_of(op.vector), mask if mask is not None else op.mask)
    if places is None:
        return None
    elements = {index: _load(build, op.base, at, lambda: op.padding) for index, at in places.items()}
    return [build.vector(op.vector.type, elements)]


def _transfer_write(op: TableOp, build: Builder, mask: SSAValue | None = None) -> Results:
    places = _transferred(op, build, shape_of(op.value_to_store), mask if mask is not None else op.mask)
    if places is None:
        return None
    for index, place in places.items():
        _store(build, op.base, place, build.take(op.value_to_store, index))
    return []


def _moved(build: Builder, indices: Sequence[SSAValue], index: Index) -> list[SSAValue]:
    """Return `indices` with `index` added to the trailing ones, element by element."""
    outer = len(indices) - len(index)
    moved = [build.plus(value, at) for value, at in zip(indices[outer:], index, strict=True)]
    return [*indices[:outer], *moved]


def _read(op: TableOp, build: Builder) -> Results:
    shape = shape_of(op.result)
    if not _holds_scalars(op.base) or len(shape) < 2 or len(shape) > len(op.indices):
        return None
    places = {index: _Place(_moved(build, op.indices, index)) for index in indices_of(shape)}
    elements = {index: _load(build, op.base, at, lambda: op.base) for index, at in places.items()}
    return [build.vector(op.result.type, elements)]


def _write(op: TableOp, build: Builder) -> Results:
    shape = shape_of(op.value_to_store)
    if not _holds_scalars(op.base) or len(shape) < 2 or len(shape) > len(op.indices):
        return None
    for index in indices_of(shape):
        place = _Place(_moved(build, op.indices, index))
        _store(build, op.base, place, build.take(op.value_to_store, index))
    return []


def _masked(op: TableOp, build: Builder, shape: Index) -> dict[Index, _Place] | None:
    if not _holds_scalars(op.base) or len(shape) > len(op.indices):
        return None
    return {
        index: _Place(_moved(build, op.indices, index), build.take(op.mask, index))
        for index in indices_of(shape)
    }


def _gathered(op: TableOp, build: Builder, shape: Index) -> dict[Index, _Place] | None:
    """Return the addresses for a gather or scatter, whose index vector offsets the last dimension."""
    if not _holds_scalars(op.base) or not op.offsets:
        return None
    found: dict[Index, _Place] = {}
    for index in indices_of(shape):
        offset = build.take(op.indices, index)
        if offset.type.name != IndexType.name:
            offset = build.create(arith.IndexCastOp, [offset], IndexType())
        last = build.binary("arith.addi", op.offsets[-1], offset)
        found[index] = _Place([*op.offsets[:-1], last], build.take(op.mask, index))
    return found


def _packed(op: TableOp, build: Builder, shape: Index) -> dict[Index, _Place] | None:
    """Return the addresses for an expandload or compressstore, consecutive for the unmasked elements."""
    if not _holds_scalars(op.base) or not op.indices:
        return None
    found: dict[Index, _Place] = {}
    last = op.indices[-1]
    for index in indices_of(shape):
        inside = build.take(op.mask, index)
        found[index] = _Place([*op.indices[:-1], last], inside)
        step = build.create(arith.IndexCastUIOp, [inside], IndexType())
        last = build.binary("arith.addi", last, step)
    return found


_Places = Callable[[Any, Builder, Index], dict[Index, _Place] | None]


def _reading(places: _Places) -> Expansion:
    def expand(op: TableOp, build: Builder) -> Results:
        shape = shape_of(op.result)
        found = places(op, build, shape)
        if found is None:
            return None
        elements: Elements = {
            index: _load(build, op.base, place, lambda at=index: build.take(op.pass_thru, at))
            for index, place in found.items()
        }
        return [build.vector(op.result.type, elements)]

    return expand


def _writing(places: _Places) -> Expansion:
    def expand(op: TableOp, build: Builder) -> Results:
        found = None if op.results else places(op, build, shape_of(op.value_to_store))
        if found is None:
            return None
        for index, place in found.items():
            _store(build, op.base, place, build.take(op.value_to_store, index))
        return []

    return expand


EXPANSIONS: dict[str, Expansion] = {
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
    "vector.load": _read,
    "vector.store": _write,
    "vector.maskedload": _reading(_masked),
    "vector.maskedstore": _writing(_masked),
    "vector.gather": _reading(_gathered),
    "vector.scatter": _writing(_gathered),
    "vector.expandload": _reading(_packed),
    "vector.compressstore": _writing(_packed),
}

MASKED: dict[str, MaskedExpansion] = {
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
}
