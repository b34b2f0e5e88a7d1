"""Representation of unparsed text: opaque ops and the type of their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr, UnitAttr, UnregisteredOp
from xdsl.ir import (
    Attribute,
    Block,
    BuiltinAttribute,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition, traits_def
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.table import Variant

_NAME, _TEXT, _ERROR = "gpuasync.name", "gpuasync.text", "gpuasync.error"
_TEMPLATE = "gpuasync.template"

OPERAND, SUCCESSOR, REGION, ARGUMENT = "\x01", "\x02", "\x03", "\x04"
"""Markers in a template: the next operand, successor, region, and, around a number, an argument of the
next region. No valid MLIR text has these characters."""


@irdl_attr_definition
class UnknownType(ParametrizedAttribute, BuiltinAttribute, TypeAttribute):
    """The type of a value whose definition could not be parsed; it matches every type."""

    name = "gpuasync.unknown"

    alias: StringAttr
    """The alias, `!a`, of a type that is too long to expand; empty for any other."""

    def __init__(self, alias: str = "") -> None:
        super().__init__(StringAttr(alias))

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(self.alias.data or f"!{self.name}")


UNKNOWN = UnknownType()


class OpaqueOp(Operation):
    """An op of an unknown dialect, or one with a syntax error.

    Its operands are the values in its text, its regions are parsed if they look like MLIR, its successors are
    the blocks in its text. Analysis continues around it.
    """

    name = "gpuasync.opaque"
    traits = traits_def()

    lacking: Mapping[Variant, str] = {}
    """The errors of an op in generic form by each definition of its name, if its class rejects it."""

    @classmethod
    def read(
        cls,
        op_name: str,
        text: str,
        *,
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        successors: Sequence[Block],
        regions: Sequence[Region],
        is_error: bool,
        template: str = "",
    ) -> OpaqueOp:
        """Create the op called `op_name` from its source `text`.

        `template`, for an op with regions, is the text from the name on with markers for values, blocks and
        regions."""
        attributes: dict[str, Attribute] = {_NAME: StringAttr(op_name), _TEXT: StringAttr(text)}
        if is_error:
            attributes[_ERROR] = UnitAttr()
        if template:
            attributes[_TEMPLATE] = StringAttr(template)
        return cls.create(
            operands=operands,
            result_types=result_types,
            attributes=attributes,
            successors=successors,
            regions=regions,
        )

    @property
    def op_name(self) -> str:
        """The name in the source, for instance `tt.load`; empty if the line has no op name."""
        attribute = self.attributes[_NAME]
        assert isinstance(attribute, StringAttr)
        return attribute.data

    @property
    def text(self) -> str:
        """The source text, from the first result to the end."""
        attribute = self.attributes[_TEXT]
        assert isinstance(attribute, StringAttr)
        return attribute.data

    @property
    def template(self) -> str:
        """The text from the name on with markers; empty for an op without regions."""
        attribute = self.attributes.get(_TEMPLATE)
        return attribute.data if isinstance(attribute, StringAttr) else ""

    @property
    def is_error(self) -> bool:
        """Return whether this op represents a syntax error, not an unknown op."""
        return _ERROR in self.attributes


def written_name(op: Operation | None) -> str:
    """Return the name of `op` in the text, known or not; an empty string if it is not an op."""
    if isinstance(op, OpaqueOp):
        return op.op_name
    if isinstance(op, UnregisteredOp):
        return op.op_name.data
    return "" if op is None else op.name
