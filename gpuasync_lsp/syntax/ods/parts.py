"""What was read of one op, by the names that its definition gives to the parts."""

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
"""The name of a block argument whose type is written elsewhere, and its location."""


class ReachedRegion(Exception):
    """What is before the first region of an op is read."""


class Parts:
    """What was read of one op of a definition."""

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
        """Where the text begins."""
        self.names: dict[str, list[UnresolvedOperand]] = {}
        """The operands of each group that the text names."""
        self.types: dict[str, list[Attribute]] = {}
        """The types of operands and results that are known, written or not."""
        self.all_operands: list[UnresolvedOperand] | None = None
        """The operands of all groups together, where the format has them so."""
        self.all_operand_types: list[Attribute] | None = None
        self.all_result_types: list[Attribute] | None = None
        self.properties: dict[str, Attribute] = {}
        self.attributes: dict[str, Attribute] = {}
        self.regions: dict[str, list[Region]] = {}
        self.successors: dict[str, list[Block]] = {}
        self.arguments: list[Argument] | None = None
        """Those of the next region, where the text names them before it: variables, then what is carried."""
        self.variable_type: Attribute = INDEX
        self.carried: Sequence[Attribute] = ()
        """The types of the last arguments."""
        """A word that a directive after it needs: a storage class, or how often a value is repeated."""
        self.unended: set[str] = set()
        """Regions whose last op must be written."""
        self.entered = False
        """Whether a region was begun, which cannot be read twice."""
        self.taken = 1
        """Which optional groups are there: a one, then a bit for each in the order of reading."""
        self.stops_at_region = False
        """Whether only what is before the first region is to be read."""

    def read_region(self, parser: Parser, arguments: Sequence[Parser.Argument] | None = None) -> Region:
        """Read `{...}`, a region with these arguments; raises a ParseError, or as `begin_region`."""
        self.begin_region(parser)
        return parser.parse_region(arguments)

    def begin_region(self, parser: Parser) -> None:
        """Note that a region may begin here; raises ReachedRegion where it does and reading ends there."""
        begins = parser.lexer.input.content.startswith("{", parser.pos)
        if begins and self.stops_at_region:
            raise ReachedRegion
        self.entered = self.entered or begins

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
