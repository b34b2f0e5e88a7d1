"""Edges of the graph: their conditions, and the values assigned on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.building.tokens import Tokens
from gpuasync_lsp.analysis.model.conditions import Test, case, truth
from gpuasync_lsp.analysis.model.function import Edge, Handle, Kind, Node
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.analysis.model.memory.buffers import Buffer, Place
from gpuasync_lsp.syntax.spans import SpanTable


class When(NamedTuple):
    """The condition of an edge: as `words` for users, and as the constraint `test`.

    `test` is False for an edge that is never taken, and True if the condition is unknown.
    """

    words: str = ""
    test: Test | bool = True

    @property
    def never(self) -> bool:
        """Whether the edge is never taken."""
        return self.test is False

    def edge(self, target: Node, *, back: bool = False) -> Edge:
        """Return an edge to `target` that assigns no values."""
        return Edge(target, self.words, back, test=self.test if isinstance(self.test, Test) else None)


ALWAYS = When()


class Way(NamedTuple):
    """A target node, the values assigned on the edge to it, and whether it begins another iteration."""

    node: Node
    targets: Sequence[SSAValue] = ()
    back: bool = False

    def again(self) -> Way:
        """Return this `Way`, marked as a back edge."""
        return self._replace(back=True)


class Edges:
    """Creates the edges of one function's graph."""

    def __init__(self, tokens: Tokens, memory: Memory) -> None:
        self._tokens = tokens
        self._memory = memory

    def along(self, way: Way, given: Iterable[SSAValue], when: When = ALWAYS) -> Edge:
        """Return an edge along `way` that assigns the values `given` to the targets, if `when` holds."""
        edge = when.edge(way.node, back=way.back)
        self.give(edge, zip(given, way.targets, strict=False))
        return edge

    def give(self, edge: Edge, pairs: Iterable[tuple[SSAValue, SSAValue]]) -> None:
        """Record which opaque handles, memrefs and integers `edge` assigns. `pairs` are (value, target)."""
        passes: list[tuple[Handle, Handle]] = []
        moves: list[tuple[Buffer, Place]] = []
        copies: list[tuple[SSAValue, SSAValue]] = []
        for value, target in pairs:
            if (handle := self._opaque(target)) is not None:
                passes.append((handle, self._tokens.handle(value)))
            elif (name := self._name(target)) is not None and (
                place := self._memory.place(value)
            ) is not None:
                moves.append((name, place))
            elif isinstance(target.type, IntegerType | IndexType):
                copies.append((target, value))
        edge.passes, edge.moves, edge.copies = tuple(passes), tuple(moves), tuple(copies)

    def is_given(self, value: SSAValue) -> bool:
        """Return whether edges record assignments of `value`, whose stream or buffer may differ between
        paths."""
        return self._opaque(value) is not None or self._name(value) is not None

    def choices(self, call: Operation) -> list[tuple[SSAValue, ...]]:
        """Return the possible results of a call that returns some of its operands, one tuple per choice.

        Several results are chosen together, as if by a single branch in the callee.
        """
        chosen = [self._memory.chosen(call, result.index) for result in call.results]
        ways = max(map(len, chosen), default=0)
        return [
            tuple(
                given[way % len(given)] if given else result
                for given, result in zip(chosen, call.results, strict=True)
            )
            for way in range(ways)
        ]

    def _opaque(self, value: SSAValue) -> Handle | None:
        handle = self._tokens.function.tokens.get(value)
        is_own = handle is not None and handle.kind is Kind.OPAQUE and handle.value is value
        return handle if is_own else None

    def _name(self, value: SSAValue) -> Buffer | None:
        place = self._memory.place(value)
        is_own = place is not None and place.buffer.is_name and place.buffer.value is value
        return place.buffer if place is not None and is_own else None


def outcomes(condition: SSAValue, spans: SpanTable) -> tuple[When, When]:
    """Return the conditions under which a branch goes to its true and its false successor."""
    name = spans.value_name(condition)
    return (
        When(f"{name} is true", truth(condition, True)),
        When(f"{name} is false", truth(condition, False)),
    )


def switch_cases(flag: SSAValue, cases: Sequence[int], spans: SpanTable) -> Iterator[When]:
    """Yield the condition of a switch's default case, then of each other case."""
    name = spans.value_name(flag)
    yield When(f"{name} is none of the cases", case(flag, None, frozenset(cases)))
    for number in cases:
        yield When(f"{name} is {number}", case(flag, number, frozenset()))


def successors(branch: Operation, spans: SpanTable) -> Iterator[tuple[Block, When]]:
    """Yield the successors of a branch with their conditions."""
    if branch.name == "cf.cond_br":
        yield from zip(branch.successors, outcomes(branch.operands[0], spans), strict=False)
    elif branch.name == "cf.switch":
        cases: Sequence[int] = ()
        if "case_values" in branch.properties:
            values = cast("DenseIntOrFPElementsAttr[IntegerType]", branch.properties["case_values"])
            cases = tuple(values.get_values())
        yield from zip(branch.successors, switch_cases(branch.operands[0], cases, spans), strict=False)
    else:
        for successor in branch.successors:
            yield successor, ALWAYS
