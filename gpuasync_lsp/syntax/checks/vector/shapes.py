"""vector: casts, broadcasts, transpositions and shuffles between compatible shapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from gpuasync_lsp.syntax.checks.view import Checks, Fault, VerifierError, View, bits, scalable, vector_of


def _shape_cast(view: View) -> Fault:
    """Check a shape cast.

    Through LLVM 19 it must split or join whole dimensions; later only the element counts must match."""
    source, result = view.vector("source"), view.vector("result")
    if source.element_type != result.element_type:
        earlier = "source/result vectors must have same element type"
        return VerifierError("has different source and result element types", 20, earlier=earlier)
    before, after = tuple(source.get_shape()), tuple(result.get_shape())
    if prod(before) != prod(after):
        words = f"has different number of elements at source ({prod(before)}) and result ({prod(after)})"
        return VerifierError(words, 20, earlier="source/result number of elements must match")
    counts = sum(scalable(source)), sum(scalable(result))
    if counts[0] != counts[1]:
        words = f"has different number of scalable dims at source ({counts[0]}) and result ({counts[1]})"
        return VerifierError(words, 20)
    few, many = sorted((before, after), key=len)
    if len(few) < len(many) and not _joins(few, many):
        return VerifierError("", 20, earlier="invalid shape cast")
    return None


def _joins(few: Sequence[int], many: Sequence[int]) -> bool:
    """Return whether each size in `few` is the product of adjacent sizes in `many`."""
    if not few:
        return all(size == 1 for size in many)
    at = 0
    for place, size in enumerate(few):
        if place and all(rest == 1 for rest in few[place:]):
            break
        product = 1
        while product < size and at < len(many):
            product *= many[at]
            at += 1
        if product != size:
            return False
    return all(size == 1 for size in many[at:])


def _bitcast(view: View) -> Fault:
    source, result = view.vector("source"), view.vector("result")
    before, after = tuple(source.get_shape()), tuple(result.get_shape())
    if len(before) != len(after):
        return None
    for index, (one, other) in enumerate(zip(before[:-1], after[:-1], strict=True)):
        if one != other:
            return f"dimension size mismatch at: {index}"
    widths = bits(source.element_type), bits(result.element_type)
    if not before:
        same = "source/result bitwidth of the 0-D vector element types must be equal"
        return same if widths[0] != widths[1] else None
    if widths[0] * before[-1] != widths[1] * after[-1]:
        return "source/result bitwidth of the minor 1-D vectors must be equal"
    return None


def _transpose(view: View) -> Fault:
    source, result = view.vector("vector"), view.vector("result")
    permutation = view.integers("permutation")
    before, after = tuple(source.get_shape()), tuple(result.get_shape())
    if len(before) != len(after):
        return f"vector result rank mismatch: {len(after)}"
    if len(permutation) != len(before):
        return f"transposition length mismatch: {len(permutation)}"
    seen: set[int] = set()
    for index, at in enumerate(permutation):
        if not 0 <= at < len(before):
            return f"transposition index out of range: {at}"
        if at in seen:
            return f"duplicate position index: {at}"
        seen.add(at)
        if after[index] != before[at]:
            return f"dimension size mismatch at: {at}"
    return None


def _broadcast(view: View) -> Fault:
    source, result = vector_of(view.type("source")), view.vector("vector")
    if source is None:
        return None
    before, after = tuple(source.get_shape()), tuple(result.get_shape())
    if len(before) > len(after):
        return "source rank higher than destination rank"
    lead = len(after) - len(before)
    flags, wanted = scalable(source), scalable(result)
    for index, size in enumerate(before):
        to, is_scalable, becomes = after[lead + index], flags[index], wanted[lead + index]
        if size != 1 and size != to:
            return f"dimension mismatch ({_sized(size, is_scalable)} vs. {_sized(to, becomes)})"
        if size != 1 and is_scalable != becomes:
            return VerifierError(
                f"dimension mismatch ({_sized(size, is_scalable)} vs. {_sized(to, becomes)})", 20
            )
    return None


def _sized(size: int, is_scalable: bool) -> str:
    return f"[{size}]" if is_scalable else str(size)


def _shuffle(view: View) -> Fault:
    first, second, result = view.vector("v1"), view.vector("v2"), view.vector("vector")
    mask = view.integers("mask")
    a, b, made = (tuple(each.get_shape()) for each in (first, second, result))
    if not (len(a) == len(b) == len(made) or (not a and not b and len(made) == 1)):
        return "rank mismatch"
    if a[1:] != b[1:] or a[1:] != made[1:]:
        return "dimension mismatch"
    if not mask:
        return "invalid mask length"
    if len(mask) != made[0]:
        return "mask length mismatch"
    count = (a[0] if a else 1) + (b[0] if b else 1)
    for index, at in enumerate(mask):
        if at == -1:
            earlier = f"mask index #{index + 1} out of range"
            return VerifierError("", 20, earlier=earlier)
        if not 0 <= at < count:
            return f"mask index #{index + 1} out of range"
    return None


def _interleave(view: View) -> Fault:
    source, result = view.vector("lhs"), view.vector("result")
    wanted = (*source.get_shape()[:-1], *(2 * size for size in source.get_shape()[-1:]))
    if source.element_type != result.element_type or tuple(result.get_shape()) != (wanted or (2,)):
        return "failed to verify that type of 'result' is double the width of the inputs"
    return None


def _deinterleave(view: View) -> str | None:
    source, result = view.vector("source"), view.vector("res1")
    size = source.get_shape()[-1]
    if size % 2:
        return (
            "failed to verify that the trailing dimension of the source vector has an even number of elements"
        )
    if result.get_shape()[-1] * 2 != size:
        return (
            "failed to verify that the trailing dimension of the results is half the width of source "
            "trailing dimension"
        )
    return None


def _from_elements(view: View) -> Fault:
    given, wanted = len(view.op.operands), prod(view.vector("dest").get_shape())
    if given == wanted or any(scalable(view.vector("dest"))):
        return None
    start = "custom op 'vector.from_elements' "
    return VerifierError(
        f"{start}number of operands and types do not match: got {given} operands and {wanted} types",
        20,
        bare=True,
        earlier=f"{start}{given} operands present, but expected {wanted}",
    )


def _print(view: View) -> Fault:
    is_plain = not view.op.operands and view.word("punctuation") in (None, "newline")
    if view.attribute("stringLiteral") is None or is_plain:
        return None
    return "failed to verify that `source` or `punctuation` are not set when printing strings"


CHECKS: Checks = {
    "vector.shape_cast": _shape_cast,
    "vector.bitcast": _bitcast,
    "vector.transpose": _transpose,
    "vector.broadcast": _broadcast,
    "vector.from_elements": _from_elements,
    "vector.print": _print,
    "vector.shuffle": _shuffle,
    "vector.deinterleave": _deinterleave,
    "vector.interleave": _interleave,
}
