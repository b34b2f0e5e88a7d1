"""Adapts the model of a function to statements that come and go in a row.

These are copies, fills and launches that follow one token, and ops that compute numbers, also loops and
branches of these: they make no stream, event or buffer, so that all others stay what they are. What is
another is the work on some streams.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence, Set
from itertools import pairwise

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.building.again import is_plain, is_still_taken, renewed
from gpuasync_lsp.analysis.model.building.merging import is_one_block, may_merge
from gpuasync_lsp.analysis.model.function import WORK, Action, AsyncFunction, AsyncOp, Handle, Node, Step
from gpuasync_lsp.analysis.model.legality import rejections
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface, LaunchFuncOp
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.syntax.patch import Lines
from gpuasync_lsp.syntax.plain import KEPT
from gpuasync_lsp.text.effort import spend


def adapt_statements(
    function: AsyncFunction, lines: Lines, memory: Memory, symbols: Set[SSAValue]
) -> set[Handle] | None:
    """Make `function` the model, not run yet, in which `lines.made` are there and `lines.gone` are not.

    `memory` and `symbols`, the values that places depend on, are what it was built with. Returns the streams
    whose work is another: without one, what was concluded before still holds. None where it cannot be done;
    then `function` is no model of anything any more.
    """
    spend(10 * len(function.order))
    if any(op.regions for op in (*lines.gone, *lines.made)):
        function.is_one_block = is_one_block(function.op)
    if not function.is_one_block and may_merge(function.op, function.profile):
        return None
    change = _Change(function, lines, memory, symbols)
    if not change.is_local():
        return None
    change.order()
    if not change.leave_out() or not change.put_in() or not all(map(change.is_known_before, change.handles)):
        return None
    return change.handles


class _Change:
    """One edit of one function's model."""

    def __init__(self, function: AsyncFunction, lines: Lines, memory: Memory, symbols: Set[SSAValue]) -> None:
        self.handles: set[Handle] = set()
        self._function = function
        self._gone, self._made = lines.gone, lines.made
        self._all_gone, self._all_made = _with_inner(lines.gone), _with_inner(lines.made)
        self._taken = lines.taken
        self._memory, self._symbols = memory, symbols
        behind = lines.made[-1].next_op if lines.made else lines.behind
        self._behind = behind
        self._node = None if behind is None else function.node_of.get(behind)
        self._left: dict[SSAValue, Handle] = {}
        """The tokens that are gone, each with its handle."""
        self._records: dict[AsyncOp, list[Step]] = {}
        """Of ops that are gone: the events that were recorded behind them."""

    def is_local(self) -> bool:
        """Tell whether nothing is concerned but the ops themselves, and streams that there are."""
        function, profile = self._function, self._function.profile
        if not all(op in function.order for op in self._gone):
            return False
        if self._made and (self._node is None or self._made[0].prev_op is None):
            return False
        own = {*self._all_gone, *self._all_made}
        results = [result for op in own for result in op.results]
        if any(result in self._symbols or result in function.made_of for result in results):
            return False
        numbers = {op for op in own if not isinstance(op, AsyncOpInterface)}
        if len(numbers) < len(own) and any(op.regions for op in numbers):
            return False  # What was taken inside of what is gone is not known any more.
        if profile.greedy_prepass:
            if not all(is_harmless(op, profile) for op in (*self._gone, *self._made) if op in numbers):
                return False
            if len(numbers) < len(own):
                values = {value for values in self._taken for value in values}
                values.update(value for op in self._made for value in op.operands)
                taken = (value for value in values if value.owner not in own)
                if not all(is_still_taken(function, value, own) for value in taken):
                    return False
        return not any(self._memory.host(op) for op in self._all_made if op in numbers)

    def order(self) -> None:
        """Number the ops anew."""
        function, gone = self._function, set(self._all_gone)
        order: list[Operation] = []
        for op in function.order:
            if op is self._behind:
                order += self._all_made
            if op not in gone:
                order.append(op)
        function.order = {op: number for number, op in enumerate(order)}
        if any(op in function.by_op for op in gone):
            function.ops = [info for info in function.ops if info.op not in gone]
            function.launches = [info for info in function.launches if info.op not in gone]
        for info in function.ops:
            info.order = function.order[info.op]

    def leave_out(self) -> bool:
        """Take what is gone out of the model."""
        function = self._function
        for op in self._all_gone:
            if op not in function.by_op:
                function.node_of.pop(op, None)
        for op, taken in zip(self._gone, self._taken, strict=True):
            node = function.node_of.pop(op, None)
            info = function.by_op.pop(op, None)
            if info is None:
                continue
            handle = info.handle
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
            del node.steps[at:end]
            handle.enqueues.remove(info)
            if info.token is not None:
                handle.tokens.remove(info.token)
                del function.tokens[info.token]
                self._left[info.token] = handle
            self.handles.add(handle)
        return True

    def put_in(self) -> bool:
        """Put what was made into the model."""
        node = self._node
        records = [step for steps in self._records.values() for step in steps]
        if node is None:
            return not records
        at = self._first_behind(node)
        self._function.node_of.update(dict.fromkeys(self._all_made, node))
        for op in self._made:
            if not isinstance(op, AsyncOpInterface):
                continue
            info = self._info(op)
            if info is None or info.handle is None:
                return False
            own = [step for step in records if step.source is not None and info.token in step.source.deps]
            node.steps[at:at] = [
                Step(Action.ENQUEUE, op, info.handle, source=info, accesses=info.accesses),
                *own,
            ]
            at += 1 + len(own)
            records = [step for step in records if step not in own]
            self.handles.add(info.handle)
        return not records and self._users_stay()

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

    def _first_behind(self, node: Node) -> int:
        """Return the number of the first step in `node` of what is behind the statements."""
        op = self._behind
        while op is not None and self._function.node_of.get(op) is node:
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
        info.rejections = rejections(info, function.profile)
        if not _only_works(info) or info.token is None:
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


def _with_inner(ops: Sequence[Operation]) -> list[Operation]:
    return [inner for op in ops for inner in op.walk()]


def _only_works(info: AsyncOp) -> bool:
    if info.has_object:
        return False
    return len(info.deps) == 1 and info.token is not None and info.lowers and info.name in KEPT


def _is_work_of(step: Step, info: AsyncOp) -> bool:
    return step.source is info and step.action in WORK


def _position(function: AsyncFunction, tokens: Sequence[SSAValue]) -> list[int] | None:
    """Return where tokens stand in the text; None if they are not in its order."""
    found = [
        -1 if isinstance(token.owner, Block) else function.order.get(token.owner, -1) for token in tokens
    ]
    return found if all(a < b for a, b in pairwise(found)) else None
