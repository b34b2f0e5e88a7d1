"""Steps: the effects of each op of the lowered host program on handles, events and memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.building.merging import Merging
from gpuasync_lsp.analysis.model.building.objects import Objects
from gpuasync_lsp.analysis.model.building.operands import Operands
from gpuasync_lsp.analysis.model.building.tasks import Tasks
from gpuasync_lsp.analysis.model.building.tokens import Tokens, yields_streams
from gpuasync_lsp.analysis.model.building.values import Values
from gpuasync_lsp.analysis.model.building.waits import Waits
from gpuasync_lsp.analysis.model.function import Access, Action, AsyncOp, Handle, Kind, Step
from gpuasync_lsp.analysis.model.guards import Guard
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.analysis.model.passing import CARRYING
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.effects import Mode

_GUARDS = 8
"""The maximum number of distinct guards of a callee's accesses, not counting the guards of frees."""


@dataclass(frozen=True)
class Touched:
    """The memory accesses of a function's ops."""

    by_host: dict[Operation, tuple[Access, ...]]
    """The accesses of each op that runs on the host."""
    symbols: set[SSAValue]
    """The SSA values on which the `Place`s of all accesses depend, including accesses on streams."""


class Steps:
    """Computes the steps of each op of one function, once and in program order.

    Computing the steps of an async.yield also adds a wait to `waits`.
    """

    def __init__(
        self,
        tokens: Tokens,
        values: Values,
        operands: Operands,
        merging: Merging,
        waits: Waits,
        tasks: Tasks,
        memory: Memory,
        touched: Touched,
        objects: Objects,
    ) -> None:
        self.tasks = tasks
        self._function = tokens.function
        self._tokens = tokens
        self._values = values
        self._operands = operands
        self._leaders = merging.leaders
        self._waits = waits
        self._memory = memory
        self._touched = touched
        self._objects = objects
        self._begun: set[tuple[Block | None, SSAValue]] = set()
        """Merged blocks, each with a new argument that a step has assigned."""
        self._work: dict[Operation, Mapping[SSAValue, tuple[Access, ...]]] = {}

    def at(self, op: Operation) -> Iterator[Step]:
        """Yield the steps of `op`, without those of its regions."""
        info = self._function.by_op.get(op)
        if info is not None:
            return self._async_op(info)
        return self._async_yield(op) if op.name == "async.yield" else self._host_op(op)

    def _async_yield(self, op: Operation) -> Iterator[Step]:
        yield from self._yields(op)
        if ended := self._touched.by_host.get(op, ()):
            yield Step(Action.HOST, op, accesses=ended)

    def behind(self, op: Operation, *, branched: bool) -> Iterable[Step]:
        """Return the steps after `op`: the definitions of its results, and the events recorded after it.

        If `branched`, the edges to this point have already assigned the results.
        """
        if self._tokens.defined_by or self._touched.symbols or callee_of(op) is not None:
            return self._all_behind(op, branched=branched)
        return self._recorded(op)

    def _recorded(self, op: Operation) -> Iterable[Step]:
        return self._waits.records.get(self._leaders.get(op, op), ())

    def _all_behind(self, op: Operation, *, branched: bool) -> Iterator[Step]:
        if self._tokens.defined_by and not branched and op.name not in CARRYING:
            for result in op.results:
                yield from self.defined(result, op)
        for result in op.results if self._touched.symbols else ():
            yield from self.renewed(result, op)
        if callee_of(op) is not None:
            yield from self._enqueued(op, self._memory.left_running(op))
        yield from self._recorded(op)

    def defined(self, value: SSAValue, op: Operation) -> Iterator[Step]:
        """Yield a step for each opaque handle that the definition of `value` by `op` assigns."""
        for handle in self._tokens.defined_by.get(value, ()):
            yield Step(Action.DEFINE, op, handle)

    def renewed(self, value: SSAValue, op: Operation | None) -> Iterator[Step]:
        """Yield a step that invalidates `Place`s that depend on `value`, because `op` redefines it."""
        if value in self._touched.symbols and op is not None:
            yield Step(Action.RENEW, op, value=value)

    def escape(self, inner: Operation, op: Operation) -> None:
        """Mark the operands and accesses of `inner` as escaping through the enclosing op `op`."""
        for value in inner.operands:
            handle = self._function.tokens.get(value)
            if handle is not None:
                handle.escapes.append(op)
        for access in self._touched.by_host.get(inner, ()):
            access.buffer.escapes.append(op)

    def _async_op(self, info: AsyncOp) -> Iterator[Step]:
        op, own = info.op, info.handle
        if info.erased:
            return
        yield from self._allocations(op, info)
        if self._operands.columns:
            yield from self._merged_arguments(info)
        if own is not None and own.op is self._leaders.get(op, op):
            action = Action.FOLLOW if own.kind is Kind.LEFT else Action.CREATE
            yield Step(action, op, own, source=info)
        yield from self._waits.joins.get(op, ())
        for wait in self._waits.of.get(op, ()):
            action = Action.BLOCK if wait.blocking else Action.CONSUME
            yield Step(action, op, wait.handle, own, info, wait)
        if info.name == "gpu.wait":
            return
        if Mode.FREE in [access.mode for access in info.accesses]:
            action = Action.HOST
        else:
            is_complete = info.token is None and (own is None or own.kind is not Kind.OBJECT)
            action = Action.COMPLETE if is_complete else Action.ENQUEUE
        yield Step(action, op, own, source=info, accesses=info.accesses)

    def _allocations(self, op: Operation, info: AsyncOp | None = None) -> Iterator[Step]:
        for result in op.results:
            place = None if type(result.type) is AsyncTokenType else self._memory.place(result)
            if place is not None and not place.buffer.is_name and place.buffer.value is result:
                yield Step(Action.ALLOCATE, op, source=info, buffer=place.buffer)

    def _merged_arguments(self, info: AsyncOp) -> Iterator[Step]:
        for dep in info.deps:
            column = self._values.resolve(dep)
            if column in self._operands.columns and (info.op.parent, column) not in self._begun:
                self._begun.add((info.op.parent, column))
                given = self._tokens.handle(self._operands.written[dep])
                yield Step(Action.DEFINE, info.op, self._tokens.handle(column), given, info)

    def _host_op(self, op: Operation) -> Iterator[Step]:
        if op.name != "memref.get_global":
            yield from self._allocations(op)
        if callee_of(op) is not None:
            yield from self._call(op)
            return
        for task in self.tasks.awaited(op):
            yield Step(Action.AWAIT_TASK, op, event=task)
        accesses = self._touched.by_host.get(op, ())
        if accesses:
            yield Step(Action.HOST, op, accesses=accesses)

    def _call(self, op: Operation) -> Iterator[Step]:
        """Yield the steps of a call: the callee's effects in order, its waits, and its runtime calls.

        Consecutive accesses on one stream are combined into one step."""
        guarded = self._by_guard(op)
        by_host = [access for access in self._touched.by_host.get(op, ()) if access.guard not in guarded]
        steps = [(access.turn, Step(Action.HOST, op, accesses=(access,))) for access in by_host]
        enqueued = {
            token: tuple(access for access in accesses if access.guard not in guarded)
            for token, accesses in self._given_work(op).items()
        }
        works = list(self._enqueued(op, enqueued))
        for tokens, accesses in self._memory.abandoned(op).items():
            handles = map(self._function.stream_of, tokens)
            behind = tuple(handle for handle in handles if handle is not None)
            works.append(Step(Action.ENQUEUE, op, behind=behind, accesses=accesses))
        for work in works:
            for access in work.accesses:
                part = Step(
                    work.action, op, work.handle, operand=work.operand, behind=work.behind, accesses=(access,)
                )
                steps.append((access.turn, part))
        steps.sort(key=lambda each: each[0])
        last: Step | None = None
        for _, step in steps:
            if last is not None and _is_one(last, step):
                last.accesses += step.accesses
                continue
            if last is not None:
                yield last
            last = step
        if last is not None:
            yield last
        if self._memory.synchronizes(op):
            yield Step(Action.SYNCHRONIZE, op)
        destroyed = self._waits.of.get(op, ())
        for wait in destroyed:
            yield Step(Action.BLOCK, op, wait.handle, wait=wait, operand=wait.operand)
        for handle in self._waited_by_callee(op):
            if handle not in [wait.handle for wait in destroyed]:
                yield Step(Action.WAIT, op, handle)
        yield from self._objects.steps(op)
        # Checks at a call on the host need facts about running work, even if the callee accesses nothing.
        if last is None or last.action is not Action.HOST:
            yield Step(Action.HOST, op)

    def _waited_by_callee(self, call: Operation) -> Iterator[Handle]:
        """Yield the operands that the callee of `call` may wait on.

        These are events and, if the callee is unknown, also streams. A known function that waits on a stream
        argument treats it as an event (GA203), and does not wait."""
        context, callee = self._function.context, callee_of(call)
        if self._objects.call(call) is not None:
            return
        info = context.functions.get(callee) if callee is not None else None
        is_unknown = info is None or info.declared_only
        for value in call.operands:
            handle = self._function.stream_of(value)
            if handle is None:
                continue
            if handle.kind is Kind.OBJECT:
                if info is None or info.effects is None:
                    yield handle
            elif callee not in context.lending and (is_unknown or not handle.is_stream):
                yield handle

    def guarded(self, call: Operation, *, frees: bool) -> Iterator[tuple[Guard, Step]]:
        """Yield the guarded frees of a callee if `frees`, its other guarded effects otherwise."""
        for guard, accesses in self._by_guard(call).items():
            some = [access for access in accesses if (access.mode is Mode.FREE) is frees]
            by_host = tuple(access for access in some if access.host)
            if by_host:
                yield guard, Step(Action.HOST, call, accesses=by_host)
            given = self._given_work(call).items()
            on_streams = {token: tuple(access for access in some if access in work) for token, work in given}
            for step in self._enqueued(call, {token: work for token, work in on_streams.items() if work}):
                yield guard, step

    def _by_guard(self, call: Operation) -> dict[Guard, list[Access]]:
        found: dict[Guard, list[Access]] = {}
        work = (access for accesses in self._given_work(call).values() for access in accesses)
        for access in (*self._touched.by_host.get(call, ()), *work):
            if access.guard and (access.mode is Mode.FREE or access.guard in found or len(found) < _GUARDS):
                found.setdefault(access.guard, []).append(access)
        return found

    def _given_work(self, call: Operation) -> Mapping[SSAValue, tuple[Access, ...]]:
        """Return the work that a callee enqueues on the streams of its token operands, per token."""
        if call not in self._work:
            self._work[call] = self._memory.enqueued(call)
        return self._work[call]

    def _enqueued(self, op: Operation, work: Mapping[SSAValue, tuple[Access, ...]]) -> Iterator[Step]:
        """Yield the steps of `work`, which a call enqueues on the streams of the caller's tokens."""
        for token, accesses in work.items():
            handle = self._function.stream_of(token)
            for access in accesses:
                access.handle = handle
            operand = next((number for number, given in enumerate(op.operands) if given is token), None)
            yield Step(Action.ENQUEUE, op, handle, operand=operand, accesses=accesses)

    def _yields(self, op: Operation) -> Iterator[Step]:
        destroyed: set[Handle] = set()
        execute = op.parent_op()
        for number, handle in ((n, h) for o, n, h in self._function.yields if o is op):
            source = execute.results[number + 1] if execute and number + 1 < len(execute.results) else None
            target = self._function.tokens.get(source) if source is not None else None
            step = Step(Action.YIELD, op, handle, target)
            if yields_streams(self._function):
                handle.escapes.append(op)
            elif handle not in destroyed and _may_be_stream(handle):
                destroyed.add(handle)
                step.wait = self._waits.destroy(op, number, op.operands[number], handle, blocking=False)
            yield step


def _is_one(first: Step, second: Step) -> bool:
    return (first.action, first.handle, first.behind) == (second.action, second.handle, second.behind)


def _may_be_stream(handle: Handle) -> bool:
    return handle.is_stream or handle.is_passed_stream
