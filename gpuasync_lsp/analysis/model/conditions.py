"""Constraints that branches put on conditions; they exclude infeasible paths.

Two conditions are related only if they test the same value, its negation by xori, equal operands of a
comparison, or a constant. Other relations are unknown.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Operation, SSAValue

_CONSTANTS = frozenset({"arith.constant", "index.constant", "llvm.mlir.constant"})
_NEGATED = {"ne": "eq", "sge": "slt", "uge": "ult"}
_SWAPPED = {"sgt": "slt", "ugt": "ult"}
_NEGATED_AND_SWAPPED = {"sle": "slt", "ule": "ult"}


class Subject(NamedTuple):
    """What a condition tests: a value (`is`), or a comparison of two values."""

    relation: str
    values: tuple[SSAValue | int, ...]
    """The tested value, or the operands of the comparison.

    Constants are ints, so that equal constants of different ops are equal.
    """


class Test(NamedTuple):
    """A constraint on a subject: it equals `equals`, or, if that is None, differs from all of `others`."""

    subject: Subject
    equals: int | None
    others: frozenset[int] = frozenset()

    def agrees(self, known: Test) -> bool:
        """Return whether this test and `known`, a test of the same subject, can hold together."""
        if self.equals is None:
            return known.equals is None or known.equals not in self.others
        return self.equals == known.equals if known.equals is not None else self.equals not in known.others

    def follows_from(self, known: Test) -> bool:
        """Return whether `known`, a test of the same subject, implies this test."""
        if known.equals is not None:
            return self.agrees(known)
        return self.equals is None and self.others <= known.others

    def with_known(self, known: Test | None) -> Test:
        """Return the conjunction of this test and `known`, a test of the same subject."""
        if known is None or self.equals is not None:
            return self
        return known if known.equals is not None else Test(self.subject, None, self.others | known.others)


def truth(condition: SSAValue, outcome: bool) -> Test | bool:
    """Return the test that the i1 `condition` equals `outcome`; a bool if the condition is constant."""
    for _ in range(100):
        owner = condition.owner
        if not isinstance(owner, Operation):
            break
        if owner.name == "arith.xori":
            flipped = [constant(operand) for operand in owner.operands]
            if flipped[1] is None and flipped[0] is None:
                break
            condition = owner.operands[0 if flipped[1] is not None else 1]
            by = flipped[1] if flipped[1] is not None else flipped[0]
            outcome = outcome is not bool(by)
        elif owner.name == "arith.cmpi":
            return _comparison(owner, outcome)
        else:
            break
    return case(condition, int(outcome))


def is_value(value: SSAValue) -> Subject:
    """Return the subject for a test of `value`, without a comparison."""
    return Subject("is", (value,))


def case(value: SSAValue, number: int | None, others: frozenset[int] = frozenset()) -> Test | bool:
    """Return the test that a value equals `number`, or none of `others` if `number` is None.

    Returns a bool if the value is constant."""
    test = Test(is_value(value), number, others)
    known = constant(value)
    return test if known is None else test.agrees(Test(test.subject, known))


def is_less(low: SSAValue, high: SSAValue, outcome: bool) -> Test | bool:
    """Return the test that the signed comparison `low < high` yields `outcome`; a bool for constants."""
    return compared("slt", low, high, outcome)


def compared(relation: str, a: SSAValue | int, b: SSAValue | int, outcome: bool) -> Test | bool:
    """Return the test that a comparison of two integers yields `outcome`; a bool for constants.

    `relation` is `slt`, `ult` or `eq`."""
    a, b = _number(a), _number(b)
    if isinstance(a, int) and isinstance(b, int):
        if relation == "ult" and (a < 0) is not (b < 0):
            return (b < 0) is outcome
        return (a == b if relation == "eq" else a < b) is outcome
    if relation == "eq":
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int) and not isinstance(a, int):
            return case(a, b) if outcome else case(a, None, frozenset({b}))
    return Test(Subject(relation, (a, b)), int(outcome))


def _number(value: SSAValue | int) -> SSAValue | int:
    if isinstance(value, int):
        return value
    known = constant(value)
    return value if known is None else known


def constant(value: SSAValue) -> int | None:
    """Return the integer of a constant op of any dialect, 0 or 1 for an i1; None for other values."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name not in _CONSTANTS:
        return None
    attribute = owner.properties.get("value")
    if not isinstance(attribute, IntegerAttr):
        return None
    number = attribute.value.data
    return number & 1 if value.type == i1 else number


def _comparison(op: Operation, outcome: bool) -> Test | bool:
    a, b = op.operands
    relation = _predicate(op)
    if relation in _NEGATED:
        relation, outcome = _NEGATED[relation], not outcome
    elif relation in _SWAPPED:
        relation, a, b = _SWAPPED[relation], b, a
    elif relation in _NEGATED_AND_SWAPPED:
        relation, outcome, a, b = _NEGATED_AND_SWAPPED[relation], not outcome, b, a
    return compared(relation, a, b, outcome)


_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def _predicate(op: Operation) -> str:
    number = op.properties["predicate"]
    assert isinstance(number, IntegerAttr)
    return _PREDICATES[number.value.data]
