"""The patterns of the bufferization dialect.

Source: mlir/lib/Dialect/Bufferization/IR/BufferizationOps.cpp.
"""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.edits import erase
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import bufferization


def _erase_empty(op: Operation, _: Profile) -> bool:
    """Erase a bufferization.dealloc without operands."""
    return not op.operands and erase(op)


PATTERNS: Patterns = {bufferization.DeallocOp: (_erase_empty,)}
