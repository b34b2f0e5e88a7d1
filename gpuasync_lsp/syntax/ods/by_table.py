"""Base of the op classes that declare typed fields and take everything else from the ODS tables.

Such a class declares its operands, attributes, results and regions in the order of the definition, since the
rules, the lowering and the interpreter use them. It also declares facts that the tables lack: that an op has
no effects, and the defaults that are not printed. Its assembly is that of the newest release that has the op;
older spellings are parsed like those of any op in the tables (`TolerantParser`).
"""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from keyword import iskeyword
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute, Operation, OpTrait, OpTraits
from xdsl.irdl import (
    AttrConstraint,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    OpDef,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_result_def,
    var_successor_def,
)
from xdsl.irdl.constraints import InferenceContext, VerificationContext
from xdsl.irdl.operations import get_accessors_from_op_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.syntax.dialects.assembly import property_names
from gpuasync_lsp.syntax.ods.operation import (
    OdsOperation,
    class_of,
    definition_in,
    end_regions,
    note_spelling,
    op_class,
    read_as_some,
    spellings_of,
    written_alike,
)
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.ods.reading import Parts
from gpuasync_lsp.syntax.ods.table import AttrConstraint as AttrConstraintOfTable
from gpuasync_lsp.syntax.ods.table import Variant, entry


class ByTable(IRDLOperation, ABC):
    """An op that is parsed, printed and verified according to its definition in the ODS tables."""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        """Parse the custom assembly after the op's name.

        Raises a ParseError, or NotImplementedError for input that may be valid but is not supported.
        """
        spellings, known_types = _way_to_read(cls)
        if len(spellings) == 1:
            kind, accepted = spellings[0], None
            parts = kind.reading.read(parser)
        else:
            kind, parts, accepted = read_as_some(parser, cls.name, spellings)
            accepted |= _not_tried(cls)
        reading = kind.reading
        for at, type in known_types:
            parts.types.setdefault(at, [type])
        if parts.attributes:
            _take_properties(cls, parts)
        cls.complete(parser, parts)
        op = reading.make(parser, parts, cls)
        if accepted is not None:
            note_spelling(op, accepted)
        if parts.regions:
            end_regions(parts, reading.terminators, parser)
        return op

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        """Add the types that MLIR infers in C++, mainly of results, to `parts`; raises a ParseError."""

    def print(self, printer: Printer) -> None:
        """Print the custom assembly after the op's name."""
        _as_written(type(self), getattr(printer, "llvm", None)).assembly.write(printer, self, self.left_out)

    @property
    def is_printable(self) -> bool:
        """Whether the op can be printed in custom assembly: nothing that the assembly prints is missing."""
        return _definition(self.name).assembly.has_all(self)

    def left_out(self) -> Mapping[str, Attribute]:
        """Return the default values of attributes; the printer omits an attribute that is equal to its
        default."""
        return _defaults(type(self))


class PureByTable(ByTable, ABC):
    """Base of the ops from the ODS tables that have no memory effects."""

    traits = traits_def(Pure())


class TableOp(ByTable, ABC):
    """An op whose fields are derived from its definition: see `from_table`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...


Known = TypeVar("Known", bound=ByTable)
_OPERANDS: Mapping[str, Callable[[], object]] = {
    "": operand_def,
    "o": opt_operand_def,
    "v": var_operand_def,
    "vv": var_operand_def,  # Groups of a group, such as the operands of a switch's cases, are one group.
}
_RESULTS: Mapping[str, Callable[[], object]] = {"": result_def, "o": opt_result_def, "v": var_result_def}


def from_table(name: str, base: type[Known], /, **fields: object) -> type[Known]:
    """Return the class of the op `name` with the fields of its newest definition, in snake case.

    Fields in `base` or `fields` take precedence. Raises TypeError if the ODS tables have no such op.
    """
    body: dict[str, object] = {"name": name, "__doc__": f"`{name}`", "__module__": base.__module__, **fields}
    class_name = f"Ods_{name.replace('.', '_')}"
    return table_op_definition(cast("type[Known]", type(class_name, (base,), body)))


def table_op_definition(base: type[Known]) -> type[Known]:
    """Add the fields of the newest definition of its op, in snake case, to a class with a `name`.

    Fields in the class or its bases take precedence. Raises TypeError if the ODS tables have no such
    op. The fields are created when the definition is first used, for example when an op is created,
    since a program uses few of the hundreds of ops. At that time a TypeError is raised if neither the
    ODS tables nor the class support the op.
    """
    if entry(base.name) is None:
        raise TypeError(f"the tables have no {base.name}")
    of_base: OpTraits | None = vars(base).get("traits")
    of_parents = [vars(part)["traits"] for part in base.__mro__[1:] if "traits" in vars(part)]

    def traits() -> tuple[OpTrait, ...]:
        own = _definition(base.name).traits if of_base is None else of_base
        return tuple(trait for each in (own, *of_parents) if isinstance(each, OpTraits) for trait in each)

    def get_irdl_definition(_: type[IRDLOperation]) -> OpDef:
        with _DEFINING:
            if vars(base)["get_irdl_definition"] is later:  # Otherwise another thread was faster.
                _define(base)
        return base.get_irdl_definition()

    base.traits = OpTraits(traits)
    later = classmethod(get_irdl_definition)
    base.get_irdl_definition = later  # pyright: ignore[reportAttributeAccessIssue]
    return base


_DEFINING = RLock()


def _define(base: type[ByTable]) -> None:
    """Create the fields and the xDSL definition of an op class."""
    for part in base.__mro__[1:]:
        if "get_irdl_definition" in vars(part) and issubclass(part, ByTable) and part is not ByTable:
            part.get_irdl_definition()
    kind = _definition(base.name) if "parse" in vars(base) else _readable(base.name)
    known = {each for part in base.__mro__ for each in vars(part)}
    found: dict[str, object] = {}
    for definitions, kinds in ((kind.variant.operands, _OPERANDS), (kind.variant.results, _RESULTS)):
        for label, each in definitions:
            found[field_name(label or "result")] = kinds[each.variadic]()
    for label, each in kind.variant.attributes.items():
        define = opt_prop_def if each.optional or each.kind == "unit" else prop_def
        found[field_name(label)] = define(_Holds(each), prop_name=label)
    found |= {field_name(each.name): region_def() for each in kind.variant.regions}
    for each in kind.variant.successors:
        found[field_name(each.name)] = var_successor_def() if each.variadic else successor_def()
    segments = (AttrSizedOperandSegments, AttrSizedResultSegments)
    options = tuple(each(as_property=True) for each in segments if each.__name__ in kind.variant.traits)
    body = {name: field for name, field in found.items() if name not in known}
    for name, field in {"irdl_options": options, **body}.items():
        if name not in vars(base):
            setattr(base, name, field)
    definition = OpDef.from_pyrdl(base)
    accessors = get_accessors_from_op_def(definition, getattr(base, "verify_", None))
    # Set last: other threads must not see an incomplete definition.
    last = accessors.pop("get_irdl_definition")
    for name, accessor in accessors.items():
        setattr(base, name, accessor)
    base.get_irdl_definition = last


@dataclass(frozen=True)
class _Holds(AttrConstraint[Attribute]):
    """An xDSL constraint that checks an attribute against its definition in the ODS tables."""

    of: AttrConstraintOfTable

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Raise a VerifyException if the attribute certainly violates the constraint."""
        if isinstance(attr, UnregisteredAttr):
            fits = self.of.predicate is None or attr.attr_name.data == self.of.written
        else:
            fits = holds(self.of.predicate, attr) is not False
        if not fits:
            raise VerifyException(f"expected {self.of.summary}")

    def mapping_type_vars(self, type_var_mapping: object) -> _Holds:
        """Return this constraint, which has no type variables."""
        return self


def field_name(label: str) -> str:
    """Return the Python field name for `label` of a definition: `src_memref`, `in_`."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", label).lower()
    return f"{name}_" if iskeyword(name) or hasattr(Operation, name) else name


@cache
def _definition(name: str) -> type[OdsOperation]:
    found = op_class(name)
    if found is None:
        raise TypeError(f"the tables have no {name}: python -m tools.release adds a release's ops to them")
    return found


def _readable(name: str) -> type[OdsOperation]:
    found = _definition(name)
    if not found.has_assembly:
        raise TypeError(f"the tables cannot read {name}")
    return found


@cache
def _way_to_read(
    kind: type[ByTable],
) -> tuple[Sequence[type[OdsOperation]], Sequence[tuple[str, Attribute]]]:
    """Return the spellings that a class can parse, newest first, and the types that its fields determine."""
    definition = _readable(kind.name)
    spellings = [each for each in spellings_of(kind.name) if _has_fields_of(each, definition)]
    return spellings, _known_types(kind)


@cache
def _not_tried(kind: type[ByTable]) -> frozenset[int]:
    """Return the releases with spellings that a class cannot parse because the op had other fields."""
    left = set(spellings_of(kind.name)).difference(_way_to_read(kind)[0])
    return frozenset(release for each in left for release in written_alike(each.variant))


def _has_fields_of(other: type[OdsOperation], definition: type[OdsOperation]) -> bool:
    """Return whether two definitions have the same operands and results, so that one class fits both."""
    return all(
        [(name, each.variadic) for name, each in theirs] == [(name, each.variadic) for name, each in ours]
        for theirs, ours in (
            (other.variant.operands, definition.variant.operands),
            (other.variant.results, definition.variant.results),
        )
    )


@cache
def _as_written(kind: type[ByTable], llvm: int | None) -> type[OdsOperation]:
    """Return the definition with which LLVM `llvm` prints an op; the newest if that one cannot be used."""
    newest = _definition(kind.name)
    found = None if llvm is None else definition_in(kind.name, llvm)
    if found is None or found is newest or not found.has_assembly or not _has_fields_of(found, newest):
        return newest
    renamed = found.variant.attributes.keys() - newest.variant.attributes.keys()
    if any(not found.variant.attributes[name].optional for name in renamed):
        return newest  # The IR has this attribute under a different name.
    variant = _numbered_as(found.variant, newest.variant)
    return found if variant is found.variant else class_of(kind.name, variant)


def _numbered_as(variant: Variant, newest: Variant) -> Variant:
    """Return `variant` with the enumeration cases numbered as in `newest`: the IR contains these numbers.

    LLVM 22 inserted cases of memref.atomic_rmw before others: in LLVM 21 the same number is another case."""
    attributes = dict(variant.attributes)
    for name, constraint in variant.attributes.items():
        now = newest.attributes.get(name)
        if now is None or constraint.kind != "enum" or now.kind != "enum":
            continue
        numbers = dict(zip(now.cases, now.values, strict=False))
        cases = tuple(each for each in constraint.cases if each in numbers)
        values = tuple(numbers[each] for each in cases)
        if (cases, values) != (constraint.cases, constraint.values):
            attributes[name] = replace(constraint, cases=cases, values=values)
    return variant if attributes == variant.attributes else replace(variant, attributes=attributes)


def _take_properties(kind: type[ByTable], parts: Parts) -> None:
    """Move attributes that are properties of the class, but not of the parsed definition, to the
    properties."""
    for name in property_names(kind) - parts.variant.attributes.keys():
        if name in parts.attributes:
            parts.properties[name] = parts.attributes.pop(name)


def _known_types(kind: type[ByTable]) -> Sequence[tuple[str, Attribute]]:
    """Return the names and types of operands and results whose fields allow only one type."""
    variant, fields = _definition(kind.name).variant, kind.get_irdl_definition()
    known: list[tuple[str, Attribute]] = []
    for definitions, of_class in ((variant.operands, fields.operands), (variant.results, fields.results)):
        for (name, each), (_, field) in zip(definitions, of_class, strict=True):
            if not (each.variadic or each.built) and field.constr.can_infer(frozenset(), length_known=True):
                known += ((name, type) for type in field.constr.infer(InferenceContext(), length=1))
    return known


@cache
def _defaults(kind: type[ByTable]) -> Mapping[str, Attribute]:
    of_class = kind.get_irdl_definition().properties
    return {name: each.default_value for name, each in of_class.items() if each.default_value is not None}
