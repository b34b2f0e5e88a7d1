"""Conditions on induction variables that hold only in a loop's first or last iteration, such as `%i == 0`.

A path on which a first-iteration condition holds has just entered the loop. A path on which a last-iteration
condition holds leaves the loop at the end of the iteration.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from gpuasync_lsp.analysis.model.conditions import Subject, Test
from gpuasync_lsp.analysis.model.function import Edge, Node, Turn
from gpuasync_lsp.analysis.model.memory.linear import Integers, Linear, of_value


class Decided(NamedTuple):
    """Constraints on conditions over a loop's induction variable, for one edge of the loop."""

    requires: tuple[Test, ...] = ()
    """Tests that hold in the iteration that the edge ends."""
    begins: tuple[Test, ...] = ()
    """Tests that hold in the iteration that the edge begins."""


class Loops(NamedTuple):
    """Constraints on the conditions in a function's loops."""

    decided: dict[Edge, Decided]
    made: dict[SSAValue, Node]
    """Values that depend on an induction variable, each with the first node of the loop's body."""


def decided_by_loops(nodes: Iterable[Node], subjects: Iterable[Subject]) -> Loops:
    """Return constraints for the edges of scf.for loops on `subjects`, which branches in `nodes` test."""
    edges: dict[SSAValue, dict[Turn, Edge]] = {}
    for node in nodes:
        for edge in node.edges:
            if edge.iteration is not None and edge.iteration[0].name == "scf.for":
                loop, turn = edge.iteration
                edges.setdefault(loop.regions[0].blocks[0].args[0], {})[turn] = edge
    found = Loops({}, {})
    if not edges:
        return found
    numbers = Integers()
    for subject in subjects:
        difference = _difference(subject, numbers)
        counters = [v for v, _ in difference.terms if v in edges] if difference is not None else []
        if difference is None or len(counters) != 1:
            continue
        loop = _Loop.of(counters[0], numbers)
        outcomes = loop.outcomes(subject, difference) if loop is not None else None
        turns = edges[counters[0]]
        if outcomes is None or Turn.FIRST not in turns:
            continue
        for turn, requires, begins in (
            (Turn.FIRST, None, outcomes.first),
            (Turn.NEXT, outcomes.not_last, outcomes.later),
            (Turn.END, outcomes.last, None),
        ):
            if (edge := turns.get(turn)) is not None:
                known = found.decided.get(edge, Decided())
                found.decided[edge] = Decided(
                    known.requires + ((requires,) if requires is not None else ()),
                    known.begins + ((begins,) if begins is not None else ()),
                )
        body = turns[Turn.FIRST].target
        for value in subject.values:
            if isinstance(value, SSAValue) and any(v is counters[0] for v, _ in numbers.read(value).terms):
                found.made[value] = body
    return found


def _difference(subject: Subject, numbers: Integers) -> Linear | None:
    """Return the linear expression that decides `subject`: the tested value, or the difference of the
    operands.

    A comparison holds if the difference is 0 (`eq`) or negative (`slt`, `ult`). None if neither."""
    sums = [numbers.read(v) if isinstance(v, SSAValue) else Linear(v) for v in subject.values]
    if subject.relation == "is":
        return sums[0]
    if subject.relation == "ult" and all(each.terms or each.constant < 0 for each in sums):
        return None  # Of a constant and a value, `_Loop.outcomes` checks whether the value may be negative.
    return sums[0].minus(sums[1])


class _Outcomes(NamedTuple):
    """The test of a subject that holds in each kind of iteration (first, later, last, not last), or None."""

    first: Test | None
    later: Test | None
    last: Test | None
    not_last: Test | None


class _Loop(NamedTuple):
    """A loop with the first value of its induction variable, and the last value if it is known."""

    counter: SSAValue
    first: Linear
    last: Linear | None
    step: int

    @classmethod
    def of(cls, counter: SSAValue, numbers: Integers) -> _Loop | None:
        owner = counter.owner
        loop = owner.parent_op() if isinstance(owner, Block) else None
        if loop is None:
            return None
        low, high, by = (numbers.read(bound) for bound in loop.operands[:3])
        if by.terms or by.constant < 1:
            return None
        length = high.minus(low)
        if by.constant == 1:
            last: Linear | None = high.minus(Linear(1))
        elif not length.terms:
            last = low.plus(Linear((length.constant - 1) // by.constant * by.constant))
        else:
            last = None
        return cls(counter, low, last, by.constant)

    def outcomes(self, subject: Subject, difference: Linear) -> _Outcomes | None:
        """Return the tests of `subject` per iteration, given its `difference`; None if all are unknown."""
        factor = next(f for value, f in difference.terms if value is self.counter)
        if subject.relation == "ult" and not self._is_counter_against_number(subject):
            return None
        rest = difference.minus(of_value(self.counter).times(factor))
        first = rest.plus(self.first.times(factor))
        last = rest.plus(self.last.times(factor)) if self.last is not None else None
        step = factor * self.step
        found = _Outcomes(
            *_at(subject, first, step),
            *(_at(subject, last, -step) if last is not None else (None, None)),
        )
        return found if any(found) else None

    def _is_counter_against_number(self, subject: Subject) -> bool:
        """Return whether the subject compares the induction variable with a constant, both nonnegative."""
        others = [v for v in subject.values if v is not self.counter]
        numbers = [v for v in others if isinstance(v, int) and v >= 0]
        return len(others) == len(numbers) == 1 and not self.first.terms and self.first.constant >= 0


def _at(subject: Subject, number: Linear, step: int) -> tuple[Test | None, Test | None]:
    """Return the tests that hold if the difference is `number`, and after one or more further steps."""
    if number.terms:
        return None, None
    value = number.constant
    if subject.relation == "is":
        return Test(subject, value), Test(subject, None, frozenset({value}))
    if subject.relation == "eq":
        return Test(subject, int(value == 0)), Test(subject, 0) if value == 0 else None
    further = value + step
    if step > 0:
        return Test(subject, int(value < 0)), Test(subject, 0) if further >= 0 else None
    return Test(subject, int(value < 0)), Test(subject, 1) if further < 0 else None
