"""Merging of equal blocks before gpu-to-llvm converts a function (LLVM 21 and later).

Blocks that contain the same ops with different operands become one block with arguments for these operands; a
stream passed as such an argument is treated as an event. Blocks with the same ops and operands become one
block without arguments. The result is computed by lowering a copy of the function, only if it has two similar
blocks. Measured with LLVM 21, 22 and 24.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType


@dataclass(frozen=True)
class Merging:
    """The effect of block merging on one function."""

    leaders: dict[Operation, Operation] = field(default_factory=dict[Operation, Operation])
    """For each erased op, the op that replaces it."""
    operands: dict[tuple[Operation, int], SSAValue] = field(
        default_factory=dict[tuple[Operation, int], SSAValue]
    )
    """Token operands after merging, by op and operand number.

    Each is a result of an op of the function, or a new block argument."""


def merging(function: Operation, profile: Profile, *, structured: bool) -> Merging:
    """Return the effect of merging on `function`, after convert-scf-to-cf if `structured`."""
    # Imported here because it loads all passes, and few functions have similar blocks.
    from gpuasync_lsp.lowering import merged_ops

    copy = function.clone()
    source_of = dict(zip(copy.walk(), function.walk(), strict=True))
    copies = {source: copied for copied, source in source_of.items()}
    merged = merged_ops(ModuleOp([copy]), profile.version, structured=structured)
    leaders = {
        source_of[op]: source_of[leader]
        for op in merged
        if op in source_of and (leader := _last(op, merged)) in source_of
    }
    if not leaders:
        return Merging()
    operands: dict[tuple[Operation, int], SSAValue] = {}
    for source, copied in copies.items():
        stays = _last(copied, merged)
        if stays.parent is None:
            continue
        for number, value in enumerate(stays.operands):
            if not isinstance(value.type, AsyncTokenType):
                continue
            owner = value.owner
            if isinstance(owner, Block):
                operands[source, number] = value
            elif owner in source_of:
                operands[source, number] = source_of[owner].results[owner.results.index(value)]  # pyright: ignore[reportArgumentType]
    return Merging(leaders, operands)


def may_merge(function: Operation, profile: Profile) -> bool:
    """Return whether blocks of `function` may merge, regardless of their operands."""
    return profile.greedy_prepass and not _is_one_block(function) and _has_equal_blocks(function)


def _is_one_block(function: Operation) -> bool:
    """Return whether `function` consists of a single block: a fast path, because nothing can merge."""
    blocks = [block for region in function.regions for block in region.blocks]
    return len(blocks) == 1 and not [op for op in iter(blocks[0].ops) if op.regions]


def _last(op: Operation, merged: dict[Operation, Operation]) -> Operation:
    while op in merged:
        op = merged[op]
    return op


def _has_equal_blocks(function: Operation) -> bool:
    """Return whether two blocks that may merge contain the same sequence of op names and use tokens.

    Blocks may merge if they are in one region, or in two regions of one op, and have the same successors.
    """
    try:
        _runs(function)
    except _Alike:
        return True
    return False


class _Alike(Exception):
    """Raised if two blocks contain the same sequence of op names and may therefore merge."""


def _runs(op: Operation) -> set[tuple[str, ...]]:
    """Return the sequences of op names in the blocks of `op`, split at ops with regions.

    Raises `_Alike` if two blocks that may merge have an equal sequence."""
    found: set[tuple[str, ...]] = set()
    for region in op.regions:
        for block in region.blocks:
            here = _runs_of_block(block)
            if here & found:
                raise _Alike
            found |= here
    return found


def _runs_of_block(block: Block) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    names: list[str] = []
    tokens = False
    for op in block.ops:
        if op.regions:
            if tokens:
                found.add(tuple(names))
            names, tokens = [], False
            found |= _runs(op)
        elif op.name != "arith.constant" and not op.name.endswith(".yield") and not op.successors:
            names.append(op.name)
            tokens = tokens or any(
                isinstance(value.type, AsyncTokenType) for value in (*op.operands, *op.results)
            )
    if tokens:
        found.add(tuple(names))
    return found
