"""The facts about each op of a function that its picture shows, from the async model."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation

from gpuasync_lsp.analysis import AsyncFunction, Handle, Kind
from gpuasync_lsp.analysis.model.function import Action, Buffer, Step
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.rules.unawaited_token import leaks
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.text import Finding


@dataclass(slots=True)
class Facts:
    """The facts that decide whether and how ops are drawn."""

    function: AsyncFunction
    joins: set[Operation] = field(default_factory=set[Operation])
    """The ops that make a stream wait on an event, or take over another token's handle."""
    host_steps: dict[Operation, Step] = field(default_factory=dict[Operation, Step])
    arrivals: dict[Operation, list[Handle]] = field(default_factory=dict[Operation, list[Handle]])
    """Maps ops of other dialects to the handles that they return."""
    shared: set[Buffer] = field(default_factory=set[Buffer])
    """The buffers that ops on the device access."""
    finding_starts: list[int] = field(default_factory=list[int])
    """The offsets at which findings begin, relative to the item, sorted."""
    waits: dict[Operation, list[Handle]] = field(default_factory=dict[Operation, list[Handle]])
    """Maps each op at which the host waits to the handles on which it waits, once per operand."""
    leaks: dict[Handle, bool] = field(default_factory=dict[Handle, bool])
    """Maps each leaked stream to True if it leaks on every path, and to False if it leaks on some paths."""

    def has_finding(self, op: Operation) -> bool:
        """Return whether a finding begins inside an op."""
        span = self.function.spans.op(op) if op in self.function.spans.ops else None
        if span is None:
            return False
        at = bisect_right(self.finding_starts, span.start - 1)
        return at < len(self.finding_starts) and self.finding_starts[at] < span.end

    def is_worth_a_row(self, op: Operation) -> bool:
        """Return whether an op gets a row although it is not an async op of the gpu dialect."""
        if any(isinstance(v.type, AsyncTokenType) for v in op.operands) and not op.name.endswith(
            (".yield", ".br", ".cond_br", ".condition")
        ):
            return True
        if op in self.arrivals or op in self.waits or op.name == "func.return":
            return True
        if op.name == "async.yield":
            return any(isinstance(v.type, AsyncTokenType) for v in op.operands)
        step = self.host_steps.get(op)
        if step is not None:
            if any(access.buffer in self.shared for access in step.accesses):
                return True
            if callee_of(op) is not None and self.function.pending.get(op):
                return True
        return self.has_finding(op)


def facts_of(function: AsyncFunction, findings: Iterable[Finding]) -> Facts:
    """Return the facts about each op, from the model's steps and the function's findings."""
    facts = Facts(function)
    facts.shared = {access.buffer for info in function.ops for access in info.accesses}
    for step in steps_of(function):
        if step.action is Action.HOST and step.source is None:
            facts.host_steps[step.op] = step
        elif step.action is Action.DEFINE and step.handle is not None and step.op is not function.op:
            facts.arrivals.setdefault(step.op, []).append(step.handle)
        elif step.action in (Action.AWAIT_EVENT, Action.CONSUME):
            facts.joins.add(step.op)
        elif step.action is Action.WAIT and step.handle is not None and step.handle.kind is Kind.OBJECT:
            facts.waits.setdefault(step.op, []).append(step.handle)
    for handle in function.handles:  # The model defines an async.await's result at its async.execute.
        if handle.kind is Kind.OPAQUE and handle.op is not None and handle.op.name == "async.await":
            facts.arrivals[handle.op] = [handle]
    for wait in function.waits:
        if wait.blocking:
            facts.waits.setdefault(wait.op, []).append(wait.handle)
    for fault in leaks(function):
        facts.leaks[fault.handle] = facts.leaks.get(fault.handle, False) or fault.certain
    facts.finding_starts = sorted({f.span.start for f in findings})
    return facts


def steps_of(function: AsyncFunction) -> Iterator[Step]:
    """Return the steps of all nodes of a function's graph."""
    for node in function.nodes:
        yield from node.steps


def has_tokens(op: Operation) -> bool:
    """Return whether an op has token operands or results."""
    return any(isinstance(v.type, AsyncTokenType) for v in (*op.operands, *op.results))
