"""The op being printed, and access to the arguments of a directive; for all modules of this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.formats import Directive, Element, Text, Variable
from gpuasync_lsp.syntax.ods.grouping import SEGMENTS, Groups, groups, operands_of
from gpuasync_lsp.syntax.ods.table import Group, Variant

T = TypeVar("T")
_NOTHING: Mapping[str, Attribute] = {}


def nothing_left_out() -> Mapping[str, Attribute]:
    """Return an empty mapping: no attribute has a default value that is omitted."""
    return _NOTHING


class Written:
    """An op being printed, with its operands, results and regions by the names in its definition.

    Most ops need few of these: each is computed on first access.
    """

    __slots__ = (
        "_left_out",
        "_operands",
        "_regions",
        "_results",
        "op",
        "operand_list",
        "printer",
        "put",
        "result_list",
        "variant",
    )

    def __init__(
        self,
        printer: Printer,
        op: Operation,
        variant: Variant,
        left_out: Callable[[], Mapping[str, Attribute]] = nothing_left_out,
    ) -> None:
        self.printer = printer
        self.put = printer.print_string
        self.op = op
        self.variant = variant
        self.operand_list = operands_of(op)
        self.result_list = tuple(op.results)
        self._left_out = left_out
        self._operands: Groups | None = None
        self._results: Groups | None = None
        self._regions: Mapping[str, Sequence[Region]] | None = None

    @property
    def operands(self) -> Groups:
        """The op's operands by group name; empty if their number does not match the definition."""
        if self._operands is None:
            self._operands = groups(self.op, self.variant.operands, self.operand_list, SEGMENTS[0]) or {}
        return self._operands

    @property
    def results(self) -> Groups:
        """The op's results by group name; empty if their number does not match the definition."""
        if self._results is None:
            self._results = groups(self.op, self.variant.results, self.result_list, SEGMENTS[1]) or {}
        return self._results

    @property
    def regions(self) -> Mapping[str, Sequence[Region]]:
        """The op's regions by name; empty if their number does not match the definition."""
        if self._regions is None:
            self._regions = by_name(self.variant.regions, self.op.regions) or {}
        return self._regions

    def is_left_out(self, name: str, value: Attribute) -> bool:
        """Return whether `value` is the default value of the attribute, which is not printed."""
        return self._left_out().get(name) == value


def by_name(definitions: Sequence[Group], found: Sequence[T]) -> Mapping[str, Sequence[T]] | None:
    """Return regions or successors by name; None if their number does not match `definitions`."""
    several = sum(each.variadic for each in definitions)
    rest = len(found) - (len(definitions) - several)
    if several > 1 or rest < 0 or (rest and not several):
        return None
    parts: dict[str, Sequence[T]] = {}
    at = 0
    for each in definitions:
        size = rest if each.variadic else 1
        parts[each.name] = found[at : at + size]
        at += size
    return parts


def names(arguments: Sequence[Element]) -> list[str]:
    """Return the names of the `$name` arguments of a directive."""
    return [each.name for each in arguments if isinstance(each, Variable)]


def words(arguments: Sequence[Element]) -> list[str]:
    """Return the C++ arguments of a directive, such as keywords, as text."""
    return [each.text for each in arguments if isinstance(each, Text)]


def typed_names(arguments: Sequence[Element]) -> list[str]:
    """Return the names in the `type(...)` arguments of a directive: `x` and `y` for `type($x), type($y)`."""
    types = [each.arguments[0] for each in arguments if isinstance(each, Directive) and each.name == "type"]
    return names(types)


def type_of(arguments: Sequence[Element]) -> Element:
    """Return the element inside the `type(...)` argument of a directive: `$x`, `results`."""
    (found,) = (
        each.arguments[0] for each in arguments if isinstance(each, Directive) and each.name == "type"
    )
    return found


def types_of(written: Written, arguments: Sequence[Element]) -> list[Attribute]:
    """Return the types of the values in the `type(...)` argument of a directive."""
    of = type_of(arguments)
    if isinstance(of, Variable):
        values: Sequence[SSAValue] = written.operands.get(of.name) or written.results.get(of.name) or ()
        return [value.type for value in values]
    return list(written.op.result_types)
