"""vector: loads, stores and transfers: consistent types, indices, masks and maps."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from gpuasync_lsp.syntax.checks.view import (
    Checks,
    Fault,
    NotKnown,
    VerifierError,
    View,
    as_vector,
    scalable,
    shaped,
    vector_of,
)
from gpuasync_lsp.syntax.kinds import is_array, is_memref, is_vector, vector_type
from gpuasync_lsp.syntax.memref_types import strides_and_offset
from gpuasync_lsp.syntax.printer import attribute_text


def _indices(view: View, shape: Sequence[int], name: str = "indices") -> str | None:
    return f"requires {len(shape)} indices" if view.count(name) != len(shape) else None


# Whole vectors


def _plain(view: View, vector: str, words: str, lower: str, same_vectors: str) -> Fault:
    base = view.type("base")
    if not is_memref(base):
        return None
    memref, type = base, as_vector(view.type(vector))
    layout = strides_and_offset(memref)
    if layout is not None and layout.strides and layout.strides[-1] != 1:
        stride = "most minor memref dim must have unit stride"
        is_single = prod(type.get_shape()) == 1 and not any(scalable(type))
        if not is_single:
            return stride
        if type.get_shape() and view.count("indices") == len(memref.get_shape()):
            return VerifierError("", 20, earlier=stride)
    element = memref.element_type
    is_vector = isinstance(element, VectorType)
    if len(memref.get_shape()) < len(type.get_shape()) and not is_vector:
        return VerifierError(lower, 22)
    if is_vector:
        return None if element == type else same_vectors
    return words if element != type.element_type else _indices(view, memref.get_shape())


def _load(view: View) -> Fault:
    return _plain(
        view,
        "result",
        "base and result element types should match",
        "destination memref has lower rank than the result vector",
        "base memref and result vector types should match",
    )


def _store(view: View) -> Fault:
    return _plain(
        view,
        "valueToStore",
        "base and valueToStore element type should match",
        "source memref has lower rank than the vector to store",
        "base memref and valueToStore vector types should match",
    )


# Gathers, scatters and other masked accesses


def _shape(view: View, name: str) -> tuple[int, ...]:
    return tuple(view.vector(name).get_shape())


def _masked(
    view: View, vector: str, *, named: str = "", whole: bool = True, pass_thru: bool = False
) -> Fault:
    shape, element = shaped(view.type("base"))
    type, name = view.vector(vector), named or vector
    if type.element_type != element:
        return f"base and {name} element type should match"
    if (error := _indices(view, shape)) is not None:
        return error
    mask, sizes = _shape(view, "mask"), tuple(type.get_shape())
    if mask != sizes:
        by_dim = f"expected {name} dim to match mask dim"
        return (
            VerifierError(f"expected {name} shape to match mask shape", 20, earlier=by_dim)
            if whole
            else by_dim
        )
    if pass_thru and view.vector("pass_thru") != type:
        return f"expected pass_thru of same type as {name} type"
    return None


def _places(view: View) -> tuple[Sequence[SSAValue], tuple[int, ...]]:
    """Return the base indices of a gather or scatter, and the sizes of its index vector.

    LLVM 22 renamed both operands."""
    groups = [view.values(name) for name in ("indices", "offsets")]
    for vectors, places in (groups, groups[::-1]):
        vector = vector_of(vectors[0].type) if len(vectors) == 1 else None
        if vector is not None:
            return places, tuple(vector.get_shape())
    raise NotKnown


def _indexed(view: View, vector: str) -> Fault:
    shape, element = shaped(view.type("base"))
    type = view.vector(vector)
    if type.element_type != element:
        return f"base and {vector} element type should match"
    places, scattered = _places(view)
    if len(places) != len(shape):
        return f"requires {len(shape)} indices"
    for what, sizes in (("indices", scattered), ("mask", _shape(view, "mask"))):
        if sizes != tuple(type.get_shape()):
            return f"expected {vector} dim to match {what} dim"
    return None


def _gather(view: View) -> Fault:
    error = _indexed(view, "result")
    if error is None and view.vector("pass_thru") != view.vector("result"):
        return "expected pass_thru of same type as result type"
    return error


# Transfers


def transfer_mask(vector: VectorType[Attribute], affine_map: AffineMap) -> VectorType[Attribute]:
    """Return the mask type of a transfer: the sizes of `vector` in the dimension order of the memory."""
    order = sorted(
        (each.position, at) for at, each in enumerate(affine_map.results) if isinstance(each, AffineDimExpr)
    )
    sizes, flags = tuple(vector.get_shape()), scalable(vector)
    if any(at >= len(sizes) for _, at in order):
        raise NotKnown
    places = [at for _, at in order]
    made = VectorType(
        IntegerType(1),
        [sizes[at] for at in places] or [1],
        ArrayAttr([IntegerAttr.from_bool(flags[at]) for at in places] or [IntegerAttr.from_bool(False)]),
    )
    return vector_type(made)


def _transfer(view: View, vector: VectorType[Attribute], *, is_read: bool) -> Fault:
    base = view.type("base")
    if base.name not in ("memref", "tensor"):
        return "requires source to be a memref or ranked tensor type"
    shape, element = shaped(base)
    if (error := _indices(view, shape)) is not None:
        return error
    found = view.attribute("permutation_map")
    if not isinstance(found, AffineMapAttr):
        raise NotKnown
    affine_map = found.data
    results = affine_map.results
    broadcast = [isinstance(each, AffineConstantExpr) for each in results]
    if not is_read and any(broadcast):
        return "should not have broadcast dimensions"
    rank = len(vector.get_shape())
    inner = element if is_vector(element) else None
    if inner is not None:
        if len(inner.get_shape()) > rank:
            return "requires source vector element and vector result ranks to match."
        rank -= len(inner.get_shape())
    if len(results) != rank:
        return "requires a permutation_map with result dims of the same rank as the vector type"
    if inner is not None and view.values("mask"):
        return "does not support masks with vector element type"
    if affine_map.num_symbols:
        return "requires permutation_map without symbols"
    if affine_map.num_dims != len(shape):
        return "requires a permutation_map with input dims of the same rank as the source type"
    if (error := _bounds(view, affine_map)) is not None:
        return error
    padding = view.type("padding") if is_read else None
    if padding is not None and inner is not None and padding != inner:
        return "requires source element type and padding type to match."
    if padding is not None and inner is None and padding != element:
        return "requires formal padding and source of the same elemental type"
    return _permutation(affine_map)


def _bounds(view: View, affine_map: AffineMap) -> Fault:
    found = view.attribute("in_bounds")
    if not is_array(found):
        return None
    count, wanted = len(found), len(affine_map.results)
    if count != wanted:
        shown = attribute_text(AffineMapAttr(affine_map))
        return (
            "expects the in_bounds attr of same rank as permutation_map results: "
            f"{shown} vs inBounds of size: {count}"
        )
    return None


def _permutation(affine_map: AffineMap) -> str | None:
    seen: set[int] = set()
    for each in affine_map.results:
        if isinstance(each, AffineConstantExpr) and each.value == 0:
            continue
        if not isinstance(each, AffineDimExpr):
            return (
                "requires a projected permutation_map (at most one dim or the zero constant can appear in "
                "each result)"
            )
        if each.position in seen:
            return "requires a permutation_map that is a permutation (found one dim used more than once)"
        seen.add(each.position)
    return None


def mask_of(op: Operation) -> VectorType[Attribute] | None:
    """Return the mask type that a transfer requires; None for other ops."""
    view = View(op)
    found = view.attribute("permutation_map")
    if op.name not in ("vector.transfer_read", "vector.transfer_write") or not isinstance(
        found, AffineMapAttr
    ):
        return None
    vector = view.vector("vector" if op.name == "vector.transfer_read" else "valueToStore")
    return transfer_mask(vector, found.data)


CHECKS: Checks = {
    "vector.load": _load,
    "vector.store": _store,
    "vector.maskedload": lambda view: _masked(view, "result", pass_thru=True),
    "vector.maskedstore": lambda view: _masked(view, "valueToStore"),
    "vector.expandload": lambda view: _masked(view, "result", whole=False, pass_thru=True),
    "vector.compressstore": lambda view: _masked(view, "valueToStore", whole=False),
    "vector.gather": _gather,
    "vector.scatter": lambda view: _indexed(view, "valueToStore"),
    "vector.transfer_read": lambda view: _transfer(view, view.vector("vector"), is_read=True),
    "vector.transfer_write": lambda view: _transfer(view, view.vector("valueToStore"), is_read=False),
}
