"""Representation of unparsed text: opaque ops, and the type of values with unknown definitions."""

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
"""Markers in a template. Each stands for the next operand, successor or region.

A pair of `ARGUMENT` encloses the number of an argument of the next region. No valid MLIR text contains
them."""


@irdl_attr_definition
class UnknownType(ParametrizedAttribute, BuiltinAttribute, TypeAttribute):
    """The type of a value whose definition could not be parsed; it matches every type."""

    name = "gpuasync.unknown"

    alias: StringAttr
    """The name of an alias (`!a`) for a type that is too long to expand; otherwise empty."""

    def __init__(self, alias: str = "") -> None:
        super().__init__(StringAttr(alias))

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(self.alias.data or f"!{self.name}")


UNKNOWN = UnknownType()


class OpaqueOp(Operation):
    """An op of an unknown dialect, or one with a syntax error.

    Its operands and successors are the values and blocks in its text; its regions are parsed if they
    look like MLIR. The analyses treat its effects as unknown.
    """

    name = "gpuasync.opaque"
    traits = traits_def()

    lacking: Mapping[Variant, str] = {}
    """For an op in generic form that its class rejects: maps each definition of the op to the error."""

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
        """Create an opaque op called `op_name` from its source `text`.

        An op with regions needs `template`: the text from the name on, with markers for values, blocks
        and regions."""
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
        """The name in the source, for example `tt.load`; empty if the text has no op name."""
        attribute = self.attributes[_NAME]
        assert isinstance(attribute, StringAttr)
        return attribute.data

    @property
    def text(self) -> str:
        """The source text, from the first result to the end of the op."""
        attribute = self.attributes[_TEXT]
        assert isinstance(attribute, StringAttr)
        return attribute.data

    @property
    def template(self) -> str:
        """The text from the name on, with markers; empty for an op without regions."""
        attribute = self.attributes.get(_TEMPLATE)
        return attribute.data if isinstance(attribute, StringAttr) else ""

    @property
    def is_error(self) -> bool:
        """Whether the op represents a syntax error instead of an op of an unknown dialect."""
        return _ERROR in self.attributes


def written_name(op: Operation | None) -> str:
    """Return the name of `op` in the text, even if it is unknown; an empty string for None."""
    if isinstance(op, OpaqueOp):
        return op.op_name
    if isinstance(op, UnregisteredOp):
        return op.op_name.data
    return "" if op is None else op.name
