"""scf: loops in parallel, how they end, and what is mapped to devices (SCF.cpp)."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View, elements
from gpuasync_lsp.syntax.kinds import is_integer_attr
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import attribute_text

_MASK = re.compile(r"#gpu\.(?:mask|thread_mask|warp_mask|block_mask)\b")
_COMBINES = frozenset({"tensor.parallel_insert_slice"})


def _if(view: View) -> str | None:
    for index, region in enumerate(view.op.regions):
        if any(block.args for block in region.blocks):
            return f"region #{index} should have no arguments"
    return None


def _parallel(view: View) -> str | Refusal | None:
    steps = view.values("step")
    if not steps:
        return "needs at least one tuple element for lowerBound, upperBound and step"
    if any(number is not None and number <= 0 for number in map(_constant, steps)):
        return "constant step operand must be positive"
    block = view.block()
    if not all(isinstance(argument.type, IndexType) for argument in block.args):
        return "expects arguments for the induction variable to be of index type"
    last = block.last_op
    if last is None or isinstance(last, OpaqueOp):
        raise NotKnown
    # An scf.parallel of former releases has its scf.reduce anywhere and ends in scf.yield.
    if last.name != "scf.reduce":
        words = "expects body to terminate with 'scf.reduce'"
        if last.name == "scf.yield" and not last.operands:
            return Refusal(words, 18)
        return Refusal(words, 18, earlier="expects body to terminate with 'scf.yield'")
    return None


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return None
    number = owner.properties.get("value")
    return number.value.data if is_integer_attr(number) else None


def _reduce(view: View) -> str | Refusal | None:
    regions, operands = len(view.op.regions), len(view.op.operands)
    if regions != operands:
        given = f"reduction regions: {regions} to be the same as number of reduction operands: {operands}"
        return Refusal(f"expects number of {given}", 22)
    for region in view.op.regions:
        last = _last(region)
        if last.name != "scf.reduce.return":
            return "reduction bodies must be terminated with an 'scf.reduce.return' op"
    return None


def _last(region: Region) -> Operation:
    block = region.blocks.first
    if block is None or block.last_op is None or isinstance(block.last_op, OpaqueOp):
        raise NotKnown
    return block.last_op


_END_OF_FORALL = "scf.forall.in_parallel"


def _forall(view: View) -> str | None:
    last = _last(view.op.regions[0])
    if last.name != _END_OF_FORALL:
        return f"expects regions to end with '{_END_OF_FORALL}', found '{last.name}'"
    rank, outputs = len(view.integers("staticUpperBound")), view.values("outputs")
    block = view.block()
    if len(view.op.results) != len(outputs):
        return f"produces {len(view.op.results)} results, but has only {len(outputs)} outputs"
    for index, argument in enumerate(block.args[:rank]):
        if not isinstance(argument.type, IndexType):
            return f"expects {index}-th block argument to be an index"
    for index, (argument, type) in enumerate(zip(block.args[rank:], view.types("outputs"), strict=True)):
        if argument.type != type:
            return f"type mismatch between {index}-th output and corresponding block argument"
    mapping = view.attribute("mapping")
    return None if mapping is None else _mapping(mapping, rank)


def _mapping(mapping: Attribute, rank: int) -> str | None:
    masks = [_MASK.match(attribute_text(each)) is not None for each in elements(mapping)]
    if not masks:
        return None
    if len(masks) - sum(masks) != rank:
        return "mapping attribute size must match op rank"
    return '"mapping" supports at most one device masking attribute' if sum(masks) > 1 else None


def _in_parallel(view: View) -> str | Refusal | None:
    parent = view.op.parent_op()
    for op in view.block().ops:
        if isinstance(op, OpaqueOp):
            raise NotKnown
        if op.name not in _COMBINES:
            earlier = "expected only tensor.parallel_insert_slice ops"
            return Refusal("expected only ParallelCombiningOpInterface ops", 22, earlier=earlier)
        target = op.operands[1]
        if not isinstance(target, BlockArgument) or target.block.parent_op() is not parent:
            return Refusal("may only insert into an output block argument", at=op)
    return None


CHECKS = {
    "scf.forall": _forall,
    "scf.forall.in_parallel": _in_parallel,
    "scf.if": _if,
    "scf.parallel": _parallel,
    "scf.reduce": _reduce,
}
