"""The patterns of the linalg dialect. Source: mlir/lib/Dialect/Linalg/IR/LinalgOps.cpp."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import erase, replace
from gpuasync_lsp.lowering.passes.canonicalize.patterns.rewriting import Patterns, end_of, is_empty
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import linalg
from gpuasync_lsp.syntax.dialects.assembly import integers


def _erase_identity(generic: linalg.GenericOp, profile: Profile) -> bool:
    """Erase a linalg.generic without effect.

    On tensors it yields its operands; on buffers it copies one buffer to itself. Through LLVM 20 such
    an op is erased even if it writes a different value."""
    body = generic.regions[0].block
    maps = generic.indexing_maps.data
    if not generic.results and _writes_what_it_reads(generic):
        yielded = end_of(generic.regions[0]).operands[0]
        stays = isinstance(yielded, BlockArgument) and yielded.block is body
        if not is_empty(body) or not (stays or profile.erases_writes_of_one_buffer):
            return False
        return replace(generic, [])
    if not generic.results or len(generic.results) != len(generic.outputs) or not is_empty(body):
        return False
    if any(map != maps[0] for map in maps):
        return False
    values: list[SSAValue] = []
    for value, result in zip(end_of(generic.regions[0]).operands, generic.results, strict=True):
        if not isinstance(value, BlockArgument) or value.block is not body:
            return False
        operand = generic.operands[value.index]
        if operand.type != result.type:
            return False
        values.append(operand)
    return replace(generic, values)


def _writes_what_it_reads(generic: linalg.GenericOp) -> bool:
    """Return whether the op reads and writes a single buffer, element by element."""
    if len(generic.inputs) != 1 or len(generic.outputs) != 1 or generic.inputs[0] is not generic.outputs[0]:
        return False
    return isinstance(generic.inputs[0].type, MemRefType) and len(set(generic.indexing_maps.data)) == 1


def drop_identity_transpose(op: Operation, profile: Profile) -> bool:
    """Erase a transposition of buffers with the identity permutation, in releases that fold it."""
    order = integers(cast(linalg.TransposeOp, op).permutation)
    if not profile.drops_identity_transposes or op.results or order != tuple(range(len(order))):
        return False
    erase(op)
    return True


PATTERNS: Patterns = {
    linalg.GenericOp: (_erase_identity,),
    linalg.TransposeOp: (drop_identity_transpose,),
}
