"""Insertion, replacement and erasure of single ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

NewOpT = TypeVar("NewOpT", bound=Operation)


def block_of(op: Operation) -> Block:
    """Return the block that contains `op`."""
    assert op.parent is not None, "a rewritten op is in a block"
    return op.parent


def region_of(block: Block) -> Region:
    """Return the region that contains `block`."""
    assert block.parent is not None, "the block of a rewritten op is in a region"
    return block.parent


def insert_before(place: Operation, op: NewOpT) -> NewOpT:
    """Insert `op` before `place`, with the location of `place`; return `op`."""
    op.location = place.location
    block_of(place).insert_op_before(op, place)
    return op


def replace(op: Operation, values: Sequence[SSAValue]) -> bool:
    """Replace the results of `op` with `values`, erase `op`, and return True."""
    for old, new in zip(op.results, values, strict=True):
        old.replace_all_uses_with(new)
    return erase(op)


def erase(op: Operation) -> bool:
    """Erase `op`, whose results must be unused, and return True."""
    op.detach()
    op.erase()
    return True
