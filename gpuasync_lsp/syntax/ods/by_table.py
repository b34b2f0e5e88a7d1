"""Base of the op classes that have typed fields, and everything else from the tables of MLIR's ops.

Such a class names its operands, attributes, results and regions in the order of the definition, for the
rules, the lowering and the runs that read them, and what the tables do not know: that an op has no effects,
and what is left out where it is the default. Its assembly is that of the newest release that has the op;
what older ones write otherwise is read as for any op of the tables (`TolerantParser`).
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.irdl.constraints import InferenceContext
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from gpuasync_lsp.syntax.ods.operation import SEGMENTS, OdsOperation, end_regions, groups, op_class
from gpuasync_lsp.syntax.ods.reading import Parts, make_op, read_text
from gpuasync_lsp.syntax.ods.writing import Writing


class ByTable(IRDLOperation, ABC):
    """An op that is parsed, printed and verified by its definition in the tables."""

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        """Parse the custom assembly behind the name.

        Raises a ParseError, or NotImplementedError for what may be right but is not understood.
        """
        kind = _definition(cls.name)
        parts = read_text(parser, kind.variant, kind.elements)
        for at, type in _known_types(cls):
            parts.types.setdefault(at, [type])
        cls.complete(parser, parts)
        op = make_op(parser, parts, kind.elements, cls)
        for (ending,) in kind.variant.rule("terminator"):
            end_regions(op, ending, parser)
        return op

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        """Add what MLIR infers in C++ to what was read, above all types of results; raises a ParseError."""

    def print(self, printer: Printer) -> None:
        """Print the custom assembly behind the name."""
        self._writing(printer).write()

    @property
    def is_printable(self) -> bool:
        """Whether the op has all that its custom assembly says."""
        return self._writing(None).is_complete()

    def _writing(self, printer: Printer | None) -> Writing:
        kind = _definition(self.name)
        operands = groups(self, kind.variant.operands, self.operands, SEGMENTS[0])
        results = groups(self, kind.variant.results, self.results, SEGMENTS[1])
        return Writing(printer, self, kind.assembly, operands, results, _defaults(type(self)))


class PureByTable(ByTable, ABC):
    """One that does nothing to memory."""

    traits = traits_def(Pure())


@cache
def _definition(name: str) -> type[OdsOperation]:
    found = op_class(name)
    if found is None or not found.has_assembly:
        raise TypeError(f"the tables cannot read {name}")
    return found


@cache
def _known_types(kind: type[ByTable]) -> Sequence[tuple[str, Attribute]]:
    """Return the operands and results of which the fields say the one type that they can have."""
    variant, fields = _definition(kind.name).variant, kind.get_irdl_definition()
    known: list[tuple[str, Attribute]] = []
    for definitions, of_class in ((variant.operands, fields.operands), (variant.results, fields.results)):
        for (name, each), (_, field) in zip(definitions, of_class, strict=True):
            if not each.variadic and field.constr.can_infer(frozenset(), length_known=True):
                known += ((name, type) for type in field.constr.infer(InferenceContext(), length=1))
    return known


@cache
def _defaults(kind: type[ByTable]) -> Mapping[str, Attribute]:
    """Return the attributes that are not written where they have these values."""
    of_class = kind.get_irdl_definition().properties
    return {name: each.default_value for name, each in of_class.items() if each.default_value is not None}
