"""Compiles an assembly format into the steps that print an op; each is a function of the op.

Spaces are those of MLIR's generated printers. A space depends on the preceding text, and therefore on
the optional groups that are printed: the elements after a group are compiled for each of its outcomes, once
per state of the spaces. Adjacent constant strings are combined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.custom import ALWAYS, DIRECTIVES
from gpuasync_lsp.syntax.ods.custom.parts import Written, by_name, names
from gpuasync_lsp.syntax.ods.formats import (
    AnyOrder,
    Directive,
    Element,
    Literal,
    Optional,
    Space,
    Variable,
)
from gpuasync_lsp.syntax.ods.grouping import SEGMENTS
from gpuasync_lsp.syntax.ods.table import Variant
from gpuasync_lsp.syntax.ods.writing.attributes import TextOf, brings_space, numbers, text_of
from gpuasync_lsp.syntax.ods.writing.custom import MAY_BE_NOTHING, write_custom, write_function_type
from gpuasync_lsp.syntax.ods.writing.values import Values, operands_of, values_of
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text.cached_property import cached_property

Step = Callable[[Written], None]
Condition = Callable[[Written], bool]


def steps_of(variant: Variant, elements: Sequence[Element], printed: frozenset[str]) -> tuple[Step, ...]:
    """Return the steps that print an op of `variant` after its name.

    `printed` contains the names of the attributes that the format prints.
    """
    return _Maker(variant, elements, printed).steps


class _State(NamedTuple):
    """The state of MLIR's printer that decides whether a space is printed next."""

    spaced: bool = True
    """Whether the format allows a space."""
    after_mark: bool = False
    """Whether the preceding text is punctuation."""


@dataclass(eq=False)
class _Node:
    """A node of the graph of a format: an element, or a choice between two alternatives."""

    element: Element | None
    following: _Node | None
    condition: Condition | None = None
    then: _Node | None = None
    """The first alternative of a choice; both alternatives lead to `following`."""
    otherwise: _Node | None = None


class _Maker:
    def __init__(self, variant: Variant, elements: Sequence[Element], printed: frozenset[str]) -> None:
        self._variant = variant
        self._printed = printed
        self._has_prop_dict = Directive("prop-dict") in elements
        values = (*variant.operands, *variant.results)
        self._prefixes = {name: each.written for name, each in reversed(values) if each.written}
        self._made: dict[tuple[_Node | None, _State, str], tuple[Step, ...]] = {}
        self.steps = self._from(self._chain(elements, None), _State(), "")

    # The graph of nodes

    def _chain(self, elements: Sequence[Element], following: _Node | None) -> _Node | None:
        for element in reversed(elements):
            following = self._node(element, following)
        return following

    def _node(self, element: Element, following: _Node | None) -> _Node:
        match element:
            case Optional(then=then, otherwise=otherwise, anchor=anchor):
                if anchor is None:
                    return _Node(None, self._chain(otherwise, following))
                if self._is_unit(anchor) and len(then) > 1:
                    then = tuple(each for each in then if each is not anchor)
                return self._choice(self._is_there(anchor), then, otherwise, following)
            case AnyOrder():
                clauses: _Node | None = following
                for clause in reversed(element.clauses):
                    there = _any(self._is_there(each) for each in clause[1:])
                    clauses = self._choice(there, [e for e in clause if not self._is_unit(e)], (), clauses)
                return _Node(None, clauses)
            case Directive(name="custom"):
                known = DIRECTIVES.get(element.function)
                if known is not None and known.is_written is not ALWAYS:
                    is_written, arguments = known.is_written, element.arguments
                    return self._choice_of_one(lambda w: is_written(w, arguments), element, following)
                if known is None and element.function in MAY_BE_NOTHING:
                    return self._choice_of_one(self._is_there(element), element, following)
            case _:
                pass
        return _Node(element, following)

    def _choice(
        self,
        condition: Condition,
        then: Sequence[Element],
        otherwise: Sequence[Element],
        following: _Node | None,
    ) -> _Node:
        ways = self._chain(then, following), self._chain(otherwise, following)
        return _Node(None, following, condition, *ways)

    def _choice_of_one(self, condition: Condition, element: Element, following: _Node | None) -> _Node:
        return _Node(None, following, condition, _Node(element, following), following)

    # Steps

    def _from(self, node: _Node | None, state: _State, text: str) -> tuple[Step, ...]:
        """Return the steps beginning with `node`; they print the constant `text` first."""
        key = node, state, text
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(node, state, text)
        return found

    def _make(self, node: _Node | None, state: _State, text: str) -> tuple[Step, ...]:
        if node is None:
            return _put(text)
        if node.condition is not None:
            ways = self._from(node.then, state, ""), self._from(node.otherwise, state, "")
            return (*_put(text), _choose(node.condition, *ways))
        match node.element:
            case Literal(text=literal):
                if state.spaced and _needs_space(literal, state.after_mark):
                    text += " "
                spaced = len(literal) != 1 or literal not in "<({["
                after = _State(spaced, literal[0] != "_" and not literal[0].isalpha())
                return self._from(node.following, after, text + literal)
            case Space(text="\n"):
                return self._from(node.following, state, text + "\n")
            case Space(text=space):
                return self._from(node.following, _State(False, not space), text + space)
            case Directive(name="attr-dict" | "attr-dict-with-keyword" | "prop-dict" as name):
                step = self._dictionary(name, text)
                return (step, *self._from(node.following, state._replace(after_mark=False), ""))
            case Variable() | Directive() as element:
                step = self._step(element, text, " " if state.spaced or not state.after_mark else "")
                if step is None:
                    return self._from(node.following, state, text)
                return (step, *self._from(node.following, _State(), ""))
            case _:
                return self._from(node.following, state, text)

    def _step(self, element: Variable | Directive, text: str, space: str) -> Step | None:
        """Return a step that prints `text`, `space` and the element."""
        variant = self._variant
        match element:
            case Variable(name=name):
                return self._variable(name, text, space)
            case Directive(name="operands"):
                return _write_values(values_of(variant, element), text + space)
            case Directive(name="successors"):
                return _write_successors(lambda w: w.op.successors, text + space)
            case Directive(name="regions"):
                return _write_regions(lambda w: w.op.regions, text + space, self._ends_in_implied)
            case Directive(name="type", arguments=(of, *_)):
                written = self._prefixes.get(of.name) if isinstance(of, Variable) else None
                return _write_types(values_of(variant, of), text + space, written)
            case Directive(name="qualified", arguments=(of, *_)):
                return self._qualified(of, text, space)
            case Directive(name="functional-type", arguments=arguments):
                inputs, outputs = (values_of(variant, each) for each in arguments)
                return _write_function_type(inputs, outputs, text + space)
            case Directive(name="custom"):
                return self._custom(element, text + space)
            case _:
                return None

    def _variable(self, name: str, text: str, space: str) -> Step:
        operands = operands_of(self._variant, name)
        if operands is not None:
            return _write_values(operands, text + space)
        constraint = self._variant.attributes.get(name)
        if constraint is not None:
            space = " " if brings_space(constraint) else space
            # The format requires the attribute here, so even a default value is printed.
            missing = "unit" if constraint.kind == "unit" else ""
            return _write_attribute(name, text_of(constraint), text + space, missing)
        if any(each.name == name for each in self._variant.regions):
            return _write_regions(lambda w: w.regions.get(name, ()), text + space, self._ends_in_implied)
        successors = self._variant.successors
        return _write_successors(
            lambda w: (by_name(successors, w.op.successors) or {}).get(name, ()), text + space
        )

    def _qualified(self, element: Element, text: str, space: str) -> Step | None:
        """Return a step that prints an attribute or types with the full dialect prefix."""
        match element:
            case Variable(name=name) if name in self._variant.attributes:
                return _write_attribute(name, attribute_text, text + space, "")
            case Directive(name="type"):
                return _write_types(values_of(self._variant, element), text + space, None)
            case Variable() | Directive():
                return self._step(element, text, space)
            case _:
                return None

    def _custom(self, directive: Directive, text: str) -> Step:
        known = DIRECTIVES.get(directive.function)
        named = names(directive.arguments)
        constraint = self._variant.attributes.get(named[0]) if named else None
        of_attribute = None if constraint is None else text_of(constraint)

        def step(written: Written) -> None:
            if text:
                written.put(text)
            if known is not None:
                known.write(written, directive.arguments)
            else:
                write_custom(written, directive, of_attribute)

        return step

    def _dictionary(self, name: str, text: str) -> Step:
        of_groups = (each.segments for _, each in self._variant.operands)
        hidden = self._printed | frozenset((*SEGMENTS, *of_groups))
        with_properties = name == "prop-dict" or not (name == "attr-dict" and self._has_prop_dict)
        with_attributes, with_keyword = name != "prop-dict", name == "attr-dict-with-keyword"

        def step(written: Written) -> None:
            if text:
                written.put(text)
            op = written.op
            entries: dict[str, Attribute] = {}
            if with_properties and not hidden.issuperset(op.properties):
                entries = {
                    name: value
                    for name, value in sorted(op.properties.items())
                    if name not in hidden and not written.is_left_out(name, value)
                }
            if with_attributes:
                entries |= op.attributes
                if entries:
                    written.printer.print_op_attributes(entries, print_keyword=with_keyword)
            else:
                written.put(" ")  # MLIR prints this space even without properties.
                if entries:
                    written.put("<")
                    written.printer.print_attr_dict(entries)
                    written.put(">")

        return step

    @cached_property
    def _ends_in_implied(self) -> bool:
        """Whether regions have an implicit terminator, which is not printed."""
        return bool(self._variant.rule("terminator"))

    # Presence of elements

    def _is_unit(self, element: Element) -> bool:
        constraint = self._variant.attributes.get(element.name) if isinstance(element, Variable) else None
        return constraint is not None and constraint.kind == "unit"

    def _is_there(self, element: Element) -> Condition:
        match element:
            case Variable(name=name):
                return self._has(name)
            case Directive(name="operands"):
                return lambda w: bool(w.operand_list)
            case Directive(name="results"):
                return lambda w: bool(w.result_list)
            case Directive(name="custom"):
                return _any(map(self._is_there_and_not_empty, element.arguments))
            case Directive():
                return _any(map(self._is_there, element.arguments))
            case _:
                return _never

    def _is_there_and_not_empty(self, element: Element) -> Condition:
        is_there = self._is_there(element)
        if not isinstance(element, Variable) or element.name not in self._variant.attributes:
            return is_there
        name = element.name
        return lambda w: is_there(w) and not _is_empty(w.op.properties.get(name))

    def _has(self, name: str) -> Condition:
        variant = self._variant
        if name in variant.attributes:

            def has(written: Written) -> bool:
                value = written.op.properties.get(name)
                return value is not None and not written.is_left_out(name, value)

            return has
        if any(each.name == name for each in variant.regions):
            return lambda w: any(region.blocks for region in w.regions.get(name, ()))
        successors = variant.successors
        if any(each.name == name for each in successors):
            return lambda w: bool((by_name(successors, w.op.successors) or {}).get(name))
        values = values_of(variant, Variable(name))
        return lambda w: bool(values(w))


def _any(conditions: Iterable[Condition]) -> Condition:
    found = [each for each in conditions if each is not _never]
    if not found:
        return _never
    if len(found) == 1:
        return found[0]
    return lambda written: any(each(written) for each in found)


def _never(_written: Written) -> bool:
    return False


def _is_empty(value: Attribute | None) -> bool:
    return isinstance(value, DenseArrayBase) and not numbers(cast(object, value))


def _needs_space(literal: str, after_mark: bool) -> bool:
    if len(literal) != 1 and literal != "->":
        return True
    return literal[0] not in (">)}]," if after_mark else "<>(){}[],")


def _choose(condition: Condition, then: tuple[Step, ...], otherwise: tuple[Step, ...]) -> Step:
    def step(written: Written) -> None:
        for each in then if condition(written) else otherwise:
            each(written)

    return step


def _put(text: str) -> tuple[Step, ...]:
    return (lambda written: written.put(text),) if text else ()


def _write_values(values: Values, text: str) -> Step:
    return _listed(values, text, lambda printer, value: printer.print_ssa_value(value))


def _write_types(values: Values, text: str, written_name: str | None) -> Step:
    """Return a step that prints types; those of the class `written_name` (`llvm.ptr`) without the prefix."""
    opening = f"!{written_name}<" if written_name else ""

    def write(printer: Printer, value: SSAValue) -> None:
        if opening and (whole := attribute_text(value.type)).startswith(opening):
            printer.print_string(whole[len(opening) - 1 :])
        else:
            printer.print_attribute(value.type)

    return _listed(values, text, write)


def _listed(values: Values, text: str, write: Callable[[Printer, SSAValue], object]) -> Step:
    """Return a step that prints a comma-separated list with an item for each value."""

    def step(written: Written) -> None:
        printer = written.printer
        if text:
            printer.print_string(text)
        between = ""
        for value in values(written):
            if between:
                printer.print_string(between)
            between = ", "
            write(printer, value)

    return step


def _write_function_type(inputs: Values, outputs: Values, text: str) -> Step:
    def step(written: Written) -> None:
        if text:
            written.put(text)
        types = ([value.type for value in each(written)] for each in (inputs, outputs))
        write_function_type(written.printer, *types)

    return step


def _write_attribute(name: str, of: TextOf, text: str, missing: str) -> Step:
    def step(written: Written) -> None:
        value = written.op.properties.get(name)
        written.put(text + (missing if value is None else of(value) or ""))

    return step


def _write_successors(successors: Callable[[Written], Sequence[Block]], text: str) -> Step:
    def step(written: Written) -> None:
        written.put(text)
        written.printer.print_list(successors(written), written.printer.print_block_name)

    return step


def _write_regions(regions: Callable[[Written], Sequence[Region]], text: str, implied: bool) -> Step:
    """Return a step that prints regions; with `implied`, a terminator without operands and attributes is
    omitted."""

    def step(written: Written) -> None:
        written.put(text)
        written.printer.print_list(
            regions(written), lambda region: _write_region(written.printer, region, implied)
        )

    return step


def _write_region(printer: Printer, region: Region, implied: bool) -> None:
    block = region.blocks.first if implied and len(region.blocks) == 1 else None
    last = None if block is None else block.last_op
    plain = last is not None and not (last.operands or last.attributes or last.properties)
    printer.print_region(region, print_block_terminators=not plain)
