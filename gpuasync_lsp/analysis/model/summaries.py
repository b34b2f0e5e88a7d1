"""Memory effects of calls of a host function, summarized from its body for its callers.

An access of the callee refers to an argument, a global or a result. The effects are in text order. An access
is complete when the call returns, when the work on the stream of a passed or returned token is complete, or
at an unknown time on a stream that the callee leaves running. The effects are unknown if they depend on
anything else, for example if the callee waits for a stream on which the caller has enqueued work.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue, Use

from gpuasync_lsp.analysis.model.cycles import strongly_connected
from gpuasync_lsp.analysis.model.guards import ALWAYS, Given, Guard, Guards, both, passed_on
from gpuasync_lsp.analysis.model.kernels import RUNNER_READS, SYNCHRONIZING
from gpuasync_lsp.analysis.model.launches import Launch, number_of
from gpuasync_lsp.analysis.model.memory.elements import Element, Index
from gpuasync_lsp.analysis.model.memory.places import incoming
from gpuasync_lsp.analysis.model.memory.programs import Program
from gpuasync_lsp.analysis.model.memory.returned import View, view_in_arguments
from gpuasync_lsp.analysis.model.memory.sums import Symbol, of
from gpuasync_lsp.analysis.model.passing import CARRYING, PASSING
from gpuasync_lsp.analysis.model.returned_tokens import Token
from gpuasync_lsp.analysis.model.runtime import Does, runtime_call, stream_object
from gpuasync_lsp.analysis.model.symbols import arguments_of, callee_of, kernel_symbol
from gpuasync_lsp.analysis.model.terms import REGISTERING, TOUCHING, Origin, Side
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface, AsyncTokenType, LaunchFuncOp
from gpuasync_lsp.syntax.effects import ALIASES, PARTS, Effect, Mode, effects_of, is_memref, points
from gpuasync_lsp.text.effort import spend

_ALLOCATIONS = frozenset({"gpu.alloc", "memref.alloc"})
_STEPS = 200
"""The maximum number of values that are followed backwards from a memref."""
_ROUNDS = 20
"""The maximum number of iterations for mutually recursive functions."""


class Made(NamedTuple):
    """A buffer that the callee allocates and returns as result `result`."""

    result: int


class Started(NamedTuple):
    """A stream that the callee creates and leaves running; its token is result `result`."""

    result: int


class Left(NamedTuple):
    """A stream that the callee creates and leaves running, without a token that escapes."""

    behind: tuple[int, ...]
    """The numbers of the arguments on whose streams this stream waits."""
    in_task: bool = False
    """Whether this is a host task instead of a stream: an async.execute that is not awaited."""


class Handed(NamedTuple):
    """The stream of a token returned by a call in the function."""

    number: int
    """An index into `Summary.handed`."""


Target = int | str | Made
"""Identifies memory: the number of an argument, the name of a global, or a returned allocation."""
Stream = int | Started | Left | Handed
"""Identifies a stream: an argument's number, a created stream, or a call result to resolve later."""


class CallEffect(NamedTuple):
    """One access of a function to memory that its caller can see."""

    target: Target
    mode: Mode | None
    """How the memory is accessed; None if it escapes."""
    part: bool
    """Whether the access may touch only a part of the memory."""
    token: Stream | None = None
    """The stream on which the access runs; None if it is done when the call returns."""
    sure: bool = True
    """Whether the access is certain to be to this memory; False if that depends on the callee's control
    flow."""
    guard: Guard = ALWAYS
    """The condition under which the access happens.

    A free under an unknown condition is recorded as an escape."""
    side: Side | None = None
    """Whether the host or the device makes the access; None for the driver."""
    launch: Launch | None = None
    """The launch whose threads make the access, if the kernel gets all of the memory; otherwise None."""


class Pending(NamedTuple):
    """The access of a kernel to one of its arguments, resolved later from the kernel's body."""

    target: Target
    part: bool
    token: Stream | None
    kernel: tuple[str, str] | None
    argument: int
    sure: bool = True
    guard: Guard = ALWAYS
    launch: Launch | None = None
    """The launch; None unless all of the memory is passed to the kernel."""


class Passed(NamedTuple):
    """A call in the function, with facts about its operands and results."""

    callee: str
    memory: tuple[tuple[Target, ...], ...]
    """Per operand, the memory that it may refer to; empty if it is not a memref."""
    streams: tuple[Stream | None, ...]
    """Per operand, its stream, or -1 if the function waits for the work on it.

    None means an unknown stream, or an operand that is not a token."""
    started: tuple[Stream | None, ...] = ()
    """Per result, its stream, encoded as in `streams`."""
    integers: tuple[Given, ...] = ()
    """Per operand, its integer value in terms of the function's arguments."""
    guard: Guard | None = ALWAYS
    """The condition under which the call executes; None if unknown."""
    results: tuple[tuple[Target, ...], ...] = ()
    """Per result, the arguments, globals and allocations that it may refer to; empty for other types."""
    whole: tuple[bool, ...] = ()
    """Per operand, whether it is a whole argument, global or allocation."""


class HandedToken(NamedTuple):
    """A token returned by a call in the function, resolved later."""

    callee: str
    result: int
    streams: tuple[Stream | None, ...]
    """The streams passed to the call, in the order of `Passed.streams`."""
    otherwise: Stream | None
    """The token's stream if the callee returns none of `streams`."""


class Summary(NamedTuple):
    """The facts about one function before its callees are resolved."""

    steps: tuple[CallEffect | Pending | Passed, ...] = ()
    """Memory effects in text order: accesses of the function, accesses of kernels, and calls."""
    same_as: tuple[int | None, ...] = ()
    """Per result, the number of the argument that the function returns unchanged, or None."""
    views: tuple[int | None, ...] = ()
    """Per result, the number of the only argument that it may be or alias; None if there is none."""
    parts: tuple[View | None, ...] = ()
    """Per result, the part of the aliased argument's memory, in terms of the function's arguments."""
    choices: tuple[tuple[int, ...], ...] = ()
    """Per result, the arguments that it may alias; empty if `views` contains the only one, or if unknown."""
    made: tuple[int, ...] = ()
    """The numbers of the results that are device memory and that the caller has to free."""
    made_on_host: tuple[int, ...] = ()
    """The numbers of the results that are host memory, allocated by the function and not registered."""
    made_by: tuple[tuple[int, str, int], ...] = ()
    """Results that are allocations if a callee's result is one, as (result, callee, result of the callee)."""
    handed: tuple[HandedToken, ...] = ()
    """The tokens that calls in the function return, in text order."""


def summarize_body(function: Operation) -> Summary | None:
    """Return the summary of a function's body; None if its effects are unknown."""
    if not function.regions or not function.regions[0].blocks:
        return None
    ops = list(_host_ops(function))
    in_tasks = _unawaited_in_tasks(ops)
    if in_tasks is None:
        return None
    origins = _Streams(function, ops)
    if origins.waits_for_callers or origins.orders_by_events:
        return None
    targets = _Targets(function)
    guards = Guards(function)
    steps: list[CallEffect | Pending | Passed] = []
    same_as: list[int | None] | None = None
    views: list[int | None] | None = None
    returned: list[Sequence[SSAValue]] = []
    for op in ops:
        if isinstance(op, AsyncOpInterface):
            token = origins.token_of(op)
            enqueued = _enqueued(op, targets, guards, None if token == -1 else token)
            if token is None:
                steps += [CallEffect(e.target, None, part=True) for e in enqueued]
            elif op in in_tasks:
                if token != -1 and not isinstance(token, Left):
                    return None
                steps += _in_a_task(enqueued)
            else:
                steps += enqueued
        elif op.name == "func.return":
            here = [targets.argument(v) for v in op.operands]
            seen = [targets.viewed(v) for v in op.operands]
            same_as = [a if a == b else None for a, b in zip(here, same_as or here, strict=False)]
            views = [a if a == b else None for a, b in zip(seen, views or seen, strict=False)]
            returned.append(op.operands)
        elif runtime_call(op) is not None:
            continue
        elif (callee := callee_of(op)) is not None:
            if op in in_tasks:
                return None
            memory = tuple(tuple(target for target, _ in targets.of(v)) for v in arguments_of(op))
            streams = tuple(origins.stream_of(op, [v]) if is_stream(v) else None for v in arguments_of(op))
            started = tuple(origins.stream_of(op, [v]) if is_token(v) else None for v in op.results)
            results = tuple(tuple(target for target, _ in targets.of(v)) for v in op.results)
            integers = tuple(None if points(v.type) else guards.given(v) for v in arguments_of(op))
            whole = tuple(targets.is_whole(v) for v in arguments_of(op))
            steps.append(Passed(callee, memory, streams, started, integers, guards.of(op), results, whole))
        else:
            known_effects = _host_effects(op, targets, guards)
            if known_effects is None:
                return None
            steps += _in_a_task(known_effects) if op in in_tasks else known_effects
    if len({len(values) for values in returned}) > 1:
        return None  # The verifier rejects returns with a different number of values.
    choices = tuple(
        () if viewed is not None else targets.chosen([values[number] for values in returned])
        for number, viewed in enumerate(views or ())
    )
    parts = tuple(
        view_in_arguments(function, [values[number] for values in returned])
        if viewed is not None and (same_as or ())[number] is None
        else None
        for number, viewed in enumerate(views or ())
    )
    for values in returned:
        aliased = zip(values, views or (), choices, strict=False)
        handed = [value for value, number, some in aliased if number is None and not some]
        known = [target for value in handed for target, _ in targets.of(value)]
        steps += [CallEffect(target, None, part=True) for target in known if not isinstance(target, Made)]
    return Summary(
        tuple(dict.fromkeys(steps)),
        tuple(same_as or ()),
        tuple(views or ()),
        parts,
        choices,
        targets.handed_over("gpu.alloc"),
        targets.handed_over("memref.alloc"),
        targets.handed_on,
        tuple(origins.handed),
    )


def _unawaited_in_tasks(ops: Iterable[Operation]) -> set[Operation] | None:
    """Return the ops inside async.executes that are never awaited; None if tasks are too complex.

    Tasks must have no dependencies, and must be awaited in the same block or never."""
    found: set[Operation] = set()
    for op in ops:
        if not op.name.startswith("async.") or op.name == "async.yield":
            continue
        if op.name == "async.await":
            owner = op.operands[0].owner
            if not isinstance(owner, Operation) or owner.name != "async.execute":
                return None
        elif op.name != "async.execute" or op.operands:
            return None
        else:
            users = [use.operation for result in op.results for use in result.uses]
            if not users:
                found.update(inner for inner in op.walk() if inner is not op)
            elif any(user.name != "async.await" or user.parent is not op.parent for user in users):
                return None
    return found


def _in_a_task(steps: Iterable[CallEffect | Pending]) -> Iterator[CallEffect | Pending]:
    """Yield the accesses `steps` of an unawaited task, changed so that they finish at an unknown time."""
    task = Left((), in_task=True)
    for step in steps:
        if isinstance(step, Pending) or step.mode in TOUCHING:
            yield step._replace(token=task)
        else:
            yield CallEffect(step.target, None, part=True)


def is_token(value: SSAValue) -> bool:
    """Return whether `value` is an `!gpu.async.token`."""
    return isinstance(value.type, AsyncTokenType)


def is_stream(value: SSAValue) -> bool:
    """Return whether `value` may be a stream: a token, or any `!llvm.ptr`."""
    return is_token(value) or value.type.name == "llvm.ptr"


class Kernel(NamedTuple):
    """How a kernel's body accesses its arguments."""

    modes: tuple[Mode | None, ...] | None
    elements: tuple[tuple[Element, ...] | None, ...] = ()
    program: Program | None = None


Kernels = Mapping[tuple[str, str], Kernel]
Returns = Mapping[str, Sequence[Token]]
"""For each function, the origin of each result that is a token."""


_OUT_OF_SIGHT = (CallEffect(-1, None, part=True),)
"""The effects of a function without a body, which may do anything to its arguments."""


def resolve(
    summaries: Mapping[str, Summary | None], kernels: Kernels, returns: Returns, declared: Iterable[str]
) -> dict[str, tuple[CallEffect, ...] | None]:
    """Return the effects of calling each function, including callees and kernels; None if unknown.

    Mutually recursive functions are iterated to a fixpoint. The functions in `declared` have no body.
    """
    found: dict[str, tuple[CallEffect, ...] | None] = dict.fromkeys(
        n for n, s in summaries.items() if s is None
    )
    found.update((name, _OUT_OF_SIGHT) for name in declared if name in found)
    found.update(dict.fromkeys(SYNCHRONIZING))
    summaries = {name: summary and _with_streams(summary, returns) for name, summary in summaries.items()}
    calls = {
        name: [step.callee for step in summary.steps if isinstance(step, Passed)] if summary else []
        for name, summary in summaries.items()
    }
    for cycle in strongly_connected(calls):
        known = {name: summary for name in cycle if (summary := summaries[name]) is not None}
        if len(cycle) == 1 and cycle[0] not in calls[cycle[0]]:
            found.update((name, _joined(summary, found, kernels)) for name, summary in known.items())
        else:
            _close(known, found, kernels)
    return found


def _with_streams(summary: Summary, returns: Returns) -> Summary:
    """Return `summary` with the streams of the tokens that calls return."""
    if not summary.handed:
        return summary
    known: list[Stream | None] = []

    def stream_of(stream: Stream | None) -> Stream | None:
        if not isinstance(stream, Handed):
            return stream
        return known[stream.number] if stream.number < len(known) else None

    for token in summary.handed:
        given = returns.get(token.callee, ())
        source = given[token.result] if token.result < len(given) else Origin.UNKNOWN
        if isinstance(source, Origin):
            known.append(token.otherwise)
            continue
        passed = stream_of(token.streams[source]) if source < len(token.streams) else None
        # The function may wait on this stream before the call enqueues its work; the work is then unfinished.
        known.append(None if passed == -1 else passed)
    steps: list[CallEffect | Pending | Passed] = []
    for step in summary.steps:
        if isinstance(step, Passed):
            streams, started = (tuple(map(stream_of, each)) for each in (step.streams, step.started))
            step = step._replace(streams=streams, started=started)
        elif isinstance(step.token, Handed):
            stream = stream_of(step.token)
            is_known = stream is not None
            step = step._replace(token=stream) if is_known else CallEffect(step.target, None, part=True)
        steps.append(step)
    return summary._replace(steps=tuple(dict.fromkeys(steps)))


def _close(
    cycle: Mapping[str, Summary], found: dict[str, tuple[CallEffect, ...] | None], kernels: Kernels
) -> None:
    """Compute the effects of a cycle of mutually recursive functions, and store them in `found`."""
    found.update((name, ()) for name in cycle)
    for _ in range(_ROUNDS):
        same = True
        for name, summary in cycle.items():
            effects = _joined(summary, found, kernels)
            same = same and effects is not None and set(effects) == set(found[name] or ())
            found[name] = effects
            spend(len(effects or ()))
            if effects is None:
                break
        if same:
            return
        if any(found[name] is None for name in cycle):
            break
    found.update((name, None) for name in cycle)


def _joined(
    summary: Summary, found: Mapping[str, tuple[CallEffect, ...] | None], kernels: Kernels
) -> tuple[CallEffect, ...] | None:
    effects: dict[CallEffect, None] = {}
    for step in summary.steps:
        match step:
            case CallEffect():
                effects[step] = None
            case Pending():
                kernel = kernels.get(step.kernel) if step.kernel is not None else None
                if kernel is None or kernel.modes is None or step.argument >= len(kernel.modes):
                    return None
                mode = kernel.modes[step.argument]
                if mode is not None:
                    launch = _threads(step, kernel)
                    effect = CallEffect(
                        step.target, mode, step.part, step.token, step.sure, step.guard, Side.KERNEL, launch
                    )
                    effects[effect] = None
            case Passed():
                called = _of_callee(step, found)
                if called is None:
                    return None
                effects.update(dict.fromkeys(called))
    return tuple(effects)


def _threads(step: Pending, kernel: Kernel) -> Launch | None:
    if step.launch is None:
        return None
    is_known = len(kernel.elements) == len(step.launch.arguments)
    elements = kernel.elements[step.argument] if is_known else None
    return step.launch._replace(elements=elements, program=kernel.program, argument=step.argument)


def _of_callee(passed: Passed, found: Mapping[str, tuple[CallEffect, ...] | None]) -> list[CallEffect] | None:
    """Return the effects of a call, in terms of the arguments of the calling function; None if unknown."""
    if passed.callee.startswith(RUNNER_READS):
        known: Iterable[CallEffect] | None = [
            CallEffect(number, Mode.READ, part=False, side=Side.HOST) for number in range(len(passed.memory))
        ]
    else:
        known = found.get(passed.callee, _OUT_OF_SIGHT)
    if known is None:
        return None
    if known is _OUT_OF_SIGHT:
        if any(stream not in (None, -1) for stream in passed.streams):
            return None  # The callee may wait for the stream.
        given = dict.fromkeys(target for targets in passed.memory for target in targets)
        return [CallEffect(target, None, part=True) for target in given]
    effects: list[CallEffect] = []
    for effect in known:
        target = effect.target
        if effect.token is not None:
            stream = _passed_stream(effect.token, passed)
            if stream is None:
                return None
            effect = effect._replace(token=None if stream == -1 else stream)
        effect = _when_called(effect, passed)
        if effect is None:
            continue
        behind: Sequence[Target] = (target,)
        if isinstance(target, Made):
            behind = passed.results[target.result] if target.result < len(passed.results) else ()
        elif isinstance(target, int):
            if target >= len(passed.memory):
                return None
            behind = passed.memory[target]
        launch = effect.launch
        if launch is not None:
            is_whole = isinstance(target, int) and target < len(passed.whole) and passed.whole[target]
            effect = effect._replace(launch=launch.when_called(passed.integers) if is_whole else None)
        effects += [effect._replace(target=each, sure=effect.sure and len(behind) == 1) for each in behind]
    return effects


def _passed_stream(token: Stream, passed: Passed) -> Stream | None:
    """Translate the stream `token` of a callee into one of the calling function; see `Passed.streams`."""
    if isinstance(token, Handed):
        return None  # `_with_streams` has replaced all `Handed`.
    if isinstance(token, Left):
        behind = [passed.streams[number] if number < len(passed.streams) else None for number in token.behind]
        numbers = [stream for stream in behind if isinstance(stream, int)]
        # Streams whose work is done when the function returns impose no order.
        known = token._replace(behind=tuple(n for n in numbers if n >= 0))
        return known if len(numbers) == len(behind) else None
    given, number = (passed.started, token.result) if isinstance(token, Started) else (passed.streams, token)
    return given[number] if number < len(given) else None


def _when_called(effect: CallEffect, passed: Passed) -> CallEffect | None:
    """Return a callee's effect with its guard in terms of the calling function; None if it never happens."""
    guard = passed_on(effect.guard, passed.integers)
    if guard is False:
        return None
    joined = both(passed.guard, guard) if guard is not True else None
    if joined is not None and not (joined and effect.token is not None):
        return effect._replace(guard=joined)
    if effect.mode is Mode.FREE:
        return effect._replace(mode=None, part=True, guard=ALWAYS)
    return effect._replace(guard=ALWAYS)


def _host_ops(function: Operation) -> Iterable[Operation]:
    """Yield the ops of `function` that run on the host, in text order."""
    hidden: set[Operation] = set()
    for op in function.walk():
        if op is function or op in hidden:
            continue
        if op.name == "gpu.launch":
            hidden.update(op.walk())
        yield op


class _Streams:
    """The streams of a function's tokens, and the streams that it waits on, as masks.

    Each argument, created stream and call result that may be a stream has its own bit, its root."""

    def __init__(self, function: Operation, ops: list[Operation]) -> None:
        self.order = {op: number for number, op in enumerate(ops)}
        self.roots: dict[SSAValue, int] = {}
        self.given: dict[int, int] = {}
        """Maps the root of each argument to the number of the argument."""
        self.behind: dict[SSAValue, int] = {}
        """Per token, the mask of streams that a wait on the token waits for."""
        self.dependencies: dict[Operation, Sequence[SSAValue]] = {}
        """The dependencies of each async gpu op."""
        self.handed: list[HandedToken] = []
        """The tokens that calls return, in text order."""
        self._handed: dict[int, Handed] = {}
        """Maps the root of each call result to its index into `handed`."""
        self.own = 0
        """The mask of streams that the function creates."""
        self.waited = 0
        """The mask of streams that escape or that the function waits on."""
        for number, argument in enumerate(function.regions[0].blocks[0].args):
            if is_stream(argument):
                self.given[self._root(argument)] = number
        waits: dict[Block, list[tuple[int, int]]] = {}
        self.waits_for_callers = False
        self.orders_by_events = False
        """Whether runtime calls of the function make streams wait on events, which is not tracked here."""
        for op in ops:
            if not isinstance(op, AsyncOpInterface):
                self._read_runtime_call(op, waits)
                continue
            named = stream_object(op)
            given = self.dependencies[op] = op.async_dependencies if named is None else [named]
            mask = self._of(given)
            token = op.async_token
            if token is not None:
                own = op.name == "gpu.wait" or not given
                root = self._root(token) if own else 0
                self.own |= root
                self.behind[token] = mask | root
            elif op.name == "gpu.wait" and op.parent is not None:
                waits.setdefault(op.parent, []).append((self.order[op], mask))
                self.waited |= mask
                self.waits_for_callers |= any(mask & root for root in self.given)
        self.waits = {block: _from_the_end(found) for block, found in waits.items()}
        for token, mask in self.behind.items():
            if not all(map(_is_tracked, token.uses)):
                self.waited |= mask
        self.started = self._returned(ops)
        """The streams that the function creates and always returns as the same result."""
        self._read_calls(ops)

    def _read_runtime_call(self, op: Operation, waits: dict[Block, list[tuple[int, int]]]) -> None:
        call = runtime_call(op)
        if call is None or call.first is None:
            return
        mask = self._of([call.first])
        if call.does is Does.CREATE:
            self.own |= mask
        elif call.does is Does.WAIT and op.parent is not None:
            waits.setdefault(op.parent, []).append((self.order[op], mask))
            self.waited |= mask
            self.waits_for_callers |= any(mask & root for root in self.given)
        else:
            self.orders_by_events = True

    def _returned(self, ops: Iterable[Operation]) -> dict[int, Started]:
        found: dict[int, Started] = {}
        returns = [op.operands for op in ops if op.name == "func.return"]
        for number, value in enumerate(returns[0] if returns else ()):
            masks = {self._of([values[number]]) for values in returns if number < len(values)}
            if is_token(value) and len(masks) == 1 and (mask := masks.pop()) not in self.given:
                found.setdefault(mask, Started(number))
        return found

    def _root(self, value: SSAValue) -> int:
        return 1 << self.roots.setdefault(value, len(self.roots))

    def _of(self, tokens: Iterable[SSAValue]) -> int:
        mask = 0
        for token in tokens:
            known = self.behind.get(token)
            mask |= known if known is not None else self._root(token)
        return mask

    def token_of(self, op: AsyncOpInterface) -> Stream | None:
        """Return the stream on which `op` runs; -1 if the function waits for its work, None if unknown."""
        given = self.dependencies[op]
        if not given:
            return -1 if op.async_token is None else self.stream_of(op, [op.async_token])
        return self.stream_of(op, given)

    def stream_of(self, op: Operation, given: Iterable[SSAValue]) -> Stream | None:
        """Return the stream with the work on the tokens `given`, at the point of `op`.

        Returns -1 if the function waits for this work after `op`, and None if the stream is unknown."""
        mask = self._of(given)
        if mask in self.given:
            return self.given[mask]
        waited = 0
        block = op.parent
        while block is not None:
            found = self.waits.get(block, ())
            at = bisect_right(found, self.order[op], key=lambda wait: wait[0])
            waited |= found[at][1] if at < len(found) else 0
            parent = block.parent_op()
            block = parent.parent if parent is not None else None
        if not mask & ~waited:
            return -1
        handed = self._handed.get(mask)
        return handed if handed is not None else self._own_stream(mask)

    def _own_stream(self, mask: int) -> Stream | None:
        return self.started.get(mask) or self._left(mask)

    def _read_calls(self, ops: Iterable[Operation]) -> None:
        """Record the tokens that calls return; `resolve` finds their streams later."""
        for op in ops:
            callee = callee_of(op)
            for result in op.results if callee is not None else ():
                if not is_token(result):
                    continue
                assert callee is not None
                mask = self._root(result)
                streams = tuple(self.stream_of(op, [v]) if is_token(v) else None for v in arguments_of(op))
                self.handed.append(HandedToken(callee, result.index, streams, self._own_stream(mask)))
                self._handed[mask] = Handed(len(self.handed) - 1)

    def _left(self, mask: int) -> Left | None:
        """Return the stream that is left running with the work on `mask`; None if the function may wait
        for it."""
        given = {root: number for root, number in self.given.items() if mask & root}
        own = mask & ~sum(given)
        if not own or own & (self.waited | ~self.own):
            return None
        return Left(tuple(sorted(given.values())))


def _is_tracked(use: Use) -> bool:
    """Return whether `use` is by an async gpu op, or by a call of a named function."""
    return isinstance(use.operation, AsyncOpInterface) or callee_of(use.operation) is not None


def _from_the_end(waits: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Add to the mask of each wait the masks of all later waits in the list."""
    found: list[tuple[int, int]] = []
    mask = 0
    for order, here in reversed(waits):
        mask |= here
        found.append((order, mask))
    return found[::-1]


def _enqueued(
    op: AsyncOpInterface, targets: _Targets, guards: Guards, token: Stream | None
) -> list[CallEffect | Pending]:
    found: list[CallEffect | Pending] = []
    guard = (guards.of(op) if token is None else None) or ALWAYS
    if isinstance(op, LaunchFuncOp):
        kernel = kernel_symbol(op)
        values = (op.kernel_operands, op.grid_size, op.block_size)
        arguments, grid, block = (tuple(number_of(v, guards.given) for v in each) for each in values)
        launch = Launch(arguments, grid, block)
        for number, operand in enumerate(op.kernel_operands):
            known = targets.of(operand) if points(operand.type) else ()
            threads = launch if known and targets.is_whole(operand) else None
            is_sure = len(known) == 1
            found += [Pending(t, part, token, kernel, number, is_sure, guard, threads) for t, part in known]
        return found
    if op.name == "gpu.dealloc":
        return [*_freed(op, op.operands[-1], targets, guards, token)]
    for effect in effects_of(op) or ():
        known = targets.of(op.operands[effect.operand])
        is_sure = len(known) == 1
        found += [CallEffect(target, effect.mode, part, token, is_sure, guard) for target, part in known]
    return found


def _freed(
    op: Operation,
    memref: SSAValue,
    targets: _Targets,
    guards: Guards,
    token: Stream | None = None,
    side: Side | None = None,
) -> list[CallEffect]:
    """Return the frees of a dealloc, with their guards.

    Memory with an unknown guard is recorded as escaping, since the caller may have to free it."""
    guard = guards.of(op)
    each = guards.each(memref)
    whens = [(value, both(guard, when)) for value, when in each] if each is not None else []
    known = targets.of(memref)
    shown = token is None or isinstance(token, int)  # Callers evaluate guards only for known streams.
    if each is None or any(when is None or (when and not shown) for _, when in whens):
        return [CallEffect(target, None, part, token, len(known) == 1) for target, part in known]
    return [
        CallEffect(target, Mode.FREE, part, token, True, when, side)
        for value, when in whens
        if when is not None
        for target, part in targets.of(value)
    ]


def _host_effects(op: Operation, targets: _Targets, guards: Guards) -> list[CallEffect] | None:
    """Return the memory effects of host code at `op`; None if an op on a memref has unknown effects."""
    if op.name in ALIASES or op.name in PARTS or op.name in PASSING or op.name in CARRYING:
        return []
    effects = effects_of(op)
    if effects is None:
        return None if any(is_memref(v.type) for v in op.operands) else []
    found: list[CallEffect] = []
    guard = guards.of(op) or ALWAYS
    touched = {effect.operand for effect in effects}
    for number, operand in enumerate(op.operands):
        if number not in touched and op.name not in ("memref.dim", "memref.rank"):
            found += [CallEffect(target, None, part=True) for target, _ in targets.of(operand)]
    for effect in effects:
        if effect.mode is Mode.FREE:
            found += _freed(op, op.operands[effect.operand], targets, guards, side=Side.HOST)
            continue
        known = targets.of(op.operands[effect.operand])
        is_sure = len(known) == 1
        scattered = effect.scattered or effect.indices is not None
        side = None if effect.mode in REGISTERING else Side.HOST
        element = _one_element(op, effect, guards)
        found += [
            CallEffect(
                target,
                effect.mode,
                part or (scattered and element is None),
                None,
                is_sure,
                guard,
                side,
                None if part else element,
            )
            for target, part in known
        ]
    return found


def _one_element(op: Operation, effect: Effect, guards: Guards) -> Launch | None:
    """Return an access to one element as a launch of one thread, in terms of the function's arguments.

    Returns None for any other access, or if an index is unknown."""
    if effect.indices is None or effect.scattered or effect.shape or op.name.startswith("affine."):
        return None
    given = tuple(guards.given(value) for value in op.operands[slice(*effect.indices)])
    if None in given:
        return None
    indices = tuple((Index(of(Symbol("argument", number))),) for number in range(len(given)))
    return Launch(given, _ONE, _ONE, (Element(effect.mode, indices),))


_ONE = (1, 1, 1)


def _is_handed_over(value: SSAValue) -> bool:
    """Return whether the function returns the memory of `value`, without storing, registering or freeing
    it."""
    work = [value]
    while work:
        for use in work.pop().uses:
            op = use.operation
            if op.name in ALIASES or op.name in PARTS:
                work += [result for result in op.results if is_memref(result.type)]
            elif op.name in ("gpu.dealloc", "gpu.host_register") or (
                op.name != "func.return"
                and not isinstance(op, LaunchFuncOp)
                and all(use.index != effect.operand for effect in effects_of(op) or ())
            ):
                return False
    return True


class _Targets:
    """Finds the arguments, globals and results that a function's values may alias."""

    def __init__(self, function: Operation) -> None:
        blocks = function.regions[0].blocks
        self.entry = blocks[0]
        returns = [op for block in blocks if (op := block.last_op) is not None and op.name == "func.return"]
        self._made: dict[SSAValue, Made] = {}
        for number, value in enumerate(returns[0].operands if returns else ()):
            if all(len(op.operands) > number and op.operands[number] is value for op in returns):
                self._made.setdefault(value, Made(number))
        self._known: dict[SSAValue, tuple[tuple[Target, bool], ...]] = {}
        self._unfollowed: set[SSAValue] = set()
        """Values that may also alias memory that is not an argument, global or result."""
        self._function = function

    def of(self, value: SSAValue) -> tuple[tuple[Target, bool], ...]:
        """Return the arguments, globals and results that `value` may alias; True marks a partial alias."""
        if value not in self._known:
            self._known[value] = self._search(value)
        return self._known[value]

    def is_whole(self, value: SSAValue) -> bool:
        """Return whether `value` is a whole argument, global or result, with the same layout."""
        while isinstance(value.owner, Operation) and value.owner.name == "memref.cast":
            value = value.owner.operands[0]
        return points(value.type) and self._target(value) is not None

    def _search(self, value: SSAValue) -> tuple[tuple[Target, bool], ...]:
        if not points(value.type):
            return ()
        found: dict[Target, bool] = {}
        work, seen = [(value, False)], {value}
        while work and len(seen) < _STEPS:
            here, part = work.pop()
            given = incoming(here, self._function)
            if given:
                work += [(v, part) for v in given if v not in seen]
                seen.update(given)
                continue
            owner = here.owner
            moves = isinstance(owner, Operation) and owner.name == "llvm.getelementptr"
            if isinstance(owner, Operation) and (moves or owner.name in ALIASES or owner.name in PARTS):
                work.append((owner.operands[0], part or moves or owner.name in PARTS))
                seen.add(owner.operands[0])
                continue
            target = self._target(here)
            if target is not None:
                found[target] = found.get(target, False) or part
            else:
                self._unfollowed.add(value)
        if work:
            self._unfollowed.add(value)
        return tuple(found.items())

    def _target(self, value: SSAValue) -> Target | None:
        owner = value.owner
        if isinstance(owner, Block):
            return self.argument(value)
        if owner.name == "memref.get_global":
            return "@" + str(owner.properties.get("name"))
        made = owner.name in _ALLOCATIONS or callee_of(owner) is not None
        return self._made.get(value) if made else None

    def handed_over(self, allocation: str) -> tuple[int, ...]:
        """Return the numbers of the results that ops named `allocation` allocate and nothing else refers
        to."""
        return tuple(
            made.result
            for value, made in self._made.items()
            if isinstance(value.owner, Operation)
            and value.owner.name == allocation
            and _is_handed_over(value)
        )

    @property
    def handed_on(self) -> tuple[tuple[int, str, int], ...]:
        """The results that calls return, in the format of `Summary.made_by`."""
        return tuple(
            (made.result, callee, value.index)
            for value, made in self._made.items()
            if isinstance(value, OpResult)
            and (callee := callee_of(value.op)) is not None
            and _is_handed_over(value)
        )

    def argument(self, value: SSAValue) -> int | None:
        """Return the number of the function argument `value`; None for any other value."""
        return value.index if isinstance(value, BlockArgument) and value.owner is self.entry else None

    def chosen(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        """Return the arguments that `values` are or alias; empty if a value may be anything else."""
        found = dict.fromkeys(target for value in values for target, _ in self.of(value))
        numbers = tuple(target for target in found if isinstance(target, int))
        is_all = len(numbers) == len(found) and self._unfollowed.isdisjoint(values)
        return numbers if is_all else ()

    def viewed(self, value: SSAValue) -> int | None:
        """Return the number of the argument that `value` is or aliases; None for anything else."""
        for _ in range(_STEPS):
            owner = value.owner
            if not isinstance(owner, Operation) or not (owner.name in ALIASES or owner.name in PARTS):
                return self.argument(value)
            value = owner.operands[0]
        return None
