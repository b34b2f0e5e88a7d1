"""A tolerant MLIR parser on top of xDSL's: it records all places and survives every error.

xDSL stops at the first ParseError and keeps no source ranges. Here an op that cannot be read becomes an
`OpaqueOp` with the results, operands, blocks and regions that its text shows, the error becomes a `Problem`,
and parsing goes on after it.

Each file is a layer that knows one thing and builds on those before it: `tokens` (where the parser is and its
errors),
`known_attributes` (types and symbols met before), `values` (names and what they
stand for), `regions` (blocks and scopes), `opaque_ops` (what the text shows of ops that no class reads),
`operations`.
"""

from gpuasync_lsp.syntax.parser.operations import CORE_DIALECTS, READ_IN_FULL, TolerantParser
from gpuasync_lsp.syntax.parser.problem import Problem, not_closed
from gpuasync_lsp.syntax.parser.regions import MAX_NESTING

__all__ = ["CORE_DIALECTS", "MAX_NESTING", "READ_IN_FULL", "Problem", "TolerantParser", "not_closed"]
