"""What was read of one op, by the names that its definition gives to the parts."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import IndexType, LocationAttr
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser, UnresolvedOperand

from gpuasync_lsp.syntax.ods.formats import Directive, Element, Variable
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.ods.table import TypeConstraint, Variant

Argument = tuple[Parser.UnresolvedArgument, LocationAttr | None]
"""The name of a block argument whose type stands elsewhere, and where it says to come from."""


@dataclass
class Parts:
    """What was read of one op of a definition."""

    variant: Variant
    names: dict[str, list[UnresolvedOperand]] = field(default_factory=dict[str, list[UnresolvedOperand]])
    """The operands of each group that the text names."""
    types: dict[str, list[Attribute]] = field(default_factory=dict[str, list[Attribute]])
    """The types of operands and results that are known, written or not."""
    all_operands: list[UnresolvedOperand] | None = None
    """The operands of all groups together, where the format has them so."""
    all_operand_types: list[Attribute] | None = None
    all_result_types: list[Attribute] | None = None
    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    regions: dict[str, list[Region]] = field(default_factory=dict[str, list[Region]])
    successors: dict[str, list[Block]] = field(default_factory=dict[str, list[Block]])
    start: int = 0
    """Where the text begins."""
    arguments: list[Argument] | None = None
    """Those of the next region, where the text names them before it: variables, then what is carried."""
    variable_type: Attribute = field(default_factory=IndexType)
    carried: list[Attribute] = field(default_factory=list[Attribute])
    """The types of the last arguments."""
    unended: set[str] = field(default_factory=set[str])
    """Regions whose last op must be written."""

    def constraint(self, name: str) -> TypeConstraint:
        """Return the definition of an operand or result; raises NotImplementedError for another name."""
        for other, constraint in (*self.variant.operands, *self.variant.results):
            if other == name:
                return constraint
        raise NotImplementedError(name)

    def put_dictionary(self, entries: dict[str, Attribute]) -> None:
        """Take over an attribute dictionary: what the definition names is a property.

        An attribute of another kind is one of the text's own, as it is in releases whose definition has none
        of that name: `range` of nvvm's registers up to LLVM 19.
        """
        for name, value in entries.items():
            constraint = self.variant.attributes.get(name)
            if name in ("operandSegmentSizes", "resultSegmentSizes"):
                self.properties[name] = value
            elif constraint is None or (
                constraint.kind == "def"
                and constraint.optional
                and holds(constraint.predicate, value) is False
            ):
                self.attributes[name] = value
            else:
                self.properties[name] = value

    def put_types(self, parser: Parser, of: Element, types: list[Attribute]) -> None:
        """Note the types of an operand, a result, or all of them; raises a ParseError if one is too many."""
        match of:
            case Variable():
                if not self.constraint(of.name).variadic and len(types) != 1:
                    parser.raise_error(f"expected single type, but got {len(types)}")
                self.types[of.name] = types
            case Directive(name="operands"):
                self.all_operand_types = types
            case Directive(name="results"):
                self.all_result_types = types
            case Directive(name="type"):
                self.put_types(parser, of.arguments[0], types)
            case _:
                raise NotImplementedError("types of this")
