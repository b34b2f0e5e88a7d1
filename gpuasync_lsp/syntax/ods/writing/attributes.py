"""Prints attributes as the op's definition spells them: numbers without types, enumeration cases, short
forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i1
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import is_dense_array, is_integer_attr
from gpuasync_lsp.syntax.ods.reading import array_type
from gpuasync_lsp.syntax.ods.reading.attributes import ASSIGNMENTS, required_name
from gpuasync_lsp.syntax.ods.table import AttrConstraint
from gpuasync_lsp.syntax.printer import attribute_text

TextOf = Callable[[Attribute], str | None]
"""Returns the text of an attribute in an assembly format; None if it has no such form."""


def text_of(constraint: AttrConstraint) -> TextOf:
    """Return the function that prints an attribute with this constraint."""
    if constraint.kind == "symbol-name":
        return _symbol
    if constraint.kind == "unit":
        return _unit
    if constraint.kind == "enum":
        return _case_of(dict(zip(constraint.values, map(_word, constraint.cases), strict=False)))
    if constraint.kind == "def" and constraint.written:
        return _without_name(constraint)
    element = array_type(constraint)
    if element is not None:
        return _array_of(constraint, of_booleans=element == i1)
    if constraint.has_default and (required := required_name(constraint)):
        return lambda attribute: attribute_text(attribute).removeprefix(f"#{required}")
    return _without_type if constraint.type else attribute_text


def _symbol(value: Attribute) -> str | None:
    return f"@{_word(value.data)}" if isinstance(value, StringAttr) else None


def _unit(_value: Attribute) -> str:
    return "unit"


def _case_of(words: dict[int, str]) -> TextOf:
    def text(value: Attribute) -> str | None:
        if not is_integer_attr(value):
            return None
        return words.get(value.value.data)

    return text


def _without_name(constraint: AttrConstraint) -> TextOf:
    dialect, _, name = constraint.written.partition(".")
    openings = (f"#{dialect}<{name} ", f"#{dialect}.{name}<")
    plain = constraint.format == "$value" or constraint.written in ASSIGNMENTS

    def text(value: Attribute) -> str:
        whole = attribute_text(value)
        for opening in openings:
            if whole.startswith(opening) and whole.endswith(">"):
                inner = whole[len(opening) : -1].strip()
                return inner if plain else f"<{inner}>"
        return whole

    return text


def _array_of(constraint: AttrConstraint, *, of_booleans: bool) -> TextOf:
    otherwise = _without_type if constraint.type else attribute_text

    def text(value: Attribute) -> str:
        if not isinstance(value, DenseArrayBase):
            return otherwise(value)
        found = numbers(cast(object, value))
        entries = ("true" if each else "false" for each in found) if of_booleans else map(str, found)
        return f"[{', '.join(entries)}]"

    return text


def _without_type(value: Attribute) -> str:
    text = attribute_text(value)
    return text.rpartition(" : ")[0] if " : " in text else text


def may_lack_text(constraint: AttrConstraint) -> bool:
    """Return whether `text_of` may return None: for an attribute that violates its constraint."""
    return constraint.kind in ("symbol-name", "enum")


def brings_space(constraint: AttrConstraint) -> bool:
    """Return whether MLIR always prints a space before an attribute, regardless of the format: `cmp eq(`."""
    return constraint.kind == "def" and bool(constraint.cases) and constraint.format == "$value"


def numbers(value: object) -> tuple[int, ...]:
    """Return the numbers of a dense array; empty for any other attribute."""
    if not is_dense_array(value):
        return ()
    return tuple(int(each) for each in integers(value))


def _word(name: str) -> str:
    """Return a symbol's name or an enumeration's case, in quotes unless it is a keyword."""
    return name if re.fullmatch(r"[A-Za-z_][\w$.]*", name) else f'"{name}"'
