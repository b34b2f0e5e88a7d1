"""Prints ops according to their assembly format, with the same spaces as MLIR's generated printers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.custom.parts import Written, by_name, nothing_left_out
from gpuasync_lsp.syntax.ods.formats import AnyOrder, Directive, Element, Optional, Variable
from gpuasync_lsp.syntax.ods.grouping import SEGMENTS, Layout, groups, layout, operands_of
from gpuasync_lsp.syntax.ods.table import Variant
from gpuasync_lsp.syntax.ods.writing.attributes import TextOf, may_lack_text, text_of
from gpuasync_lsp.syntax.ods.writing.steps import Step, steps_of
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.text.cached_property import cached_property

__all__ = ["Assembly"]


class Assembly:
    """The printer for one assembly format, compiled into steps on first use."""

    def __init__(self, variant: Variant, elements: Sequence[Element]) -> None:
        self._variant = variant
        self._elements = elements

    def write(
        self,
        printer: Printer,
        op: Operation,
        left_out: Callable[[], Mapping[str, Attribute]] = nothing_left_out,
    ) -> None:
        """Print the text after the op's name.

        `left_out` returns default values of attributes; an attribute that is equal to its default is
        omitted.
        """
        written = Written(printer, op, self._variant, left_out)
        for step in self._steps:
            step(written)

    def has_all(self, op: Operation) -> bool:
        """Return whether an op has everything that its format prints, and all printed types are known."""
        variant = self._variant
        operands, results = operands_of(op), op.results
        of_operands, of_results = self._layouts
        if of_operands.slices is None:
            if groups(op, variant.operands, operands, SEGMENTS[0]) is None:
                return False
        elif not of_operands.fits(len(operands)):
            return False
        if of_results.slices is None:
            if groups(op, variant.results, results, SEGMENTS[1]) is None:
                return False
        elif not of_results.fits(len(results)):
            return False
        if (variant.regions or op.regions) and by_name(variant.regions, op.regions) is None:
            return False
        if (variant.successors or op.successors) and by_name(variant.successors, op.successors) is None:
            return False
        for name, is_needed, text in self._to_check:
            value = op.properties.get(name)
            if value is None:
                if is_needed:
                    return False
            elif text is not None and text(value) is None:
                return False
        if self._prints_types:
            for value in operands:
                if type(value.type) is UnknownType:
                    return False
            for value in results:
                if type(value.type) is UnknownType:
                    return False
        return True

    @cached_property
    def _printed_attributes(self) -> frozenset[str]:
        return frozenset(_attributes_in(self._elements, self._variant))

    @cached_property
    def _to_check(self) -> tuple[tuple[str, bool, TextOf | None], ...]:
        """The attributes to check before printing: name, whether it is required, and its `TextOf` if it
        may fail."""
        found: list[tuple[str, bool, TextOf | None]] = []
        for name in sorted(self._printed_attributes):
            constraint = self._variant.attributes[name]
            is_needed = not constraint.optional and constraint.kind != "unit"
            text = text_of(constraint) if may_lack_text(constraint) else None
            if is_needed or text is not None:
                found.append((name, is_needed, text))
        return tuple(found)

    @cached_property
    def _layouts(self) -> tuple[Layout, Layout]:
        return layout(self._variant.operands), layout(self._variant.results)

    @cached_property
    def _prints_types(self) -> bool:
        return _mentions_types(self._elements)

    @cached_property
    def _steps(self) -> tuple[Step, ...]:
        return steps_of(self._variant, self._elements, self._printed_attributes)


def _attributes_in(elements: Sequence[Element], variant: Variant) -> list[str]:
    found: list[str] = []
    for element in elements:
        match element:
            case Variable():
                if element.name in variant.attributes:
                    found.append(element.name)
            case Directive():
                found += _attributes_in(element.arguments, variant)
            case Optional():
                inner = _attributes_in((*element.then, *element.otherwise), variant)
                found += inner
            case AnyOrder():
                for clause in element.clauses:
                    found += _attributes_in(clause, variant)
            case _:
                pass
    return found


def _mentions_types(elements: Sequence[Element]) -> bool:
    return any(
        (
            isinstance(each, Directive)
            and (each.name in ("type", "functional-type") or _mentions_types(each.arguments))
        )
        or (isinstance(each, Optional) and _mentions_types((*each.then, *each.otherwise)))
        or (isinstance(each, AnyOrder) and any(map(_mentions_types, each.clauses)))
        for each in elements
    )
