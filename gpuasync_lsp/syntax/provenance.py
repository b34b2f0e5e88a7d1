"""The source of each op in a lowered module: source offsets stored as the op's location."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Data, Operation, Region, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.cutter import PartKind
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import ALIASES, METADATA
from gpuasync_lsp.syntax.source import Chunk, PlacedItem
from gpuasync_lsp.text import Span


@irdl_attr_definition
class SourceLoc(Data[Span]):
    """The source span, in code points, of the op that was parsed or from which an op was created."""

    name = "gpuasync.source"

    @classmethod
    def at(cls, span: Span) -> Self:
        """Create the location of `span`, whose offsets are absolute in the source."""
        return cls(span)

    @property
    def span(self) -> Span:
        """The span in the source."""
        return self.data

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Span:
        """Raise an error: this attribute has no textual form."""
        parser.raise_error("a source location cannot be parsed")

    def print_parameter(self, printer: Printer) -> None:
        """Print the span as a slice, for debugging."""
        printer.print_string(f"<{self.data.start}:{self.data.end}>")


def source_span(op: Operation) -> Span | None:
    """Return the source span of `op`; None if it has none."""
    location: object = op.location
    return location.span if isinstance(location, SourceLoc) else None


def set_source_span(op: Operation, span: Span) -> None:
    """Set the source span of `op`."""
    # The declared type is a closed union of MLIR's locations; at run time any attribute is accepted.
    location: Any = SourceLoc.at(span)
    op.location = location


def module_of(chunk: Chunk) -> ModuleOp:
    """Return a new module with clones of all ops of `chunk`, each with its `SourceLoc`.

    The result includes nested modules and file metadata. Ops that could not be parsed are `OpaqueOp`s.
    """
    outer = ModuleOp([])
    bodies: list[Block] = [outer.body.block]
    headers = {placed.offset: placed for placed in chunk.headers}
    items = {placed.offset: placed for placed in chunk.items}
    for part in chunk.parts:
        header, item = headers.get(part.span.start), items.get(part.span.start)
        if header is not None:
            module = _module(header)
            bodies[-1].add_op(module)
            bodies.append(module.body.block)
        elif item is not None:
            for op in clones(item):
                bodies[-1].add_op(op)
        elif part.kind is PartKind.CLOSE and len(bodies) > 1:
            bodies.pop()
    only = outer.body.block.first_op
    if isinstance(only, ModuleOp) and only.next_op is None:
        only.detach()
        outer = only
    if chunk.shared_aliases:
        outer.properties[ALIASES] = StringAttr(chunk.shared_aliases)
    if chunk.metadata:
        outer.properties[METADATA] = StringAttr(chunk.metadata)
    return outer


def clones(placed: PlacedItem) -> list[Operation]:
    """Return clones of the item's ops, each with its `SourceLoc`."""
    found: list[Operation] = []
    values: dict[SSAValue, SSAValue] = {}
    used_as = placed.item.spans.used_as
    for op in placed.item.ops:
        clone = op.clone(values)
        for original, copy in zip(op.walk(), clone.walk(), strict=True):
            spans = placed.item.spans.ops.get(original)
            if spans is not None:
                set_source_span(copy, spans.whole.shift(placed.offset))
            if used_as:
                _give_types(original, copy, used_as)
        found.append(clone)
    if len(found) > 1:
        # A top-level statement may use a value that a later statement defines.
        for op in (op for clone in found for op in clone.walk()):
            op.operands = [values.get(operand, operand) for operand in op.operands]
    return found


def _give_types(original: Operation, copy: Operation, used_as: Mapping[SSAValue, Attribute]) -> None:
    """Set the types of values with unknown definitions to the types of their uses."""
    pairs: list[tuple[SSAValue, SSAValue]] = [*zip(original.results, copy.results, strict=True)]
    for old, new in zip(original.regions, copy.regions, strict=True):
        for before, after in zip(old.blocks, new.blocks, strict=True):
            pairs += zip(before.args, after.args, strict=True)
    for old, new in pairs:
        if isinstance(old.type, UnknownType) and old in used_as:
            new._type = used_as[old]  # pyright: ignore[reportPrivateUsage]


def _module(header: PlacedItem) -> ModuleOp:
    if header.item.ops and isinstance(header.item.ops[0], ModuleOp):
        module = clones(header)[0]
        assert isinstance(module, ModuleOp)
        # `{}` parses as a region without blocks.
        if not module.body.blocks:
            module.body.add_block(Block())
        return module
    return ModuleOp(Region(Block()))
