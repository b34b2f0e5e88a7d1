"""Parses the custom assembly of ops according to its format; like MLIR's parsers, it then resolves types."""

from gpuasync_lsp.syntax.ods.parts import Parts
from gpuasync_lsp.syntax.ods.reading.attributes import array_type
from gpuasync_lsp.syntax.ods.reading.custom import DYNAMIC, in_parentheses
from gpuasync_lsp.syntax.ods.reading.inference import Reading, transformed
from gpuasync_lsp.syntax.ods.reading.supported import supports

__all__ = [
    "DYNAMIC",
    "Parts",
    "Reading",
    "array_type",
    "in_parentheses",
    "supports",
    "transformed",
]
