"""MLIR's parser errors for the elements of `dense<...>` and `array<...>`.

Elements of unknown types are not checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.dialects.assembly import typed
from gpuasync_lsp.syntax.kinds import is_complex
from gpuasync_lsp.text.lazy_pattern import lazy_pattern

_TOKEN = lazy_pattern(
    r"\s+|//[^\n]*|(?P<number>-?\s*(?:0x[0-9A-Fa-f]+|[0-9]+(?:\.[0-9]*(?:[eE][+-]?[0-9]+)?)?))"
    r"|(?P<word>\btrue\b|\bfalse\b)|(?P<mark>[\[\](),])"
)


_DEEPEST = 200
"""Maximum nesting of lists, since each level copies the shape."""
_DYNAMIC = "elements literal type must have static shape"


class _Malformed(Exception):
    """Raised for a text that is not a list of elements; the caller reports the syntax error."""


def wrong_elements(text: str, type: Attribute) -> str | None:
    """Return MLIR's error for the elements in `dense<text> : type`; None if they are valid."""
    if isinstance(type, (UnrankedTensorType, UnrankedMemRefType)):
        return _DYNAMIC
    if not isinstance(type, (MemRefType, TensorType, VectorType)):
        return None if "." in type.name else "elements literal must be a shaped type"
    ranked, name = cast("TensorType[Any]", type), typed(cast(Attribute, type))
    shape = tuple(ranked.get_shape())
    if any(size < 0 for size in shape):
        return _DYNAMIC
    element = cast(Attribute, ranked.element_type)
    if text.lstrip()[:1] == '"' or not isinstance(element, (IntegerType, IndexType, AnyFloat, ComplexType)):
        return None
    try:
        found = _Literal(text, isinstance(element, ComplexType))
    except _Malformed:
        return None
    if found.inconsistent:
        return "tensor literal is invalid; ranks are not consistent between elements"
    if found.shape and found.shape != shape and found.elements:
        return (
            f"inferred shape of elements literal ({_list(found.shape)}) does not match type ({_list(shape)})"
        )
    if not found.elements:
        if prod(shape) == 0:
            return None
        return f"parsed zero elements, but type ({name}) expected at least 1"
    if is_complex(element):
        of_parts: Attribute = element.element_type
        if not found.has_pairs:
            one = found.is_splat
            wanted = 2 if one else 2 * prod(shape)
            named = typed(cast(Attribute, element)) if one else name
            return f"parsed {len(found.elements)} elements, but type ({named}) expected {wanted} elements"
        return wrong_numbers(found.elements, of_parts)
    return wrong_numbers(found.elements, element)


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
        in_pair = False
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise _Malformed
            at = match.end()
            kind, token = match.lastgroup, match[0]
            if kind is None or token == ",":
                continue
            if token == "[":
                if len(open_lists) == _DEEPEST:
                    raise _Malformed
                open_lists.append((0, set()))
            elif token == "(":
                if not is_complex:
                    raise _Malformed
                in_pair = self.has_pairs = True
            elif token == "]":
                if not open_lists:
                    raise _Malformed
                count, inner = open_lists.pop()
                self.inconsistent |= len(inner) > 1
                self._close(open_lists, (count, *next(iter(inner), ())))
            else:
                if token == ")":
                    in_pair = False
                else:
                    self.elements.append(token)
                if not in_pair:
                    self._close(open_lists, ())
        if open_lists:
            raise _Malformed
        self.is_splat = not self.shape and len(self.elements) <= 1 + self.has_pairs

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
    return next((said for each in elements if (said := judge(each, type)) is not None), None)


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
    if len(text) > _MOST_DIGITS:
        return None
    number = int(text.replace(" ", ""), 0 if "0x" in text else 10)
    lowest = -(1 << max(width - 1, 0))
    limit = 1 << (width - is_signed)
    return None if lowest <= number < limit or not number else "integer constant out of range for type"


_MOST_DIGITS = 4_000
"""Maximum number of digits of a number that Python parses."""


def within_width(found: DenseIntOrFPElementsAttr[Any], width: int) -> Attribute:
    """Return elements that were given as bytes, truncated to the bit width of their type."""
    if width % 8 == 0:
        return found
    half, values = 1 << (width - 1), cast("Sequence[int]", found.get_values())
    wrapped = [((value + half) & (2 * half - 1)) - half for value in values]
    return DenseIntOrFPElementsAttr.from_list(found.type, wrapped)
