"""Guards: conditions of a function's effects in terms of its arguments, which callers evaluate.

A guard is a conjunction of tests of arguments and constants. An effect has no guard if it depends on anything
else: a load, an iteration of a loop, a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import IndexType, IntegerType, i1
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from gpuasync_lsp.analysis.model.conditions import Test, case, compared, constant, truth
from gpuasync_lsp.analysis.model.passing import branch_pairs
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.effects import ALIASES, PARTS

_MOST = 4
"""The maximum number of tests in a guard."""
_STEPS = 100
"""The maximum number of blocks or values that are followed backwards."""
_MADE = frozenset({"gpu.alloc", "memref.alloc", "memref.get_global"})


class Argument(NamedTuple):
    """An argument of a function, by number."""

    number: int


class ArgumentTest(NamedTuple):
    """A constraint on arguments: the subject equals `equals`, or, if that is None, is in none of `others`."""

    relation: str
    """`is` for a test of one term, or the comparison of two; see `conditions.Subject`."""
    terms: tuple[Argument | int, ...]
    equals: int | None
    others: frozenset[int] = frozenset()

    def negated(self) -> ArgumentTest | None:
        """Return the negated test; None if several tests are needed to express it."""
        if self.equals is not None and self.relation == "is":
            return self._replace(equals=None, others=frozenset({self.equals}))
        if self.equals is not None:
            return self._replace(equals=1 - self.equals)
        return self._replace(equals=min(self.others), others=frozenset()) if len(self.others) == 1 else None

    def of_caller(self, given: Sequence[SSAValue]) -> Test | bool:
        """Return this test in terms of a caller: the operands `given` replace the arguments.

        Returns True if the test cannot be expressed in these terms."""
        terms: list[SSAValue | int] = []
        for term in self.terms:
            if isinstance(term, Argument) and term.number >= len(given):
                return True
            terms.append(given[term.number] if isinstance(term, Argument) else term)
        first = terms[0]
        if self.relation != "is":
            return compared(self.relation, first, terms[1], self.equals == 1)
        if isinstance(first, int):
            return self.holds_of(first)
        if first.type == i1:
            return truth(first, self.holds_of(1))
        return case(first, self.equals, self.others)

    def holds_of(self, number: int) -> bool:
        """Return whether the test of a single value holds if the value is `number`."""
        return number == self.equals if self.equals is not None else number not in self.others

    def words(self, given: Sequence[SSAValue], names: Sequence[str]) -> str:
        """Describe this test to users; the operands `given` of a call and their `names` replace the
        arguments."""
        if any(isinstance(term, Argument) and term.number >= len(given) for term in self.terms):
            return ""
        first, *rest = (names[t.number] if isinstance(t, Argument) else str(t) for t in self.terms)
        if self.relation == "is":
            term = self.terms[0]
            if isinstance(term, Argument) and given[term.number].type == i1:
                return f"{first} is {str(self.holds_of(1)).lower()}"
            if self.equals is not None:
                return f"{first} is {self.equals}"
            return f"{first} is not {' or '.join(map(str, sorted(self.others)))}"
        if self.relation == "eq":
            return f"{first} is {'' if self.equals else 'not '}{rest[0]}"
        if isinstance(self.terms[0], int):
            return f"{rest[0]} {'>' if self.equals else '<='} {first}"
        return f"{first} {'<' if self.equals else '>='} {rest[0]}"


Guard = tuple[ArgumentTest, ...]
ALWAYS: Guard = ()
Given = Argument | int | ArgumentTest | None
"""An operand of a call in terms of the caller's arguments; None if that is impossible."""


def both(one: Guard | None, other: Guard | None) -> Guard | None:
    """Return the conjunction of two guards; None if one of them is unknown, or the result too long."""
    if one is None or other is None:
        return None
    found = tuple(dict.fromkeys((*one, *other)))
    return found if len(found) <= _MOST else None


def passed_on(guard: Guard, given: Sequence[Given]) -> Guard | bool:
    """Rewrite a callee's guard in terms of its caller's arguments; `given` are the operands of the call.

    Returns False if the guard never holds, True if it is unknown whether it holds.
    """
    found: list[ArgumentTest] = []
    for test in guard:
        if any(isinstance(t, Argument) and t.number >= len(given) for t in test.terms):
            return True
        terms = [given[t.number] if isinstance(t, Argument) else t for t in test.terms]
        first = terms[0]
        if test.relation == "is" and isinstance(first, int):
            if not test.holds_of(first):
                return False
        elif test.relation == "is" and isinstance(first, ArgumentTest):
            inner = first if test.holds_of(1) else first.negated()
            if inner is None:
                return True
            found.append(inner)
        elif all(isinstance(term, Argument | int) for term in terms):
            found.append(test._replace(terms=cast("tuple[Argument | int, ...]", tuple(terms))))
        else:
            return True
    return tuple(found)


class Guards:
    """Computes the guards of one function's ops and values."""

    def __init__(self, function: Operation) -> None:
        self._region = function.regions[0]
        self._entry = self._region.blocks[0]
        self._known: dict[Block, Guard | None] = {self._entry: ALWAYS}
        self._branches: dict[Block, list[tuple[Operation, int]]] = {}
        """Per block, the branches to it, each with the successor's number."""
        self._returns_test = False
        """Whether the function returns an integer that may depend on its conditions; if so, nothing has a
        guard."""
        for block in self._region.blocks:
            last = block.last_op
            if last is None:
                continue
            for number, successor in enumerate(last.successors):
                self._branches.setdefault(successor, []).append((last, number))
            if last.name == "func.return":
                self._returns_test |= any(isinstance(v.type, IntegerType | IndexType) for v in last.operands)

    def of(self, op: Operation) -> Guard | None:
        """Return the condition under which a call executes `op` exactly once; None if unknown."""
        guard: Guard | None = ALWAYS
        block = op.parent
        for _ in range(_STEPS):
            if block is None or guard is None:
                return None
            if block.parent is self._region:
                return both(self._of_block(block), guard)
            parent = block.parent_op()
            if parent is None:
                return None
            guard = self._with(_of_region(parent, block), guard)
            block = parent.parent
        return None

    def each(self, memref: SSAValue) -> list[tuple[SSAValue, Guard]] | None:
        """Return the arguments and allocations that `memref` may be or alias, each with its guard.

        Returns None if one of them is unknown.
        """
        found: list[tuple[SSAValue, Guard]] = []
        work: list[tuple[SSAValue, Guard | None]] = [(memref, ALWAYS)]
        for _ in range(_STEPS):
            if not work:
                return found
            value, guard = work.pop()
            ways = self._behind(value)
            if guard is None or ways is None:
                return None
            if not ways:
                found.append((value, guard))
            work += [(other, both(way, guard)) for other, way in ways]
        return None

    def given(self, value: SSAValue) -> Given:
        """Return the integer `value` in terms of the function's arguments; None if that is impossible."""
        if (term := self._term(value)) is not None or value.type != i1:
            return term
        test = truth(value, True)
        return self._argument_test(test) if isinstance(test, Test) else int(test)

    def _behind(self, value: SSAValue) -> list[tuple[SSAValue, Guard | None]] | None:
        """Return the values that flow into `value`, with guards; an empty list for an argument or allocation.

        Returns None if they are unknown."""
        owner = value.owner
        if isinstance(owner, Block):
            if owner is self._entry:
                return []
            if owner.parent is not self._region:
                return None
            branches = self._branches.get(owner, ())
            pairs = [(self._along(b, n), v, a) for b, n in branches for v, a in branch_pairs(b, n)]
            return [(given, way) for way, given, argument in pairs if argument is value]
        if owner.name in ALIASES or owner.name in PARTS:
            return [(owner.operands[0], ALWAYS)]
        if owner.name == "arith.select":
            given = owner.operands[1:]
        elif owner.name == "scf.if" and isinstance(value, OpResult) and all(r.blocks for r in owner.regions):
            last = [region.blocks[-1].last_op for region in owner.regions]
            given = [op.operands[value.index] for op in last if op is not None and op.name == "scf.yield"]
        else:
            return [] if owner.name in _MADE else None
        condition = owner.operands[0]
        outcomes = zip(given, (True, False), strict=False)
        return [(v, self._with(truth(condition, outcome), ALWAYS)) for v, outcome in outcomes]

    def _of_block(self, block: Block) -> Guard | None:
        """Return the condition under which a call executes `block` exactly once; None if unknown."""
        if block not in self._known:
            self._known[block] = None  # Ends the recursion for a cycle.
            branches = self._branches.get(block, ())
            if len(self._region.blocks) > _STEPS:
                found = None
            elif len(branches) == 1:
                found = self._along(*branches[0])
            else:
                found = ALWAYS if self._is_on_every_path(block) else None
            self._known[block] = found
        return self._known[block]

    def _along(self, branch: Operation, number: int) -> Guard | None:
        """Return the condition under which control reaches `branch` and takes successor `number`; None if
        unknown."""
        above = self._of_block(branch.parent) if branch.parent is not None else None
        if branch.name == "cf.cond_br" and branch.successors[0] is not branch.successors[1]:
            return self._with(truth(branch.operands[0], number == 0), above)
        return above if branch.name == "cf.br" else None

    def _is_on_every_path(self, block: Block) -> bool:
        """Return whether every path through the function executes `block` exactly once."""
        last = block.last_op
        behind = reached_from(last.successors if last is not None else (), block)
        without = reached_from([self._entry], block)
        ends = any(each.last_op is None or not each.last_op.successors for each in without - {block})
        return block not in behind and not ends

    def _with(self, test: Test | bool | None, guard: Guard | None) -> Guard | None:
        if test is None or test is False:
            return None
        argument_test = self._argument_test(test) if isinstance(test, Test) else None
        return guard if test is True else both(guard, (argument_test,) if argument_test is not None else None)

    def _argument_test(self, test: Test) -> ArgumentTest | None:
        terms = [v if isinstance(v, int) else self._term(v) for v in test.subject.values]
        known = tuple(term for term in terms if term is not None)
        if self._returns_test or len(known) < len(terms):
            return None
        return ArgumentTest(test.subject.relation, known, test.equals, test.others)

    def _term(self, value: SSAValue) -> Argument | int | None:
        if isinstance(value, BlockArgument) and value.owner is self._entry:
            return Argument(value.index)
        return constant(value)


def reached_from(blocks: Sequence[Block], end: Block | None = None) -> set[Block]:
    """Return `blocks` and all blocks reachable from them, without passing through `end`."""
    work, seen = list(blocks), set[Block]()
    while work:
        block = work.pop()
        if block not in seen:
            seen.add(block)
            work += block.last_op.successors if block.last_op is not None and block is not end else ()
    return seen


def _of_region(op: Operation, block: Block) -> Test | bool | None:
    """Return the test under which `op` executes `block`, the only block of a region; None if unknown."""
    number = next(n for n, region in enumerate(op.regions) if region is block.parent)
    if len(op.regions[number].blocks) != 1:
        return None
    if op.name == "scf.if":
        return truth(op.operands[0], number == 0)
    if op.name == "scf.index_switch":
        cases = integers(op.properties["cases"])
        return (
            case(op.operands[0], cases[number - 1])
            if number
            else case(op.operands[0], None, frozenset(cases))
        )
    return True if op.name in ("scf.execute_region", "memref.alloca_scope") else None
