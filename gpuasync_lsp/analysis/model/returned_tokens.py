"""Finds the streams of the tokens that functions return, following branches, loops and calls.

`trace` analyzes one body; `resolve` resolves callees after all functions of a module have been traced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from gpuasync_lsp.analysis.model.cycles import strongly_connected
from gpuasync_lsp.analysis.model.memory.places import incoming
from gpuasync_lsp.analysis.model.symbols import arguments_of, callee_of
from gpuasync_lsp.analysis.model.terms import Origin
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.xdsl_speed import operands_of

Token = Origin | int
"""The origin of a token: its kind, or the number of a function argument."""

_MOST = 200
"""The maximum number of values that are followed backwards in one function."""


class Sources(NamedTuple):
    """The possible sources of a token."""

    tokens: frozenset[Token] = frozenset()
    calls: frozenset[int] = frozenset()
    """The calls that may return the token, as indices into `Traces.calls`."""


class TracedCall(NamedTuple):
    """A call that returns a token, with the sources of its arguments."""

    callee: str
    result: int
    arguments: tuple[Sources, ...]


class Traces(NamedTuple):
    """The sources of a function's returned tokens before callees are resolved."""

    results: tuple[Sources, ...] = ()
    """The sources of each result; UNKNOWN for a result that is not a token."""
    calls: tuple[TracedCall, ...] = ()


NO_TOKENS = Traces()
"""The traces of a function that returns no tokens."""


def trace(function: Operation, returns: Iterable[Operation]) -> Traces:
    """Return the sources of the tokens that `function` returns; `returns` are its func.returns."""
    tracer = _Tracer(function)
    found: list[Sources] = []
    for number, op in enumerate(returns):
        here = [tracer.sources(value) for value in op.operands]
        if number == 0:
            found = here
        else:
            found = [
                Sources(a.tokens | b.tokens, a.calls | b.calls) for a, b in zip(found, here, strict=False)
            ]
    return Traces(tuple(found), tracer.calls())


def resolve(traces: Mapping[str, Traces]) -> dict[str, tuple[Token, ...]]:
    """Return, per function, the origin of each result; UNKNOWN if the origin differs between paths."""
    found: dict[str, tuple[Token, ...]] = {}
    for cycle in strongly_connected({name: [call.callee for call in t.calls] for name, t in traces.items()}):
        # Calls between functions of one recursive cycle return unknown tokens.
        joined = {name: _joined(traces[name], found) for name in cycle}
        found.update(joined)
    return found


def _joined(traces: Traces, known: Mapping[str, tuple[Token, ...]]) -> tuple[Token, ...]:
    return tuple(_one(sources, traces.calls, known) for sources in traces.results)


def _one(sources: Sources, calls: tuple[TracedCall, ...], known: Mapping[str, tuple[Token, ...]]) -> Token:
    tokens: set[Token] = set()
    work, seen = [sources], set[int]()
    while work:
        here = work.pop()
        tokens |= here.tokens
        for number in here.calls - seen:
            seen.add(number)
            call = calls[number]
            returned = known.get(call.callee, ())
            token = returned[call.result] if call.result < len(returned) else Origin.UNKNOWN
            if isinstance(token, Origin):
                tokens.add(token)
            elif token < len(call.arguments):
                work.append(call.arguments[token])
            else:
                tokens.add(Origin.UNKNOWN)
    return tokens.pop() if len(tokens) == 1 else Origin.UNKNOWN


class _Tracer:
    """Follows tokens of one function back to their sources."""

    def __init__(self, function: Operation) -> None:
        self._function = function
        self._entry = function.regions[0].blocks[0]
        self._numbers: dict[OpResult, int] = {}
        """The call results found so far, with their indices into `Traces.calls`."""
        self._steps = 0

    def sources(self, value: SSAValue) -> Sources:
        """Return the possible sources of the token `value`."""
        if not isinstance(value.type, AsyncTokenType):
            return Sources(frozenset({Origin.UNKNOWN}))
        tokens: set[Token] = set()
        calls: set[int] = set()
        work, seen = [value], {value}
        while work:
            here = work.pop()
            self._steps += 1
            if self._steps > _MOST:
                return Sources(frozenset({Origin.UNKNOWN}))
            owner = here.owner
            if isinstance(owner, Operation) and owner.name.startswith("gpu."):
                before = depends_on(owner)
                if before is None:
                    tokens.add(made_by(owner))
                    continue
                given = [before]
            elif isinstance(owner, Operation) and callee_of(owner) is not None and isinstance(here, OpResult):
                calls.add(self._numbers.setdefault(here, len(self._numbers)))
                continue
            elif isinstance(owner, Operation) and owner.name == "async.await":
                tokens.add(Origin.EVENT)
                continue
            elif isinstance(owner, Block) and owner is self._entry and isinstance(here, BlockArgument):
                tokens.add(here.index)
                continue
            else:
                given = incoming(here, self._function)
                if not given:
                    tokens.add(Origin.UNKNOWN)
            work += [each for each in given if each not in seen]
            seen.update(given)
        return Sources(frozenset(tokens), frozenset(calls))

    def calls(self) -> tuple[TracedCall, ...]:
        """Return the calls found so far, including calls that return their arguments."""
        found: list[TracedCall] = []
        while len(found) < len(self._numbers):
            result = list(self._numbers)[len(found)]
            callee = callee_of(result.op)
            assert callee is not None
            arguments = tuple(self.sources(value) for value in arguments_of(result.op))
            found.append(TracedCall(callee, result.index, arguments))
        return tuple(found)


def depends_on(op: Operation) -> SSAValue | None:
    """Return the token on whose stream `op` runs; None if the op has no dependencies or is a gpu.wait."""
    if op.name == "gpu.wait":
        return None
    for value in operands_of(op):
        if isinstance(value.type, AsyncTokenType):
            return value
    return None


def made_by(op: Operation) -> Origin:
    """Return the origin of the token that a gpu.wait, or a gpu op without dependencies, creates."""
    return Origin.STREAM if op.name in ("gpu.wait", "gpu.launch_func") else Origin.UNKNOWN
