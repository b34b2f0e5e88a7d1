"""Forwarding of values inside a function: branches, region yields, loops, selects."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import BlockArgument, Operation, Region, SSAValue

LOOPS = frozenset({"scf.for", "scf.parallel", "scf.forall", "affine.for", "affine.parallel"})
CARRYING = LOOPS | {"scf.if", "affine.if", "scf.while", "scf.index_switch", "scf.execute_region"}
"""Ops whose results are assigned by the terminators of their regions."""
PASSING = frozenset({"cf.br", "cf.cond_br", "cf.switch", "scf.yield", "scf.condition", "arith.select"})
"""Ops that forward tokens to other values of the function."""
_YIELDS = frozenset({"scf.yield", "affine.yield", "scf.reduce", "scf.forall.in_parallel"})


def branch_pairs(op: Operation, which: int | None = None) -> Iterable[tuple[SSAValue, BlockArgument]]:
    """Yield pairs of (operand, block argument) of a branch, for successor `which` or for all successors."""
    values = list(op.operands)
    at = {"cf.br": 0, "cf.cond_br": 1, "cf.switch": 1}.get(op.name)
    if at is None:
        return
    for number, successor in enumerate(op.successors):
        for argument in successor.args:
            if at < len(values) and which in (None, number):
                yield values[at], argument
            at += 1


def _yields(op: Operation) -> list[Operation]:
    found: list[Operation] = []
    for region in op.regions:
        for block in region.blocks:
            last = block.last_op
            if last is not None and last.name in _YIELDS:
                found.append(last)
    return found


def region_values(op: Operation, number: int) -> Iterable[SSAValue]:
    """Yield the values that may flow into result `number` of a structured op."""
    if op.name == "scf.while":
        last = _end(op.regions[0])
        if last is not None and number + 1 < len(last.operands):
            yield last.operands[number + 1]
        return
    for last in _yields(op):
        if number < len(last.operands):
            yield last.operands[number]
    if op.name in LOOPS and (initial := _initial(op, number)) is not None:
        yield initial


def region_arguments(op: Operation, region: Region, number: int) -> Iterable[SSAValue]:
    """Yield the values that may flow into argument `number` of a structured op's region."""
    if op.name == "scf.while":
        if region is op.regions[0]:
            if number < len(op.operands):
                yield op.operands[number]
            last = _end(op.regions[1])
            if last is not None and number < len(last.operands):
                yield last.operands[number]
        else:
            last = _end(op.regions[0])
            if last is not None and number + 1 < len(last.operands):
                yield last.operands[number + 1]
    elif op.name in LOOPS:
        carried = number - (len(region.blocks[0].args) - len(op.results))
        if carried >= 0:
            initial = _initial(op, carried)
            if initial is not None:
                yield initial
            for last in _yields(op):
                if carried < len(last.operands):
                    yield last.operands[carried]


def _end(region: Region) -> Operation | None:
    """Return the terminator of a region; None if the region is incomplete."""
    return region.blocks[-1].last_op if region.blocks else None


def _initial(op: Operation, number: int) -> SSAValue | None:
    at = len(op.operands) - len(op.results) + number
    return op.operands[at] if 0 <= at < len(op.operands) else None


def targets(op: Operation, index: int, value: SSAValue) -> list[SSAValue] | None:
    """Return the values that operand `index` of a forwarding op flows into; None for any other op.

    Returns an empty list if the operand is not forwarded, like the condition of a branch.
    """
    if op.name == "arith.select":
        return list(op.results) if index else []
    if op.successors:
        return [argument for given, argument in branch_pairs(op) if given is value]
    parent = op.parent_op()
    if op.name in ("scf.yield", "affine.yield", "scf.condition") and parent is not None:
        found: list[SSAValue] = []
        for result in parent.results:
            if any(given is value for given in region_values(parent, result.index)):
                found.append(result)
        return found + _arguments(parent, value)
    if op.name in CARRYING:
        return _arguments(op, value) + [
            r for r in op.results if any(given is value for given in region_values(op, r.index))
        ]
    return None


def _arguments(op: Operation, value: SSAValue) -> list[SSAValue]:
    return [
        argument
        for region in op.regions
        if region.blocks
        for argument in region.blocks[0].args
        if any(given is value for given in region_arguments(op, region, argument.index))
    ]
