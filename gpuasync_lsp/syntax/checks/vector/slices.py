"""vector: extraction from and insertion into a vector, by position and by slice."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, VectorType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import (
    Checks,
    Fault,
    NotKnown,
    VerifierError,
    View,
    as_vector,
    scalable,
    vector_of,
)
from gpuasync_lsp.syntax.printer import attribute_text


def _source(view: View) -> VectorType[Attribute]:
    """Return the type of the sliced vector: the operand `source` since LLVM 22, `vector` before LLVM 22."""
    try:
        return view.vector("source")
    except NotKnown:
        return view.vector("vector")


def _position(position: Sequence[int], shape: Sequence[int], what: str, *, poison: bool) -> Fault:
    for index, (at, size) in enumerate(zip(position, shape, strict=False)):
        if at == DYNAMIC_INDEX or 0 <= at < size:
            continue
        words = (
            f"expected position attribute #{index + 1} to be a non-negative integer smaller than the "
            f"corresponding {what} dimension"
        )
        if at == -1:
            return VerifierError("", 20, earlier=words)
        return VerifierError(f"{words} or poison (-1)", 20, earlier=words) if poison else words
    return None


def _extract(view: View) -> Fault:
    source, result = _source(view), view.type("result")
    position, shape = view.integers("static_position"), tuple(source.get_shape())
    if len(position) > len(shape):
        return "expected position attribute of rank no greater than vector rank"
    wanted: Attribute = source.element_type
    if len(position) < len(shape):
        wanted = _part(source, shape[len(position) :], scalable(source)[len(position) :])
    misplaced = _position(position, shape, "vector", poison=True)
    if wanted == result:
        return misplaced
    words = (
        f"inferred type(s) '{attribute_text(wanted)}' are incompatible with return type(s) of operation "
        f"'{attribute_text(result)}'"
    )
    if _is_single(wanted, result) or _is_single(result, wanted):
        # Earlier releases accept a vector of one element in place of the element.
        earlier = misplaced.words if isinstance(misplaced, VerifierError) else misplaced or ""
        return VerifierError(words, 23, earlier=earlier)
    return words


def _is_single(one: Attribute, other: Attribute) -> bool:
    vector = vector_of(one)
    return vector is not None and tuple(vector.get_shape()) == (1,) and vector.element_type == other


def _part(whole: VectorType[Attribute], sizes: Sequence[int], flags: Sequence[bool]) -> VectorType[Attribute]:
    return VectorType(whole.element_type, sizes, ArrayAttr([IntegerAttr.from_bool(each) for each in flags]))


def _insert(view: View) -> Fault:
    value, into = view.type("valueToStore"), view.vector("dest")
    position, shape = view.integers("static_position"), tuple(into.get_shape())
    if len(position) > len(shape):
        return "expected position attribute of rank no greater than dest vector rank"
    part = vector_of(value)
    if part is not None:
        if len(part.get_shape()) + len(position) != len(shape):
            return "expected position attribute rank + source rank to match dest vector rank"
    elif len(position) != len(shape):
        return "expected position attribute rank to match the dest vector rank"
    return _position(position, shape, "dest vector", poison=False)


def _confined(name: str, values: Sequence[int], limits: Sequence[int], least: int, extra: int) -> str | None:
    for index, (value, limit) in enumerate(zip(values, limits, strict=False)):
        if not least <= value < limit + extra:
            return f"expected {name} dimension {index} to be confined to [{least}, {limit + extra})"
    return None


def _insert_slice(view: View) -> Fault:
    part, whole = (as_vector(each.type) for each in view.op.operands[:2])
    offsets, strides = view.integers("offsets"), view.integers("strides")
    sizes, shape = tuple(part.get_shape()), tuple(whole.get_shape())
    if len(offsets) != len(shape):
        return "expected offsets of same size as destination vector rank"
    if len(strides) != len(sizes):
        return "expected strides of same size as source vector rank"
    if len(sizes) > len(shape):
        return "expected source rank to be no greater than destination rank"
    if (error := _confined("offsets", offsets, shape, 0, 0)) is not None:
        return error
    if any(each != 1 for each in strides):
        return "expected strides to be confined to [1, 2)"
    padded = (0,) * (len(shape) - len(sizes)) + sizes
    sums = [offset + size for offset, size in zip(offsets, padded, strict=True)]
    lead = len(shape) - len(sizes)
    for index in range(lead, len(shape)):
        if sums[index] > shape[index]:
            return (
                f"expected sum(offsets, source vector shape) dimension {index} to be confined to "
                f"[1, {shape[index] + 1})"
            )
    return _scalable(part, whole, inserted=True)


def _extract_slice(view: View) -> Fault:
    whole, part = _source(view), as_vector(view.op.results[0].type)
    offsets, sizes, strides = (view.integers(name) for name in ("offsets", "sizes", "strides"))
    shape = tuple(whole.get_shape())
    if not len(offsets) == len(sizes) == len(strides):
        return "expected offsets, sizes and strides attributes of same size"
    if len(offsets) > len(shape):
        return "expected offsets attribute of rank no greater than vector rank"
    if (error := _confined("offsets", offsets, shape, 0, 0)) is not None:
        return error
    if (error := _confined("sizes", sizes, shape, 1, 1)) is not None:
        return error
    if any(each != 1 for each in strides):
        return "expected strides to be confined to [1, 2)"
    sums = [offset + size for offset, size in zip(offsets, sizes, strict=True)]
    if (error := _confined("sum(offsets, sizes)", sums, shape, 1, 1)) is not None:
        return error
    wanted = _part(whole, (*sizes, *shape[len(sizes) :]), scalable(whole))
    if wanted != part:
        return f"expected result type to be '{attribute_text(wanted)}'"
    return _scalable(part, whole, inserted=False)


def _scalable(part: VectorType[Attribute], whole: VectorType[Attribute], *, inserted: bool) -> Fault:
    """Check that a slice covers scalable dimensions completely."""
    shape, sizes = tuple(part.get_shape()), tuple(whole.get_shape())
    ours, flags = scalable(part), scalable(whole)
    offset = len(sizes) - len(shape) if inserted else 0
    for index, (size, is_scalable) in enumerate(zip(shape, ours, strict=True)):
        at = index + offset
        if inserted and is_scalable != flags[at]:
            return f"mismatching scalable flags (at source vector idx={index})"
        if flags[at] and size != sizes[at]:
            return (
                f"expected size at idx={at} to match the corresponding base size from the input vector "
                f"({size} vs {sizes[at]})"
            )
    return None


def _scalable_part(view: View, vector: str, words: str) -> Fault:
    size = view.vector(vector).get_shape()
    if len(size) == 1 and size[0] and view.integer("pos") % size[0]:
        return f"failed to verify that position is a multiple of the {words} length."
    return None


CHECKS: Checks = {
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.insert_strided_slice": _insert_slice,
    "vector.extract_strided_slice": _extract_slice,
    "vector.scalable.insert": lambda view: _scalable_part(view, "valueToStore", "source"),
    "vector.scalable.extract": lambda view: _scalable_part(view, "result", "result"),
}
