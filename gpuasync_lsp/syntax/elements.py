"""MLIR's errors for the elements of `dense<...>`, `sparse<...>` and `array<...>`.

Elements of unknown types are not checked.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    UnrankedMemRefType,
    UnrankedTensorType,
    i64,
)
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.dialects.assembly import typed
from gpuasync_lsp.syntax.kinds import dense, is_complex, is_ranked
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_TOKEN = lazy_pattern(
    r"\s+|//[^\n]*|(?P<number>-?\s*(?:0x[0-9A-Fa-f]+|[0-9]+(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?)?))"
    r"|(?P<word>\btrue\b|\bfalse\b)|(?P<mark>[\[\](),])"
)


_DEEPEST = 200
"""Maximum nesting of lists, since each level copies the shape."""
_DYNAMIC = "elements literal type must have static shape"
_INCONSISTENT = "tensor literal is invalid; ranks are not consistent between elements"
_NUMBERS = (IntegerType, IndexType, AnyFloat, ComplexType)


_NO_ELEMENT = "expected element literal of primitive type"


class _Malformed(Exception):
    """Raised for input that is not a list of elements. If the message is empty, the caller reports a
    syntax error."""


def wrong_elements(text: str, type: Attribute) -> str | None:
    """Return MLIR's error for the elements in `dense<text> : type`; None if they are valid."""
    wrong = _wrong_type(type)
    if wrong is not None or not is_ranked(type):
        return wrong
    name, shape, element = typed(type), tuple(type.get_shape()), type.element_type
    if text.lstrip()[:1] == '"' or not isinstance(element, _NUMBERS):
        return None
    try:
        found = _Literal(text, isinstance(element, ComplexType))
    except _Malformed as malformed:
        return str(malformed) or None
    if found.inconsistent:
        return _INCONSISTENT
    if found.shape and found.shape != shape and found.elements:
        return (
            f"inferred shape of elements literal ({_list(found.shape)}) does not match type ({_list(shape)})"
        )
    if not found.elements:
        if prod(shape) == 0:
            return None
        return f"parsed zero elements, but type ({name}) expected at least 1"
    return _wrong_values(found, element, shape, name)


def wrong_sparse_elements(parts: Sequence[str], type: Attribute) -> str | None:
    """Return MLIR's error for `sparse<indices, values> : type`; None if it is valid.

    `parts` contains the strings between the commas. Source: `parseSparseElementsAttr` and
    `SparseElementsAttr::verify`."""
    wrong = _wrong_type(type)
    if wrong is not None or not is_ranked(type):
        return wrong
    if len(parts) != 2:
        return None if not "".join(parts).strip() else "expected '>'" if parts[2:] else "expected ','"
    name, shape, element = typed(type), tuple(type.get_shape()), type.element_type
    try:
        indices = _Literal(parts[0], is_complex=False)
        values = (
            _Literal(parts[1], isinstance(element, ComplexType)) if isinstance(element, _NUMBERS) else None
        )
    except _Malformed as malformed:
        return str(malformed) or None
    if indices.inconsistent or (values is not None and values.inconsistent):
        return _INCONSISTENT
    if (wrong := wrong_numbers(indices.elements, i64)) is not None or not indices.elements:
        return wrong
    places = indices.shape or (1, len(shape))
    if values is not None:
        given = values.shape or places[:1]
        of_values = f"'tensor<{'x'.join(map(str, given))}x{element}>'"
        if (wrong := _wrong_values(values, element, given, of_values)) is not None:
            return wrong
        if len(given) != 1:
            return "expected 1-d tensor for sparse element values"
        fits = places[1] == len(shape) if len(places) == 2 else len(places) == len(shape) == 1
        if not fits or places[0] != given[0]:
            return (
                f"expected shape ({_list(shape)}); inferred shape of indices literal ({_list(places)}); "
                f"inferred shape of values literal ({_list(given)})"
            )
        return _wrong_indices(indices, shape, name)
    return None


def _wrong_indices(indices: _Literal, shape: tuple[int, ...], name: str) -> str | None:
    numbers = [int(each.replace(" ", ""), 0) % (1 << 64) for each in indices.elements]
    numbers = numbers if indices.shape else numbers * len(shape)
    for first in range(0, len(numbers), max(len(shape), 1)):
        index = numbers[first : first + len(shape)]
        if any(number >= size for number, size in zip(index, shape, strict=True)):
            return (
                f"sparse index #{first // len(shape)} is not contained within the value shape, "
                f"with index={_list(tuple(index))}, and type={name}"
            )
    return None


def _wrong_type(type: Attribute) -> str | None:
    """Return MLIR's error if `type` is not a shaped type of static shape; None if it is or may be."""
    if isinstance(type, (UnrankedTensorType, UnrankedMemRefType)):
        return _DYNAMIC
    if not is_ranked(type):
        return None if "." in type.name else "elements literal must be a shaped type"
    return _DYNAMIC if any(size < 0 for size in type.get_shape()) else None


def _wrong_values(found: _Literal, element: Attribute, shape: tuple[int, ...], name: str) -> str | None:
    """Return MLIR's error for the number of complex elements, or for a number out of range; else None."""
    if not is_complex(element):
        return wrong_numbers(found.elements, element)
    # LLVM 20 and older accept a mixture of pairs and numbers.
    if not found.has_pairs:
        wanted, named = (2 * prod(shape), name) if found.shape else (2, typed(cast(Attribute, element)))
        return f"parsed {len(found.elements)} elements, but type ({named}) expected {wanted} elements"
    of_parts: Attribute = element.element_type
    return wrong_numbers(found.elements, of_parts)


def _list(shape: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


class _Literal:
    """The parsed elements of a literal in text order, and the shape that its brackets imply."""

    def __init__(self, text: str, is_complex: bool) -> None:
        self.elements: list[str] = []
        self.inconsistent = False
        self.has_pairs = False
        self.shape: tuple[int, ...] = ()
        open_lists: list[tuple[int, set[tuple[int, ...]]]] = []
        in_pair = after_comma = False
        paired = 0
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise _Malformed
            at = match.end()
            kind, token = match.lastgroup, match[0]
            if kind is None:
                continue
            ends_early = after_comma and token in "]),"
            after_comma = token == ","
            if ends_early or (token == ")" and not paired):
                raise _Malformed(_NO_ELEMENT)
            if token == ",":
                continue
            if token == "[":
                if len(open_lists) == _DEEPEST:
                    raise _Malformed
                open_lists.append((0, set()))
            elif token == "(":
                if not is_complex:
                    raise _Malformed
                in_pair = self.has_pairs = True
                paired = 0
            elif token == "]":
                if not open_lists:
                    raise _Malformed
                count, inner = open_lists.pop()
                self.inconsistent |= len(inner) > 1
                self._close(open_lists, (count, *next(iter(inner), ())))
            else:
                if token == ")":
                    in_pair = False
                    if paired == 1:
                        raise _Malformed("expected ',' between complex elements")
                else:
                    paired += 1
                    if in_pair and paired > 2:
                        raise _Malformed("expected ')' after complex elements")
                    self.elements.append(token)
                if not in_pair:
                    self._close(open_lists, ())
        if open_lists:
            raise _Malformed

    def _close(self, open_lists: list[tuple[int, set[tuple[int, ...]]]], shape: tuple[int, ...]) -> None:
        if not open_lists:
            self.shape = shape
            return
        count, inner = open_lists[-1]
        inner.add(shape)
        open_lists[-1] = (count + 1, inner)


def wrong_numbers(elements: list[str], type: Attribute) -> str | None:
    """Return MLIR's error for the first of `elements` that is invalid for `type`, or None."""
    judge = _wrong_float if isinstance(type, AnyFloat) else _wrong_integer
    return next((error for each in elements if (error := judge(each, type)) is not None), None)


def _wrong_float(text: str, type: Attribute) -> str | None:
    if "0x" in text:
        if text[0] == "-":
            return "hexadecimal float literal should not have a leading minus"
        width = cast(AnyFloat, type).bitwidth
        if int(text, 16).bit_length() > width:
            return "hexadecimal float constant out of range for type"
        return None
    if text in ("true", "false"):
        return "expected floating point literal"
    return None if "." in text else "unexpected decimal integer literal for a floating point value"


def _wrong_integer(text: str, type: Attribute) -> str | None:
    spelled = str(type)
    width = 64 if isinstance(type, IndexType) else int(spelled.lstrip("sui"))
    is_signed = spelled[0] == "s" or isinstance(type, IndexType)
    if text in ("true", "false"):
        return None if width == 1 else "expected i1 type for 'true' or 'false' values"
    if "." in text:
        return "expected integer elements, but parsed floating-point"
    if text[0] == "-" and spelled[0] == "u":
        return "expected unsigned integer elements, but parsed negative value"
    if len(text) > sys.int_info.default_max_str_digits:
        return None
    number = int(text.replace(" ", ""), 0 if "0x" in text else 10)
    lowest = -(1 << max(width - 1, 0))
    limit = 1 << (width - is_signed)
    return None if lowest <= number < limit or not number else "integer constant out of range for type"


def within_width(found: DenseIntOrFPElementsAttr, width: int) -> Attribute:
    """Return elements that were specified as bytes, truncated to the bit width of their type."""
    if width % 8 == 0:
        return found
    half, values = 1 << (width - 1), cast("Sequence[int]", found.get_values())
    wrapped = [((value + half) & (2 * half - 1)) - half for value in values]
    return dense(found.type, wrapped)
