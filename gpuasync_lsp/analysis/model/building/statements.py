"""Adapts the model of a function to statements that come and go in a row.

These are copies, fills, launches, frees and allocations that follow one token, ops that compute numbers,
also loops and branches of these, loads and stores by the host, and what `rows.py` puts in: they make no
stream or event, and memory only that nobody takes, so that all others stay what they are. What is another is
the work on some streams. Where a gpu.wait comes or goes, which makes, joins or destroys streams, these get
other numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence, Set
from itertools import pairwise

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model import detours
from gpuasync_lsp.analysis.model.building.again import in_symbols, is_plain, renewed
from gpuasync_lsp.analysis.model.building.liveness import become_others, is_needed
from gpuasync_lsp.analysis.model.building.merging import is_one_block, may_merge
from gpuasync_lsp.analysis.model.building.rows import Changed, Rows, is_row, number_of_first
from gpuasync_lsp.analysis.model.function import (
    WORK,
    Action,
    Adapted,
    AsyncFunction,
    AsyncOp,
    Handle,
    Kind,
    Node,
    Step,
    Wait,
)
from gpuasync_lsp.analysis.model.memory.sparse import has_handles
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.preconditions import unmet
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface, LaunchFuncOp
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.syntax.patch import Lines
from gpuasync_lsp.syntax.plain import ALLOC, DEALLOC, HOST, KEPT
from gpuasync_lsp.text.effort import spend


def adapt_statements(function: AsyncFunction, lines: Lines, rows: Rows) -> Adapted | None:
    """Make `function` the model, not run yet, in which `lines.made` are there and `lines.gone` are not.

    `rows` has what it was built with. None where it cannot be done; then `function` is no model of anything
    any more.
    """
    spend(10 * len(function.order))
    if any(op.regions for op in (*lines.gone, *lines.made)):
        function.is_one_block = is_one_block(function.op)
    function.may_merge = not function.is_one_block and may_merge(function.op, function.profile)
    if function.may_merge:
        return None
    change = _Change(function, lines, rows)
    if not change.is_local():
        return None
    change.order()
    if not change.leave_out() or not change.redo() or not change.put_in():
        return None
    if not all(map(change.is_known_before, change.known)):
        return None
    function.number_handles()
    if function.detour is not None:
        detours.number(function)
    return Adapted(change.handles, bool(change.handles) or change.touches)


class _Change:
    """One edit of one function's model."""

    def __init__(self, function: AsyncFunction, lines: Lines, rows: Rows) -> None:
        self.handles: set[Handle] = set()
        self._function = function
        self._gone, self._made = lines.gone, lines.made
        self._all_gone, self._all_made = _with_inner(lines.gone), _with_inner(lines.made)
        self._taken = lines.taken
        self._rows, self._memory, self._symbols = rows, rows.memory, rows.touched.symbols
        self.touches = any(op.name in HOST or is_row(op) for op in (*lines.gone, *lines.made))
        """Whether the host does something otherwise than to streams."""
        self._in_rows = {*_with_inner([op for op in (*lines.gone, *lines.made) if is_row(op)])}
        behind = lines.made[-1].next_op if lines.made else lines.behind
        self._behind = behind
        self._node = None if behind is None else function.node_of.get(behind)
        self._left: dict[SSAValue, Handle] = {}
        """The tokens that are gone, each with its handle."""
        self._records: dict[AsyncOp, list[Step]] = {}
        """Of ops that are gone: the events that were recorded behind them."""
        self._others: set[Handle] = set()
        """Streams that are made now, or were made before."""
        self._values: list[SSAValue] = []
        """What the statements take, and took."""

    @property
    def known(self) -> Set[Handle]:
        """The streams that were there before, and still are."""
        return self.handles - self._others

    def is_local(self) -> bool:
        """Tell whether nothing is concerned but the ops themselves, and streams that there are."""
        function, profile = self._function, self._function.profile
        if not all(op in function.order for op in self._gone):
            return False
        if self._made and (self._node is None or self._made[0].prev_op is None):
            return False
        every = {*self._all_gone, *self._all_made}
        own = every - self._in_rows
        if any(has_handles(op) for op in every):
            return False
        results = [result for op in own for result in op.results]
        if any(result in self._symbols or result in function.made_of for result in results):
            return False
        numbers = {op for op in own if not isinstance(op, AsyncOpInterface)}
        touch = {op for op in numbers if op.name in HOST}
        took = zip(self._gone, self._taken, strict=True)
        if touch and not self._is_plain_host(v for op, values in took if op.name in HOST for v in values):
            return False
        if profile.greedy_prepass:
            rest = numbers - touch
            if not all(is_harmless(op, profile) for op in (*self._gone, *self._made) if op in rest):
                return False
            if len(rest) < len(every):
                self._values += (value for values in self._taken for value in values)
                self._values += (value for op in self._all_made for value in op.operands)
        return not any(self._memory.host(op) for op in self._all_made if op in numbers - touch)

    def _is_plain_host(self, taken: Iterable[SSAValue]) -> bool:
        """Tell whether the host, which takes these values, does what it does to memory in its own turn, and
        to memory itself."""
        around = None if self._behind is None else self._behind.parent_op()
        while around is not None and around is not self._function.op:
            if around.name == "async.execute":
                return False
            around = around.parent_op()
        return all(is_plain(self._function, value, self._memory) for value in taken)

    def order(self) -> None:
        """Number the ops anew."""
        function, gone = self._function, set(self._all_gone)
        ops = [*function.order]
        numbers = sorted((function.order[op] for op in gone if op in function.order), reverse=True)
        first = len(ops) if self._behind is None else function.order[self._behind]
        at = first - sum(number < first for number in numbers)
        for number in numbers:
            del ops[number]
        ops[at:at] = self._all_made
        function.order = dict(zip(ops, range(len(ops)), strict=True))
        if any(op in function.by_op for op in gone):
            function.ops = [info for info in function.ops if info.op not in gone]
            function.launches = [info for info in function.launches if info.op not in gone]
        order = function.order
        for info in function.ops[bisect_left(function.ops, min((first, *numbers)), key=lambda e: e.order) :]:
            info.order = order[info.op]

    def leave_out(self) -> bool:
        """Take what is gone out of the model."""
        function = self._function
        rows = {op: taken for op, taken in zip(self._gone, self._taken, strict=True) if op in self._in_rows}
        if rows:
            if self._behind is None:
                return False
            taken = [value for values in rows.values() for value in values]
            changed = self._rows.leave_out([*rows], taken, self._behind)
            if changed is None:
                return False
            self._note(changed)
        for op in self._all_gone:
            if op not in function.by_op and op.name not in HOST:
                function.node_of.pop(op, None)
        # What waits for work goes first, with the events that are recorded behind that.
        for op, taken in reversed([*zip(self._gone, self._taken, strict=True)]):
            node = function.node_of.pop(op, None)
            info = function.by_op.pop(op, None)
            if op in self._in_rows:
                continue
            if info is None:
                if op.name in HOST and (node is None or not _leave_out_host(op, node)):
                    return False
                continue
            if info.name == "gpu.wait":
                if node is None or not self._leave_out_wait(info, node):
                    return False
                continue
            if not self._leave_out_work(info, node, taken):
                return False
        # Work on a stream is gone with it, or behind it.
        return all(map(self._forget, [h for h in function.handles if h.op in self._gone]))

    def _leave_out_work(self, info: AsyncOp, node: Node | None, taken: Sequence[SSAValue]) -> bool:
        """Take work out that follows one token, from `node`, with what it was given."""
        function, op, handle = self._function, info.op, info.handle
        if info.erased and info.token is not None and handle is not None:
            handle.tokens.remove(info.token)
            del function.tokens[info.token]
            self.handles.add(handle)
            return True
        if handle is None or not _only_works(info) or handle.op is op or handle.value is info.token:
            return False
        if node is None or not all(is_plain(function, value, self._memory) for value in taken):
            return False
        at = next((n for n, step in enumerate(node.steps) if _is_work_of(step, info)), -1)
        if at < 0:
            return False
        end = at + 1
        while end < len(node.steps) and node.steps[end].action is Action.RECORD:
            end += 1
        self._records[info] = node.steps[at + 1 : end]
        if info.name == ALLOC:
            if not self._forget_buffer(info, node.steps[at - 1]):
                return False
            at -= 1
        del node.steps[at:end]
        for access in info.accesses:
            if access.mode is Mode.FREE:
                access.buffer.frees.remove(op)
        handle.enqueues.remove(info)
        if info.token is not None:
            handle.tokens.remove(info.token)
            del function.tokens[info.token]
            self._left[info.token] = handle
        self.handles.add(handle)
        return True

    def _forget_buffer(self, info: AsyncOp, step: Step) -> bool:
        """Let what `step` allocates for `info` be no memory any more; tell whether it is that."""
        buffers = self._function.buffers
        if step.action is not Action.ALLOCATE or step.source is not info or step.buffer is None:
            return False
        buffers.remove(step.buffer)
        for number, buffer in enumerate(buffers):
            buffer.index = number
        del self._memory.places.known[step.buffer.value]
        return True

    def _leave_out_wait(self, info: AsyncOp, node: Node) -> bool:
        """Take a gpu.wait out, with what it destroyed and joined; its own stream goes when nothing is left of
        it."""
        function, op = self._function, info.op
        if info.erased or any(handle.kind is Kind.OPAQUE for handle in function.handles):
            return False
        for wait in [wait for wait in function.waits if wait.op is op]:
            function.waits.remove(wait)
            wait.handle.waits.remove(wait)
            self.handles.add(wait.handle)
        events = {step.event for step in node.steps if step.action is Action.AWAIT_EVENT and step.op is op}
        steps = [step for step in node.steps if step.source is not info and step.op is not op]
        if sum(step.action is Action.RECORD and step.op is op for step in node.steps) != len(events):
            return False
        for dep in info.deps if events else ():
            handle = function.tokens.get(dep) or self._left[dep]
            if info in handle.joins:
                handle.joins.remove(info)
            self.handles.add(handle)
        node.steps[:] = steps
        if info.token is not None and (handle := info.handle) is not None:
            if handle.kind is not Kind.STREAM or handle.value is not info.token:
                return False
            handle.tokens.remove(info.token)
            del function.tokens[info.token]
            self._left[info.token] = handle
        return True

    def _forget(self, handle: Handle) -> bool:
        """Take a stream out that nothing makes any more; tell whether nothing has to do with it."""
        function = self._function
        if handle.tokens or handle.waits or handle.joins or handle.enqueues or handle.goes_on:
            return False
        function.handles.remove(handle)
        self.handles.add(handle)
        self._others.add(handle)
        return True

    def _note(self, changed: Changed) -> None:
        self.handles |= changed.handles
        self._others |= changed.own
        self._values += changed.values

    def redo(self) -> bool:
        """Take out and put in again what is erased, or is not any more, as others take what it makes."""
        function, own = self._function, {*self._all_gone, *self._all_made}
        again = become_others(function, self._values, own)
        if again is None or any(op.name != ALLOC for op in again):
            return False
        again.sort(key=function.order.__getitem__)
        for op in reversed(again):
            info = function.by_op.pop(op)
            function.ops.remove(info)
            if not self._leave_out_work(info, function.node_of.get(op), op.operands):
                return False
            if self._records.pop(info, None):
                return False
            if info.token is not None:
                self._left.pop(info.token, None)
        for op in again:
            node = function.node_of.get(op)
            assert isinstance(op, AsyncOpInterface)
            if node is None or self._put_in_work(op, node, self._first_behind(node, op.next_op), []) is None:
                return False
        function.redone = again
        return True

    def put_in(self) -> bool:
        """Put what was made into the model."""
        function, node = self._function, self._node
        records = [step for steps in self._records.values() for step in steps]
        if node is None:
            return not records
        at = self._first_behind(node, self._behind)
        for op in self._made:
            if op in self._in_rows:
                end = self._rows.put_in(op, node, at)
                if end is None:
                    return False
                node, at, changed = end
                self._note(changed)
                continue
            function.node_of.update(dict.fromkeys(op.walk(), node))
            if op.name in HOST:
                if not self._is_plain_host(op.operands):
                    return False
                accesses = in_symbols(function, self._memory.host(op), self._symbols)
                if not accesses:
                    return False
                node.steps.insert(at, Step(Action.HOST, op, accesses=accesses))
                at += 1
                continue
            if not isinstance(op, AsyncOpInterface):
                continue
            if op.name == "gpu.wait":
                number = self._put_in_wait(op, node, at)
                if number is None:
                    return False
                at += number
                continue
            number = self._put_in_work(op, node, at, records)
            if number is None:
                return False
            at += number
        return not records and self._users_stay()

    def _put_in_work(self, op: AsyncOpInterface, node: Node, at: int, records: list[Step]) -> int | None:
        """Put work in that follows one token, from step `at` of `node` on, with those of `records` that are
        of its token; return how many steps it is, or None where it cannot be done."""
        function, info = self._function, self._info(op)
        if info is None or info.handle is None:
            return None
        self.handles.add(info.handle)
        if info.erased:
            return 0
        own = [step for step in records if step.source is not None and info.token in step.source.deps]
        records[:] = [step for step in records if step not in own]
        freed = [access.buffer for access in info.accesses if access.mode is Mode.FREE]
        for buffer in freed:
            buffer.frees.sort(key=function.order.__getitem__)
        action = Action.HOST if freed else Action.ENQUEUE
        steps = [Step(action, op, info.handle, source=info, accesses=info.accesses), *own]
        if op.name == ALLOC:
            place = self._memory.place(op.results[0])
            if place is None or place.buffer.is_name:
                return None
            steps.insert(0, Step(Action.ALLOCATE, op, source=info, buffer=place.buffer))
        node.steps[at:at] = steps
        return len(steps)

    def _put_in_wait(self, op: AsyncOpInterface, node: Node, at: int) -> int | None:
        """Put a gpu.wait in, with its steps from number `at` of `node` on; return how many steps came in
        front of what is behind it, or None where it cannot be done."""
        function = self._function
        deps = tuple(op.async_dependencies)
        info = AsyncOp(op, op.name, deps, op.async_token, function.order[op])
        given = [function.tokens.get(dep) for dep in deps]
        if unmet(op, function.profile) or any(h.kind is Kind.OPAQUE for h in function.handles):
            return None
        steps: list[Step] = []
        if info.token is not None:
            if function.profile.greedy_prepass and is_harmless(op, function.profile):
                return None
            handle = Handle(Kind.STREAM, info.token, 0, op, tokens=[info.token])
            handle.members = frozenset({handle})
            function.handles.insert(number_of_first(function, info.order), handle)
            function.tokens[info.token] = info.handle = handle
            self.handles.add(handle)
            self._others.add(handle)
            steps.append(Step(Action.CREATE, op, handle, source=info))
        recorded = 0
        for number, (dep, other) in enumerate(zip(deps, given, strict=True)):
            if other is None or not other.is_stream or dep.owner not in function.by_op:
                return None
            self.handles.add(other)
            if info.token is None:
                wait = self._waiting(Wait(op, number, dep, other))
                steps.append(Step(Action.BLOCK, op, other, source=info, wait=wait))
                continue
            other.joins.insert(bisect_left([join.order for join in other.joins], info.order), info)
            event = function.events
            function.events += 1
            record = Step(Action.RECORD, op, other, source=info, event=event, operand=number)
            behind = self._behind_definition(dep, node, (info.order, number))
            if behind is None or behind > at:
                return None
            node.steps.insert(behind, record)
            at += 1
            recorded += 1
            steps.append(Step(Action.AWAIT_EVENT, op, info.handle, other, info, event=event, operand=number))
        node.steps[at:at] = steps
        function.by_op[op] = info
        function.ops.insert(bisect_left(function.ops, info.order, key=lambda e: e.order), info)
        return recorded + len(steps)

    def _waiting(self, wait: Wait) -> Wait:
        """Note a wait, in the order of the text."""
        function = self._function
        function.note(wait)
        for waits in (function.waits, wait.handle.waits):
            waits.insert(bisect_left(waits[:-1], function.place_of(wait), key=function.place_of), waits.pop())
        return wait

    def _behind_definition(self, dep: SSAValue, node: Node, place: tuple[int, int]) -> int | None:
        """Return the number of the step in `node` in front of which the event is recorded by which the
        operand at this `place`, the order of its op and its number, waits for `dep`."""
        function, definer = self._function, dep.owner
        if not isinstance(definer, Operation) or function.node_of.get(definer) is not node:
            return None

        def is_before(step: Step) -> bool:
            if step.action is not Action.RECORD:
                return step.op is definer
            join, number = step.source, step.operand or 0
            if join is None or join.deps[number].owner is not definer:
                return False
            return (join.order, number) < place

        return next((n + 1 for n in range(len(node.steps) - 1, -1, -1) if is_before(node.steps[n])), None)

    def is_known_before(self, handle: Handle) -> bool:
        """Tell whether something else in front of the statements names `handle`: it has its number from the
        first op that does."""
        order = self._function.order
        first = self._made[0] if self._made else self._behind
        if first is None:
            return False
        others = (
            handle.op,
            *(info.op for info in (*handle.enqueues[:1], *handle.joins[:1])),
            *(wait.op for wait in handle.waits[:1]),
        )
        return any(op is not None and order.get(op, len(order)) < order[first] for op in others)

    def _first_behind(self, node: Node, op: Operation | None) -> int:
        """Return the number of the first step in `node` of `op`, or of what is behind it."""
        while op is not None and self._function.node_of.get(op, node) is node:
            for number, step in enumerate(node.steps):
                if step.op is op and step.action is not Action.RECORD:
                    return number
            op = op.next_op
        return len(node.steps)

    def _info(self, op: AsyncOpInterface) -> AsyncOp | None:
        """Register `op`; None if it does not simply go on on the stream of its one dependency."""
        function = self._function
        deps = tuple(op.async_dependencies)
        info = AsyncOp(op, op.name, deps, op.async_token, function.order[op])
        info.has_object = isinstance(op, LaunchFuncOp) and op.async_object is not None
        info.erased = (
            op.name == ALLOC
            and function.profile.greedy_prepass
            and is_harmless(op, function.profile)
            and not is_needed(op, function.profile)
        )
        if not info.erased:
            info.rejections = unmet(op, function.profile)
        if info.has_object or len(deps) != 1 or info.token is None or info.rejections:
            return None
        handle = function.tokens.get(deps[0])
        maker = function.by_op.get(deps[0].owner) if isinstance(deps[0].owner, Operation) else None
        if handle is None or (maker is not None and maker.erased):
            return None
        if not all(is_plain(function, value, self._memory) for value in op.operands[1:]):
            return None
        accesses = renewed(function, info, self._memory, self._symbols)
        if accesses is None:
            return None
        info.handle, info.accesses = handle, accesses
        for access in accesses:
            access.handle = handle
        number = _position(function, handle.tokens)
        if number is None:
            return None
        handle.tokens.insert(bisect_left(number, info.order), info.token)
        if not info.erased:
            handle.enqueues.insert(bisect_left([e.order for e in handle.enqueues], info.order), info)
        function.tokens[info.token] = handle
        function.by_op[op] = info
        function.ops.insert(bisect_left(function.ops, info.order, key=lambda e: e.order), info)
        if isinstance(op, LaunchFuncOp):
            launches = function.launches
            launches.insert(bisect_left(launches, info.order, key=lambda e: e.order), info)
        for use in info.token.uses:
            self._taken_by(use.operation, info.token)
        return info

    def _taken_by(self, user: Operation, token: SSAValue) -> None:
        """Let `user` depend on `token` in the place of one that is gone."""
        info = self._function.by_op.get(user)
        if info is None or not isinstance(user, AsyncOpInterface):
            return
        before, info.deps = info.deps, tuple(user.async_dependencies)
        for old, new in zip(before, info.deps, strict=True):
            if old is not new and (handle := self._left.get(old)) is not None:
                for wait in handle.waits:
                    if wait.op is user and wait.value is old:
                        wait.value = new

    def _users_stay(self) -> bool:
        """Tell whether all that takes a token takes one of the stream that it took one of."""
        function = self._function
        for op in self._made:
            info = function.by_op.get(op)
            if info is None or info.token is None:
                continue
            users = {use.operation for use in info.token.uses} - {*self._made}
            if users and info.handle not in self._left.values():
                return False
            if len(set(self._left.values())) > 1 and users:
                return False
        return True


def _leave_out_host(op: Operation, node: Node) -> bool:
    """Take out what the host does at `op`; tell whether it was one step."""
    steps = [number for number, step in enumerate(node.steps) if step.op is op]
    if len(steps) != 1 or node.steps[steps[0]].action is not Action.HOST:
        return False
    del node.steps[steps[0]]
    return True


def _with_inner(ops: Sequence[Operation]) -> list[Operation]:
    return [inner for op in ops for inner in op.walk()]


def _only_works(info: AsyncOp) -> bool:
    if info.has_object:
        return False
    does_work = info.name in KEPT or info.name in (ALLOC, DEALLOC)
    return len(info.deps) == 1 and info.token is not None and info.lowers and does_work


def _is_work_of(step: Step, info: AsyncOp) -> bool:
    return step.source is info and (step.action in WORK or step.action is Action.HOST)


def _position(function: AsyncFunction, tokens: Sequence[SSAValue]) -> list[int] | None:
    """Return where tokens stand in the text; None if they are not in its order."""
    found = [
        -1 if isinstance(token.owner, Block) else function.order.get(token.owner, -1) for token in tokens
    ]
    return found if all(a < b for a, b in pairwise(found)) else None
