"""Prints ops by their assembly formats, with the spaces that MLIR's generated printers put."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, i1
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.custom import DIRECTIVES
from gpuasync_lsp.syntax.ods.custom.parts import Written
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
from gpuasync_lsp.syntax.ods.reading import DYNAMIC, array_type, in_parentheses
from gpuasync_lsp.syntax.ods.table import AttrConstraint, Group, Variant
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

T = TypeVar("T")
_NOTHING: Mapping[str, Any] = {}
_MAY_BE_NOTHING = (
    "AllReduceOperation",
    "AsyncDependencies",
    "OptionalDynamicIndexList",
    "SequenceOpOperands",
)
"""The `custom` directives that write nothing where there is nothing to be written."""
Groups = Mapping[str, Sequence[SSAValue]]
"""Operands or results by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Assembly:
    """An assembly format, and what is asked of it for each op that is printed."""

    variant: Variant
    elements: tuple[Element, ...]
    said: frozenset[str]
    """The attributes that it has a place for."""
    says_types: bool
    has_prop_dict: bool
    prefixes: Mapping[str, str]
    """The names that types of operands and results are written without: `llvm.ptr`."""

    @classmethod
    def of(cls, variant: Variant, elements: tuple[Element, ...]) -> Assembly:
        """Return that of `elements`."""
        has_prop_dict = any(isinstance(each, Directive) and each.name == "prop-dict" for each in elements)
        said = frozenset(_attributes_in(elements, variant))
        values = (*variant.operands, *variant.results)
        prefixes = {name: each.written for name, each in reversed(values) if each.written}
        return cls(variant, elements, said, _mentions_types(elements), has_prop_dict, prefixes)


class Writing:
    """Prints one op; without a printer it only tells whether that is possible."""

    def __init__(
        self,
        printer: Printer | None,
        op: Operation,
        assembly: Assembly,
        operands: Groups | None,
        results: Groups | None,
        defaults: Mapping[str, Attribute] | None = None,
    ) -> None:
        self._printer = printer
        self._op = op
        self._properties: Mapping[str, Attribute] = op.properties
        """Those of the op that are not what is meant where nothing stands."""
        if defaults:
            self._properties = {
                name: value for name, value in op.properties.items() if defaults.get(name) != value
            }
        self._assembly = assembly
        self._variant = assembly.variant
        self._space, self._after_mark = True, False
        self._fits = operands is not None and results is not None
        self._operands = operands or {}
        self._results = results or {}
        self._regions = _parts(self._variant.regions, op.regions)
        self._successors = _parts(self._variant.successors, op.successors)

    def is_complete(self) -> bool:
        """Tell whether the op has what its format says, and no type in it is unknown."""
        op, variant = self._op, self._variant
        if not self._fits or self._regions is None or self._successors is None:
            return False
        for name in self._assembly.said:
            constraint = variant.attributes[name]
            value = op.properties.get(name)
            if value is None:
                if not constraint.optional and constraint.kind != "unit":
                    return False
            elif _text_of(constraint, value) is None:
                return False
        if not self._assembly.says_types:
            return True
        return not any(type(value.type) is UnknownType for value in (*op.operands, *op.results))

    def write(self) -> None:
        """Print what stands behind the name."""
        self._sequence(self._assembly.elements)

    def _put(self, text: str) -> None:
        assert self._printer is not None
        self._printer.print_string(text)

    def _begin(self) -> bool:
        """Print the space in front of what is no literal; tell whether there is one."""
        is_spaced = self._space or not self._after_mark
        if is_spaced:
            self._put(" ")
        self._space, self._after_mark = True, False
        return is_spaced

    def _sequence(self, elements: Sequence[Element]) -> None:
        for element in elements:
            self._element(element)

    def _element(self, element: Element) -> None:
        match element:
            case Literal():
                self._literal(element.text)
            case Space():
                if element.text:
                    self._put(element.text)
                self._space, self._after_mark = False, not element.text
            case Variable():
                is_spaced = self._begin()
                constraint = self._variant.attributes.get(element.name)
                if not is_spaced and constraint is not None and _brings_space(constraint):
                    self._put(" ")
                self._variable(element.name)
            case Optional():
                self._optional(element)
            case AnyOrder():
                for clause in element.clauses:
                    if any(map(self._is_there, clause[1:])):
                        self._sequence(
                            [e for e in clause if not (isinstance(e, Variable) and self._is_unit(e.name))]
                        )
            case Directive():
                self._directive(element)
            case Text():
                pass

    def _literal(self, text: str) -> None:
        if self._space and self._needs_space(text):
            self._put(" ")
        self._put(text)
        self._space = len(text) != 1 or text not in "<({["
        self._after_mark = text[0] != "_" and not text[0].isalpha()

    def _needs_space(self, text: str) -> bool:
        if len(text) != 1 and text != "->":
            return True
        return text[0] not in (">)}]," if self._after_mark else "<>(){}[],")

    def _optional(self, group: Optional) -> None:
        anchor = group.anchor
        if anchor is not None and self._is_there(anchor):
            skipped = isinstance(anchor, Variable) and self._is_unit(anchor.name)
            for element in group.then:
                if not (skipped and element is anchor and len(group.then) > 1):
                    self._element(element)
        else:
            self._sequence(group.otherwise)

    def _is_unit(self, name: str) -> bool:
        constraint = self._variant.attributes.get(name)
        return constraint is not None and constraint.kind == "unit"

    def _is_there(self, element: Element) -> bool:
        match element:
            case Variable(name=name):
                return bool(
                    self._operands.get(name)
                    or self._results.get(name)
                    or name in self._properties
                    or any(each.blocks for each in (self._regions or {}).get(name, ()))
                    or (self._successors or {}).get(name)
                )
            case Directive(name="operands"):
                return bool(self._op.operands)
            case Directive(name="results"):
                return bool(self._op.results)
            case Directive(name="custom"):
                return any(
                    self._is_there(each)
                    and not (isinstance(each, Variable) and _is_empty(self._properties.get(each.name)))
                    for each in element.arguments
                )
            case Directive():
                return any(self._is_there(each) for each in element.arguments)
            case _:
                return False

    def _variable(self, name: str) -> None:
        printer = self._printer
        assert printer is not None
        if name in self._operands:
            printer.print_list(self._operands[name], printer.print_ssa_value)
        elif name in self._variant.attributes:
            value = self._op.properties.get(name)
            if value is None:
                # A default that was left out must be said where the format says it always.
                constraint = self._variant.attributes[name]
                self._put("unit" if constraint.kind == "unit" else "")
                return
            self._put(_text_of(self._variant.attributes[name], value) or "")
        elif self._regions and name in self._regions:
            printer.print_list(self._regions[name], self._region)
        elif self._successors:
            printer.print_list(self._successors[name], printer.print_block_name)

    def _region(self, region: Region) -> None:
        assert self._printer is not None
        block = region.blocks.first if len(region.blocks) == 1 else None
        last = None if block is None else block.last_op
        implied = bool(self._variant.rule("terminator")) and last is not None
        plain = implied and last is not None and not (last.operands or last.attributes or last.properties)
        self._printer.print_region(region, print_block_terminators=not plain)

    def _directive(self, directive: Directive) -> None:
        printer = self._printer
        assert printer is not None
        match directive.name:
            case "attr-dict" | "attr-dict-with-keyword" | "prop-dict":
                if directive.name == "attr-dict" and self._assembly.has_prop_dict:
                    entries = dict(self._op.attributes)
                elif directive.name == "prop-dict":
                    entries = self._unsaid()
                    if entries:
                        self._put(" <")
                        printer.print_attr_dict(entries)
                        self._put(">")
                    self._after_mark = False
                    return
                else:
                    entries = {**self._unsaid(), **self._op.attributes}
                printer.print_op_attributes(entries, print_keyword=directive.name != "attr-dict")
                self._after_mark = False
            case "operands":
                self._begin()
                printer.print_list(self._op.operands, printer.print_ssa_value)
            case "successors":
                self._begin()
                printer.print_list(self._op.successors, printer.print_block_name)
            case "regions":
                self._begin()
                printer.print_list(self._op.regions, self._region)
            case "type":
                self._begin()
                name = _only_name(directive.arguments)
                written = self._assembly.prefixes.get(name)
                types = self._types(directive.arguments[0])
                if written is None:
                    printer.print_list(types, printer.print_attribute)
                else:
                    printer.print_list(types, lambda each: _print_type(printer, each, written))
            case "qualified":
                self._qualified(directive.arguments[0])
            case "functional-type":
                self._begin()
                inputs, outputs = (self._types(each) for each in directive.arguments)
                self._function_type(inputs, outputs)
            case "custom":
                known = DIRECTIVES.get(directive.function)
                if known is not None:
                    written = Written(
                        printer, self._op, self._operands, self._results, self._regions or {}, self._variant
                    )
                    if known.is_written(written, directive.arguments):
                        self._begin()
                        known.write(written, directive.arguments)
                elif directive.function not in _MAY_BE_NOTHING or self._is_there(directive):
                    self._begin()
                    self._custom(directive)
            case _:
                pass

    def _qualified(self, element: Element) -> None:
        """Print an attribute or types with the prefix that says what they are."""
        match element:
            case Variable(name=name) if name in self._variant.attributes:
                self._begin()
                value = self._op.properties.get(name)
                self._put("" if value is None else attribute_text(value))
            case Directive(name="type"):
                self._begin()
                assert self._printer is not None
                self._printer.print_list(self._types(element), self._printer.print_attribute)
            case _:
                self._element(element)

    def _unsaid(self) -> dict[str, Attribute]:
        hidden = self._assembly.said
        return {
            name: value
            for name, value in sorted(self._properties.items())
            if name not in hidden and name not in ("operandSegmentSizes", "resultSegmentSizes")
        }

    def _types(self, of: Element) -> list[Attribute]:
        values: Sequence[SSAValue]
        match of:
            case Variable(name=name):
                values = self._operands.get(name) or self._results.get(name) or ()
            case Directive(name="operands"):
                values = self._op.operands
            case Directive(name="results"):
                values = self._op.results
            case Directive(name="type" | "qualified"):
                return self._types(of.arguments[0])
            case _:
                values = ()
        return [value.type for value in values]

    def _function_type(self, inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> None:
        printer = self._printer
        assert printer is not None
        with printer.in_parens():
            printer.print_list(inputs, printer.print_attribute)
        self._put(" -> ")
        if len(outputs) == 1 and not attribute_text(outputs[0]).startswith("("):
            printer.print_attribute(outputs[0])
        else:
            with printer.in_parens():
                printer.print_list(outputs, printer.print_attribute)

    def _custom(self, directive: Directive) -> None:
        printer = self._printer
        assert printer is not None
        if directive.function == "SemiFunctionType":
            types = [self._types(each) for each in directive.arguments if isinstance(each, Directive)]
            inputs, *outputs = types
            flat = [type for each in outputs for type in each]
            if flat:
                self._function_type(inputs, flat)
            else:
                printer.print_list(inputs, printer.print_attribute)
            return
        names = [each.name for each in directive.arguments if isinstance(each, Variable)]
        if directive.function == "AllReduceOperation":
            self._variable(*names)
            return
        if directive.function == "AsyncDependencies":
            is_async = any(
                map(self._types, (each for each in directive.arguments if each != Variable(*names)))
            )
            self._put("async" if is_async else "")
            if values := self._operands[names[0]]:
                self._put(" [" if is_async else "[")
                printer.print_list(values, printer.print_ssa_value)
                self._put("]")
            return
        if directive.function == "MNKDimensionList":
            sizes = [self._op.properties.get(name) for name in names]
            self._put("x".join(str(each.value.data) for each in sizes if isinstance(each, IntegerAttr)))
            return
        if directive.function == "TransformMatchDims":
            listed, inverted, whole = (self._op.properties.get(name) for name in names)
            text = ", ".join(map(str, _numbers(listed)))
            self._put("all" if whole is not None else f"except({text})" if inverted is not None else text)
            return
        if directive.function == "SequenceOpOperands":
            values = [value for name in names for value in self._operands[name]]
            printer.print_list(values, printer.print_ssa_value)
            self._put(" : (" if len(values) > 1 else " : ")
            printer.print_list([value.type for value in values], printer.print_attribute)
            self._put(")" if len(values) > 1 else "")
            return
        dynamic, static, *scalable = names
        values = iter(self._operands[dynamic])
        numbers = _numbers(self._op.properties.get(static))
        flags = _numbers(self._op.properties.get(scalable[0])) if scalable else ()
        with printer.in_parens() if in_parentheses(directive.arguments) else printer.in_square_brackets():
            for index, number in enumerate(numbers):
                if index:
                    self._put(", ")
                marked = index < len(flags) and bool(flags[index])
                self._put("[" if marked else "")
                value = next(values, None) if number == DYNAMIC else None
                if value is not None:
                    printer.print_ssa_value(value)
                else:
                    self._put(str(number))
                self._put("]" if marked else "")


def _parts(definitions: Sequence[Group], found: Sequence[T]) -> Mapping[str, Sequence[T]] | None:
    """Return `found` by name; None where their number does not fit."""
    if not definitions and not found:
        return _NOTHING
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


def _is_empty(value: Attribute | None) -> bool:
    return isinstance(value, DenseArrayBase) and not _numbers(cast(object, value))


def _numbers(value: object) -> tuple[int, ...]:
    if not isinstance(value, DenseArrayBase):
        return ()
    return tuple(int(each) for each in cast("DenseArrayBase[IntegerType]", value).get_values())


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


def _text_of(constraint: AttrConstraint, value: Attribute) -> str | None:
    """Return how a format writes `value`; None where it cannot."""
    text = attribute_text(value)
    if constraint.kind == "symbol-name":
        return f"@{_word(value.data)}" if isinstance(value, StringAttr) else None
    if constraint.kind == "unit":
        return "unit"
    if constraint.kind == "enum":
        if not isinstance(value, IntegerAttr):
            return None
        words = dict(zip(constraint.values, constraint.cases, strict=False))
        word = words.get(cast("IntegerAttr[IntegerType]", value).value.data)
        return None if word is None else _word(word)
    if constraint.kind == "def" and constraint.written:
        dialect, _, name = constraint.written.partition(".")
        for opening in (f"#{dialect}<{name} ", f"#{dialect}.{name}<"):
            if text.startswith(opening) and text.endswith(">"):
                inner = text[len(opening) : -1].strip()
                return inner if constraint.format == "$value" else f"<{inner}>"
        return text
    if array_type(constraint) is not None and isinstance(value, DenseArrayBase):
        if array_type(constraint) == i1:
            return (
                "[" + ", ".join("true" if each else "false" for each in _numbers(cast(object, value))) + "]"
            )
        return "[" + ", ".join(map(str, _numbers(cast(object, value)))) + "]"
    if constraint.type and " : " in text:
        return text.rpartition(" : ")[0]
    return text


def _brings_space(constraint: AttrConstraint) -> bool:
    """Tell whether MLIR prints a space in front of an attribute, whatever the format says: `cmp eq(`."""
    return constraint.kind == "def" and bool(constraint.cases) and constraint.format == "$value"


def _only_name(arguments: Sequence[Element]) -> str:
    return arguments[0].name if arguments and isinstance(arguments[0], Variable) else ""


def _print_type(printer: Printer, type: Attribute, written: str) -> None:
    """Print a type without the name that its definition leaves out."""
    text = attribute_text(type)
    if text.startswith(f"!{written}<"):
        printer.print_string(text.removeprefix(f"!{written}"))
    else:
        printer.print_attribute(type)


def _word(name: str) -> str:
    """Return a symbol's name or an enumeration's case, in quotes where it is no keyword."""
    return name if re.fullmatch(r"[A-Za-z_][\w$.]*", name) else f'"{name}"'
