"""The parsed parts of one op, by their names in its definition."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser, UnresolvedOperand

from gpuasync_lsp.syntax.dialects.assembly import INDEX
from gpuasync_lsp.syntax.ods.formats import Directive, Element, Variable
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.ods.table import TypeConstraint, Variant

Argument = tuple[Parser.UnresolvedArgument, LocationAttr | None]
"""The name and location of a block argument; its type is in another part of the text."""


class ReachedRegion(Exception):
    """Raised at the first region of an op if the parser was asked to stop there."""


class Parts:
    """The parsed parts of one op."""

    __slots__ = (
        "all_operand_types",
        "all_operands",
        "all_result_types",
        "arguments",
        "attributes",
        "carried",
        "entered",
        "names",
        "properties",
        "regions",
        "start",
        "stops_at_region",
        "successors",
        "taken",
        "types",
        "unended",
        "variable_type",
        "variant",
    )

    def __init__(self, variant: Variant, start: int) -> None:
        self.variant = variant
        self.start = start
        """The offset at which the op's text begins, after its name."""
        self.names: dict[str, list[UnresolvedOperand]] = {}
        """The parsed operands by group name."""
        self.types: dict[str, list[Attribute]] = {}
        """The known types of operands and results, explicit or inferred."""
        self.all_operands: list[UnresolvedOperand] | None = None
        """All operands in one list, for formats with an `operands` directive."""
        self.all_operand_types: list[Attribute] | None = None
        self.all_result_types: list[Attribute] | None = None
        self.properties: dict[str, Attribute] = {}
        self.attributes: dict[str, Attribute] = {}
        self.regions: dict[str, list[Region]] = {}
        self.successors: dict[str, list[Block]] = {}
        self.arguments: list[Argument] | None = None
        """The arguments of the next region if the preceding text names them: loop variables, then
        loop-carried ones."""
        self.variable_type: Attribute = INDEX
        self.carried: Sequence[Attribute] = ()
        """The types of the loop-carried arguments."""
        self.unended: set[str] = set()
        """The names of regions that get no implicit terminator."""
        self.entered = False
        """Whether the parser has entered a region, whose text cannot be parsed a second time."""
        self.taken = 1
        """A leading 1 bit, then one bit per optional group in parsing order: whether it is present."""
        self.stops_at_region = False
        """Whether the parser must stop before the first region."""

    def read_region(self, parser: Parser, arguments: Sequence[Parser.Argument] | None = None) -> Region:
        """Parse a region `{...}` with the given arguments. Raises a ParseError or ReachedRegion."""
        self.begin_region(parser)
        return parser.parse_region(arguments)

    def begin_region(self, parser: Parser) -> None:
        """Record that a region may begin here. Raises ReachedRegion if one does and parsing should stop."""
        begins = parser.lexer.input.content.startswith("{", parser.pos)
        if begins and self.stops_at_region:
            raise ReachedRegion
        self.entered = self.entered or begins

    def constraint(self, name: str) -> TypeConstraint:
        """Return the type constraint of an operand or result. Raises NotImplementedError if there is none."""
        for other, constraint in (*self.variant.operands, *self.variant.results):
            if other == name:
                return constraint
        raise NotImplementedError(name)

    def put_dictionary(self, entries: dict[str, Attribute]) -> None:
        """Add an attribute dictionary; inherent attributes become properties.

        An optional attribute that violates its constraint remains a discardable attribute, as in
        releases that do not define it (`range` of nvvm's register reads through LLVM 19).
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
        """Record the types of an operand, a result, or all of them. Raises a ParseError if there are too
        many."""
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
                raise NotImplementedError("types of this element")
