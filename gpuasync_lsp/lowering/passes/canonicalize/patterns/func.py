"""The patterns of the func dialect. Source: mlir/lib/Dialect/Func/IR/FuncOps.cpp."""

from __future__ import annotations

from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns, replace_with
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import func


def _call_directly(call: func.CallIndirectOp, _: Profile) -> bool:
    """Replace a `func.call_indirect` of a func.constant with a direct call."""
    if not isinstance(call.callee.owner, func.ConstantOp):
        return False
    direct = func.CallOp.create(
        operands=call.callee_operands,
        result_types=[result.type for result in call.results],
        properties={"callee": call.callee.owner.value},
        attributes=call.attributes,
    )
    return replace_with(call, direct)


PATTERNS: Patterns = {func.CallIndirectOp: (_call_directly,)}
