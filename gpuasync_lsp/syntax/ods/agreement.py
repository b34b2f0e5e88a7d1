"""Compares the formats of an op, to decide without parsing again which of them accept a given input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuasync_lsp.syntax.ods.formats import (
    AnyOrder,
    Directive,
    Element,
    Literal,
    Optional,
    Space,
    Text,
    Variable,
)
from gpuasync_lsp.syntax.ods.reading.text import kind_wanted
from gpuasync_lsp.syntax.ods.table import AttrConstraint, TypeConstraint, Variant


def reads_same_text(
    one: Variant, elements: Sequence[Element], taken: int, other: Variant, others: Sequence[Element]
) -> bool:
    """Return whether `other` certainly accepts input that `one` has parsed, up to the same position.

    `taken` is `Parts.taken` of that parse. The formats agree if they differ only in optional groups that
    `other` lacks and the input omits. False means that the input must be parsed to decide.
    """
    return _Comparison(one, other, taken).agree(elements, others)


class _Comparison:
    def __init__(self, one: Variant, other: Variant, taken: int) -> None:
        self._one, self._other = one, other
        self._taken: Iterator[str] = iter(bin(taken)[3:])
        """Whether each optional group is present in the input, in parsing order."""

    def agree(self, elements: Sequence[Element], others: Sequence[Element]) -> bool:
        left: list[Element] = [each for each in others if not isinstance(each, Space | Text)]
        for each in elements:
            match each:
                case Space() | Text():
                    continue
                case Optional():
                    if not self._agree_on(each, left):
                        return False
                case _:
                    if _has_optional(each) or not left or self._differ(each, left.pop(0)):
                        return False
        return not left

    def _agree_on(self, group: Optional, left: list[Element]) -> bool:
        """Compare `group` with the next element of `left`, and remove the element if it is the same group.

        Returns False if they may parse differently, unless `left` lacks the group and the input omits it."""
        is_there = next(self._taken, "") == "1"
        theirs = left[0] if left else None
        if not isinstance(theirs, Optional) or self._differ(_first(group), _first(theirs)):
            return not (is_there or group.otherwise)
        left.pop(0)
        if self._differ(group.anchor, theirs.anchor):
            return False
        if is_there:
            return self.agree(group.then, theirs.then)
        return self.agree(group.otherwise, theirs.otherwise)

    def _differ(self, one: Element | None, other: Element | None) -> bool:
        return _way_to_read(self._one, one) != _way_to_read(self._other, other)


def _first(group: Optional) -> Element:
    return next(each for each in group.then if not isinstance(each, Space))


def _has_optional(element: Element) -> bool:
    return isinstance(element, AnyOrder) and any(
        isinstance(each, Optional) or _has_optional(each) for clause in element.clauses for each in clause
    )


def _way_to_read(variant: Variant, element: Element | None, is_type: bool = False) -> object:
    """Return a key for the properties of an element that affect parsing; value names do not."""
    match element:
        case Variable(name=name):
            return _of_variable(variant, name, is_type)
        case Directive(name=name, arguments=arguments, function=function):
            of_types = name in ("type", "functional-type")
            return name, function, tuple(_way_to_read(variant, each, of_types) for each in arguments)
        case AnyOrder(clauses=clauses):
            return tuple(tuple(_way_to_read(variant, each) for each in clause) for clause in clauses)
        case Literal() | Text() | Space() | Optional() | None:
            return element


def _of_variable(variant: Variant, name: str, is_type: bool) -> object:
    for label, constraint in (*variant.operands, *variant.results):
        if label == name:
            return _of_type(constraint) if is_type else ("value", constraint.variadic)
    if name in variant.attributes:
        return _of_attribute(variant.attributes[name])
    for kind, groups in (("region", variant.regions), ("successor", variant.successors)):
        for group in groups:
            if group.name == name:
                return kind, group.variadic
    return name


def _of_type(constraint: TypeConstraint) -> object:
    return "type", constraint.variadic, constraint.written, kind_wanted(constraint)


def _of_attribute(constraint: AttrConstraint) -> object:
    return (
        "attribute",
        constraint.kind,
        constraint.written,
        constraint.type,
        constraint.cases,
        constraint.separator,
        constraint.format,
        constraint.enumeration,
        repr(constraint.predicate),
    )
