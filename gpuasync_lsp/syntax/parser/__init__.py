"""A tolerant MLIR parser on top of xDSL's: it records all locations and recovers from every error.

xDSL stops at the first ParseError and keeps no source ranges. Here an op that cannot be parsed becomes
an `OpaqueOp` with the results, operands, blocks and regions that its text shows, the error becomes a
`Problem`, and parsing continues after it.

Each module is a layer with one task, built on the preceding ones: `tokens` (the position of the parser
and its errors), `known_attributes` (memoized types and symbols), `values` (names and their values),
`regions` (blocks and scopes), `opaque_ops` (the visible parts of ops without a class), `operations`.
"""

from gpuasync_lsp.syntax.parser.operations import CORE_DIALECTS, READ_IN_FULL, TolerantParser
from gpuasync_lsp.syntax.parser.problem import Problem, not_closed
from gpuasync_lsp.syntax.parser.regions import MAX_NESTING

__all__ = ["CORE_DIALECTS", "MAX_NESTING", "READ_IN_FULL", "Problem", "TolerantParser", "not_closed"]
