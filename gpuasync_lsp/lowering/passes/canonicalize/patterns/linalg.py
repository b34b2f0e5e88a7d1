"""The patterns of the linalg dialect. Source: mlir/lib/Dialect/Linalg/IR/LinalgOps.cpp."""

from __future__ import annotations

from typing import cast

from xdsl.ir import BlockArgument, Operation, SSAValue

from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns, end_of, is_empty, replace
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects import linalg
from gpuasync_lsp.syntax.dialects.assembly import integers


def _erase_identity(op: Operation, _: Profile) -> bool:
    """A linalg.generic of tensors that yields its operands as they are."""
    generic = cast(linalg.GenericOp, op)
    body = op.regions[0].block
    maps = generic.indexing_maps.data
    if not op.results or len(op.results) != len(generic.outputs) or not is_empty(body):
        return False
    if any(map != maps[0] for map in maps):
        return False
    values: list[SSAValue] = []
    for value, result in zip(end_of(op.regions[0]).operands, op.results, strict=True):
        if not isinstance(value, BlockArgument) or value.block is not body:
            return False
        operand = op.operands[value.index]
        if operand.type != result.type:
            return False
        values.append(operand)
    return replace(op, values)


def drop_identity_transpose(op: Operation, profile: Profile) -> bool:
    """Erase a transpose of buffers that moves no dimension, where a release folds it to nothing."""
    order = integers(cast(linalg.TransposeOp, op).permutation)
    if not profile.drops_identity_transposes or op.results or order != tuple(range(len(order))):
        return False
    op.detach()
    op.erase()
    return True


PATTERNS: Patterns = {
    linalg.GenericOp: (_erase_identity,),
    linalg.TransposeOp: (drop_identity_transpose,),
}
