"""vector: reductions, scans and products, whose sizes must match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineDimExpr, AffineMap

from gpuasync_lsp.syntax.checks.view import (
    Checks,
    Fault,
    NotKnown,
    View,
    as_vector,
    elements,
    scalable,
    vector_of,
)
from gpuasync_lsp.syntax.printer import attribute_text

_FLOAT_KINDS = frozenset({"minnumf", "maxnumf", "minimumf", "maximumf", "minf", "maxf"})
_INTEGER_KINDS = frozenset({"minui", "minsi", "maxui", "maxsi", "and", "or", "xor"})


def _is_supported(kind: str | None, element: Attribute) -> bool:
    """Return whether a combining kind supports an element type; True for types that are not builtin."""
    if "." in element.name:
        return True
    if kind in _FLOAT_KINDS:
        return not isinstance(element, IntegerType) and element.name != "index"
    if kind in _INTEGER_KINDS:
        return isinstance(element, IntegerType) or element.name == "index"
    return True


def _scan(view: View) -> str | None:
    source, initial, dim = view.vector("source"), view.vector("initial_value"), view.integer("reduction_dim")
    shape, start = tuple(source.get_shape()), tuple(initial.get_shape())
    if dim >= len(shape):
        return f"reduction dimension {dim} has to be less than {len(shape)}"
    if len(start) != len(shape) - 1:
        return f"initial value rank {len(start)} has to be equal to {len(shape) - 1}"
    if dim >= 0 and start != shape[:dim] + shape[dim + 1 :]:
        return "incompatible input/initial value shapes"
    kind = view.word("kind")
    if not _is_supported(kind, source.element_type):
        return f"unsupported reduction type '{attribute_text(source.element_type)}' for kind '{kind}'"
    return None


def _reduction(view: View) -> Fault:
    source, kind = view.vector("vector"), view.word("kind")
    rank = len(source.get_shape())
    if rank > 1:
        return f"unsupported reduction rank: {rank}"
    if not _is_supported(kind, view.type("dest")):
        return f"unsupported reduction type ''{attribute_text(view.type('dest'))}'' for kind '{kind}'"
    return None


def _multi_reduction(view: View) -> Fault:
    source, result, dims = view.vector("source"), view.type("dest"), set(view.integers("reduction_dims"))
    kept = [at for at in range(len(source.get_shape())) if at not in dims]
    wanted: Attribute = source.element_type
    if kept:
        flags = scalable(source)
        wanted = VectorType(
            source.element_type,
            [source.get_shape()[at] for at in kept],
            ArrayAttr([IntegerAttr.from_bool(flags[at]) for at in kept]),
        )
    if result != wanted:
        names = f"'{attribute_text(result)}' is incompatible with source type '{attribute_text(source)}'"
        return f"destination type {names}"
    return None


_KIND = "expected 'kind' attribute of type CombiningKind (e.g. 'vector.kind<add>')"


def _outerproduct(view: View) -> Fault:
    if isinstance(view.attribute("kind"), StringAttr):
        return _KIND
    left, right, result = view.vector("lhs"), view.type("rhs"), as_vector(view.op.results[0].type)
    sizes, made = tuple(left.get_shape()), tuple(result.get_shape())
    if len(sizes) != 1:
        return "expected 1-d vector for operand #1"
    other = vector_of(right)
    if other is not None:
        if len(other.get_shape()) != 1:
            return "expected 1-d vector for operand #2"
        if len(made) != 2:
            return "expected 2-d vector result"
        if sizes[0] != made[0]:
            return "expected #1 operand dim to match result dim #1"
        if other.get_shape()[0] != made[1]:
            return "expected #2 operand dim to match result dim #2"
        if scalable(left)[0] and not scalable(other)[0]:
            return "expected either both or only #2 operand dim to be scalable"
    elif len(made) != 1:
        return "expected 1-d vector result"
    elif sizes[0] != made[0]:
        return "expected #1 operand dim to match result dim #1"
    if any(value.type != result for value in view.values("acc")):
        return "expected operand #3 of same type as result type"
    if not _is_supported(view.word("kind"), result.element_type):
        return "unsupported outerproduct type"
    return None


def _maps(view: View) -> list[AffineMap]:
    found = elements(view.attribute("indexing_maps"))
    maps = [each.data for each in found if isinstance(each, AffineMapAttr)]
    if len(maps) != len(found):
        raise NotKnown
    return maps


def _contract(view: View) -> Fault:
    if isinstance(view.attribute("kind"), StringAttr):
        return _KIND
    left, right = view.vector("lhs"), view.vector("rhs")
    for type in (left.element_type, right.element_type):
        if isinstance(type, IntegerType):
            integer = cast("IntegerType[int, Signedness]", type)
            if integer.signedness.data != Signedness.SIGNLESS:
                return "only supports signless integer types"
    maps = _maps(view)
    if len(maps) != 3:
        return "expected an indexing map for each vector operand"
    words = [attribute_text(each) for each in elements(view.attribute("iterator_types"))]
    accumulator, result = view.type("acc"), view.op.results[0].type
    for index, (affine_map, type) in enumerate(zip(maps, (left, right, accumulator), strict=True)):
        vector = vector_of(type)
        rank = len(vector.get_shape()) if vector is not None else 0
        if (error := _is_projected(index, affine_map, len(words), rank)) is not None:
            return error
    pairs = {
        kind: [
            (a, b)
            for at, word in enumerate(words)
            if kind in word
            and (a := _place(maps[0], at)) is not None
            and (b := _place(maps[1], at)) is not None
        ]
        for kind in ("reduction", "parallel")
    }
    if not pairs["reduction"]:
        return "expected at least one contracting dimension pair"
    for kind, name in (("reduction", "contracting"), ("parallel", "batch")):
        if any(left.get_shape()[a] != right.get_shape()[b] for a, b in pairs[kind]):
            return f"invalid {name} dimension map"
    if (error := _output(maps, (left, right), (accumulator, result), pairs)) is not None:
        return error
    made = vector_of(result)
    element = result if made is None else made.element_type
    return None if _is_supported(view.word("kind"), element) else "unsupported contraction type"


def _place(affine_map: AffineMap, dim: int) -> int | None:
    """Return the position of `dim` among the results of a projected permutation."""
    for at, each in enumerate(affine_map.results):
        if isinstance(each, AffineDimExpr) and each.position == dim:
            return at
    return None


def _is_projected(index: int, affine_map: AffineMap, dims: int, rank: int) -> str | None:
    if affine_map.num_symbols:
        return f"expected indexing map {index} to have no symbols"
    if affine_map.num_dims != dims:
        return f"expected indexing map {index} to have {dims} number of inputs"
    if len(affine_map.results) != rank:
        return f"expected indexing map {index} to have {rank} number of outputs"
    places = [each.position for each in affine_map.results if isinstance(each, AffineDimExpr)]
    if len(places) != rank or len(set(places)) != rank:
        return f"expected indexing map {index} to be a projected permutation of its inputs"
    return None


def _output(
    maps: Sequence[AffineMap],
    factors: tuple[VectorType[Attribute], VectorType[Attribute]],
    made: tuple[Attribute, Attribute],
    pairs: dict[str, list[tuple[int, int]]],
) -> str | None:
    left, right = (tuple(each.get_shape()) for each in factors)
    summed = [{pair[side] for pair in pairs["reduction"]} for side in (0, 1)]
    batch = {pair[1] for pair in pairs["parallel"]}
    free = [at for at in range(len(left)) if at not in summed[0]]
    free += [at for at in range(len(right)) if at not in summed[1] | batch]
    words = "invalid accumulator/result vector shape"
    vectors = [vector for type in made if (vector := vector_of(type)) is not None]
    if not free:
        return words if vectors else None
    if len(vectors) != 2:
        return words
    extents: dict[int, int] = {}
    for affine_map, sizes in zip(maps, (left, right), strict=False):
        for each, size in zip(affine_map.results, sizes, strict=True):
            if isinstance(each, AffineDimExpr):
                extents.setdefault(each.position, size)
    if len(extents) != maps[0].num_dims:
        return "expected all dimensions to be either a LHS or a RHS dimension"
    shape = [extents[each.position] for each in maps[2].results if isinstance(each, AffineDimExpr)]
    result = vectors[1]
    if len(shape) != len(result.get_shape()):
        return None
    wanted = VectorType(result.element_type, shape, result.scalable_dims)
    if any(vector != wanted for vector in vectors):
        return f"{words}, expected: '{attribute_text(wanted)}'"
    return None


CHECKS: Checks = {
    "vector.scan": _scan,
    "vector.reduction": _reduction,
    "vector.multi_reduction": _multi_reduction,
    "vector.outerproduct": _outerproduct,
    "vector.contract": _contract,
}
