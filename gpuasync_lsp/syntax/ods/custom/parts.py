"""What the directives of this folder get: an op that is printed, and the arguments of a directive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.formats import Directive, Element, Text, Variable
from gpuasync_lsp.syntax.ods.table import Variant


class Written(NamedTuple):
    """An op that is printed, its parts by the names of its definition."""

    printer: Printer
    op: Operation
    operands: Mapping[str, Sequence[SSAValue]]
    results: Mapping[str, Sequence[SSAValue]]
    regions: Mapping[str, Sequence[Region]]
    variant: Variant


def names(arguments: Sequence[Element]) -> list[str]:
    """Return the operands, attributes and regions that a directive is given."""
    return [each.name for each in arguments if isinstance(each, Variable)]


def words(arguments: Sequence[Element]) -> list[str]:
    """Return the texts that a directive is given."""
    return [each.text for each in arguments if isinstance(each, Text)]


def typed_names(arguments: Sequence[Element]) -> list[str]:
    """Return the operands and results whose types a directive is given: `type($x), type($y)`."""
    types = [each.arguments[0] for each in arguments if isinstance(each, Directive) and each.name == "type"]
    return names(types)


def type_of(arguments: Sequence[Element]) -> Element:
    """Return what a directive is given the types of: `type($x)`, `type(results)`."""
    (found,) = (
        each.arguments[0] for each in arguments if isinstance(each, Directive) and each.name == "type"
    )
    return found


def types_of(written: Written, arguments: Sequence[Element]) -> list[Attribute]:
    """Return the types of what `type(...)` names."""
    of = type_of(arguments)
    if isinstance(of, Variable):
        values = written.operands.get(of.name) or written.results.get(of.name) or ()
        return [value.type for value in values]
    return list(written.op.result_types)
