"""Parses source text to IR with source positions, and prints IR. This is the lowest layer that uses xDSL.

`parse_source` never raises: text that cannot be parsed becomes an `OpaqueOp` and a `Problem`.
"""

from gpuasync_lsp.syntax.dumps import dumped_dialects, is_dump
from gpuasync_lsp.syntax.extensions import ExtensionError, installed_dialects, irdl_dialects
from gpuasync_lsp.syntax.ods.table import Dialect as OdsDialect
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType
from gpuasync_lsp.syntax.parser import Problem
from gpuasync_lsp.syntax.provenance import SourceLoc, clones, module_of, set_source_span, source_span
from gpuasync_lsp.syntax.source import (
    Change,
    Chunk,
    Item,
    PlacedItem,
    SourceFile,
    known_dialects,
    parse_item,
    parse_source,
    use_dialects,
)
from gpuasync_lsp.syntax.spans import SpanTable

__all__ = [
    "Change",
    "Chunk",
    "ExtensionError",
    "Item",
    "OdsDialect",
    "OpaqueOp",
    "PlacedItem",
    "Problem",
    "SourceFile",
    "SourceLoc",
    "SpanTable",
    "UnknownType",
    "clones",
    "dumped_dialects",
    "installed_dialects",
    "irdl_dialects",
    "is_dump",
    "known_dialects",
    "module_of",
    "parse_item",
    "parse_source",
    "set_source_span",
    "source_span",
    "use_dialects",
]
