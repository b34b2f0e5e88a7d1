"""Access to the operands and results of an op being printed, by the positions of their groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.syntax.ods.custom.parts import Written
from gpuasync_lsp.syntax.ods.formats import Directive, Element, Variable
from gpuasync_lsp.syntax.ods.grouping import Groups, Layout, layout
from gpuasync_lsp.syntax.ods.table import Variant

Values = Callable[[Written], Sequence[SSAValue]]


def _none(_written: Written) -> Sequence[SSAValue]:
    return ()


def values_of(variant: Variant, element: Element) -> Values:
    """Return a getter for the values that `element` refers to."""
    match element:
        case Variable(name=name):
            return operands_of(variant, name) or _results_of(variant, name) or _none
        case Directive(name="operands"):
            return attrgetter("operand_list")
        case Directive(name="results"):
            return attrgetter("result_list")
        case Directive(name="type" | "qualified"):
            return values_of(variant, element.arguments[0])
        case _:
            return _none


def operands_of(variant: Variant, name: str) -> Values | None:
    """Return a getter for the operands `name`; None if the definition has no such operands."""
    return _named(layout(variant.operands), name, lambda w: w.operands, attrgetter("operand_list"))


def _results_of(variant: Variant, name: str) -> Values | None:
    return _named(layout(variant.results), name, lambda w: w.results, attrgetter("result_list"))


def _named(known: Layout, name: str, groups: Callable[[Written], Groups], values: Values) -> Values | None:
    """Return a getter for a group of `values`: by position if the position is fixed, else with `groups`."""
    if name not in known.names:
        return None
    if known.slices is None:
        return lambda written: groups(written).get(name, ())
    place = known.slices[known.names.index(name)]
    return lambda written: values(written)[place]


def types_of(written: Written, element: Element) -> list[Attribute]:
    """Return the types of the values that `element` refers to."""
    return [value.type for value in values_of(written.variant, element)(written)]
