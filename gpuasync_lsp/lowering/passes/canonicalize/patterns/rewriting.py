"""Helpers for patterns that insert and replace ops and inline regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.lowering.conversion.edits import block_of, erase, insert_before, replace
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith

Pattern = Callable[[Any, Profile], bool]
"""Tries to rewrite an op of the class under which a table lists the pattern; returns whether it succeeded."""
Patterns = dict[type[Operation], tuple[Pattern, ...]]


def constant_true(place: Operation, value: bool = True) -> SSAValue:
    """Insert an i1 constant before `place`; return it."""
    return insert_before(place, arith.ConstantOp(IntegerAttr(int(value), i1))).results[0]


def replace_with(op: Operation, new: Operation) -> bool:
    """Replace `op` with `new`, and return True."""
    insert_before(op, new)
    return replace(op, new.results)


def end_of(region: Region) -> Operation:
    """Return the terminator of a single-block region."""
    last = region.block.last_op
    assert last is not None, "the block has a terminator"
    return last


def is_well_formed(op: Operation) -> bool:
    """Return whether each block in `op` has a terminator, and each region of a structured op a single block.

    Returns False if the last op of a block is unregistered, or if a pass has split a block."""
    is_structured = op.name.startswith(("affine.", "linalg.", "scf.")) and op.name != "scf.execute_region"
    if is_structured and any(region.first_block is not region.last_block for region in op.regions):
        return False
    ends = (block.last_op for region in op.regions for block in region.blocks)
    return all(end is not None and end.has_trait(IsTerminator, value_if_unregistered=False) for end in ends)


def is_empty(block: Block) -> bool:
    """Return whether `block` contains only its terminator."""
    return block.first_op is block.last_op


def take_out(block: Block, place: Operation, arguments: Sequence[SSAValue] = ()) -> list[SSAValue]:
    """Move the ops of `block`, except its terminator, before `place`; return the terminator's operands.

    `arguments` replace the arguments of the block."""
    for argument, value in zip(block.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    end = block.last_op
    assert end is not None
    target = block_of(place)
    for op in list(block.ops):
        if op is not end:
            op.detach()
            target.insert_op_before(op, place)
    return list(end.operands)


def inline(op: Operation, block: Block, arguments: Sequence[SSAValue] = ()) -> bool:
    """Move the ops of `block`, in a region of `op`, before `op`; replace `op` with the yielded values."""
    return replace(op, take_out(block, op, arguments))


def is_inside(value: SSAValue, regions: Sequence[Region]) -> bool:
    """Return whether `value` is defined in one of `regions`, at any depth."""
    block = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    region = None if block is None else block.parent
    while region is not None:
        if region in regions:
            return True
        parent = region.parent
        region = None if parent is None else parent.parent_region()
    return False


def keep_results(op: Operation, kept: Sequence[int], operands: Sequence[SSAValue]) -> Operation:
    """Replace `op` with one that has only the results in `kept`, and `operands`; return the new op."""
    regions = [op.detach_region(region) for region in list(op.regions)]
    types: list[Attribute] = [op.results[index].type for index in kept]
    new = type(op).create(
        operands=operands,
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=regions,
    )
    insert_before(op, new)
    for index, result in zip(kept, new.results, strict=True):
        op.results[index].replace_all_uses_with(result)
    erase(op)
    return new
