"""Calls, loops and branches come and go in the model of a function, with the nodes in which what they do
stands.

They give nobody a token or memory; streams that they make, or work on, are all that tokens are.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model import detours
from gpuasync_lsp.analysis.model.building.graph import Graph
from gpuasync_lsp.analysis.model.building.liveness import is_needed
from gpuasync_lsp.analysis.model.building.objects import Objects
from gpuasync_lsp.analysis.model.building.steps import Touched
from gpuasync_lsp.analysis.model.building.streamed import resolve
from gpuasync_lsp.analysis.model.building.tasks import Tasks
from gpuasync_lsp.analysis.model.building.tokens import Tokens
from gpuasync_lsp.analysis.model.building.uses import note_uses
from gpuasync_lsp.analysis.model.building.values import Values
from gpuasync_lsp.analysis.model.building.waits import Waits
from gpuasync_lsp.analysis.model.function import (
    Access,
    AsyncFunction,
    AsyncOp,
    Detour,
    Handle,
    Kind,
    Node,
)
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.preconditions import unmet
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface, AsyncTokenType, LaunchFuncOp
from gpuasync_lsp.syntax.effects import is_harmless
from gpuasync_lsp.syntax.plain import HOST, only_computes


class Changed(NamedTuple):
    """What ops that came or went have to do with besides their own nodes."""

    handles: frozenset[Handle] = frozenset()
    """The streams that they name."""
    own: frozenset[Handle] = frozenset()
    """Those that they make."""
    values: tuple[SSAValue, ...] = ()
    """What they worked on that may be made elsewhere."""


class Rows(NamedTuple):
    """What the model of a function was made by, and what makes more of it."""

    function: AsyncFunction
    memory: Memory
    touched: Touched
    tasks: Tasks
    tokens: Tokens
    waits: Waits
    values: Values
    objects: Objects
    graph: Graph

    def put_in(self, op: Operation, node: Node, at: int) -> tuple[Node, int, Changed] | None:
        """Put `op` in before step `at` of `node`; return where it ends, None where something else has to do
        with it that is in the function."""
        function, inner = self.function, [*op.walk()]
        if self.tasks.known or any(
            type(value.type) is AsyncTokenType
            for each in inner
            if not isinstance(each, AsyncOpInterface)
            for value in each.operands
        ):
            return None
        counts = self._counts()
        infos = [self._registered(each) for each in inner if isinstance(each, AsyncOpInterface)]
        changed = self._resolve([info for info in infos if info is not None], {*inner})
        if None in infos or changed is None:
            return None
        self.objects.note(inner, self.memory)
        accesses: list[Access] = []
        for each in inner:
            note_uses(each, self.tokens, self.values, ())
            info = function.by_op.get(each)
            if info is None:
                self.touched.by_host[each] = self.memory.host(each)
                accesses += (a for work in self.memory.left_by_callee(each) for a in work)
            accesses += self.touched.by_host[each] if info is None else info.accesses
        if self._counts() != counts or not self._are_known(accesses, {*inner}):
            return None
        known, entry = len(function.nodes), Node(-1)
        end = self.graph.row([op], entry)
        come = function.nodes[known:]
        for each in inner:
            if function.node_of.get(each) is entry:
                function.node_of[each] = node
        if end is entry:
            node.steps[at:at] = entry.steps
            return node, at + len(entry.steps), changed
        if not self._is_of_itself(come, entry):
            return None
        self._behind(node, op, end)
        length = len(end.steps)
        detours.cut(function, node, at, end)
        node.steps += entry.steps
        node.edges = entry.edges
        return end, length, changed

    def leave_out(
        self, ops: Sequence[Operation], taken: Iterable[SSAValue], behind: Operation
    ) -> Changed | None:
        """Take `ops` out, which took these values, and their nodes, where `behind` is what is behind them.
        None where something else has to do with them."""
        function, own, values = self.function, {inner for op in ops for inner in op.walk()}, [*taken]
        if self.tasks.known or any(type(value.type) is AsyncTokenType for value in values):
            return None
        parts = own | {block for each in own for region in each.regions for block in region.blocks}
        gone = [node for node in function.nodes if node.of in parts]
        first, last = function.node_of[ops[0]], function.node_of.get(behind)
        accesses: list[Access] = []
        for node in {*(function.node_of[op] for op in ops), *gone}:
            accesses += (a for step in node.steps if step.op in own for a in step.accesses)
            node.steps = [step for step in node.steps if step.op not in own]
        infos = [info for each in own if (info := function.by_op.get(each)) is not None]
        changed = self._leave(infos, own)
        if changed is None:
            return None
        for each in own:
            info = function.by_op.pop(each, None)
            if info is not None and info.rejections:
                function.reject_others()
            accesses += self.touched.by_host.pop(each, ()) if info is None else info.accesses
            function.node_of.pop(each, None)
            for result in each.results:
                self.memory.places.known.pop(result, None)
        if any(own.intersection((*h.escapes, *h.lent, *h.passed)) for h in function.handles):
            return None
        for buffer in (*function.buffers, *function.names_of_memory):
            if own.intersection(buffer.escapes):
                buffer.escapes[:] = [each for each in buffer.escapes if each not in own]
        for access in accesses:
            if access.mode is Mode.FREE and access.op in access.buffer.frees:
                access.buffer.frees.remove(access.op)
        if gone:
            if last not in gone or not self._is_of_itself(gone, first, besides=last):
                return None
            function.detour = Detour(closed=(first, last), gone=frozenset(gone))
        values += (value for a in accesses for value in (a.value, a.buffer.value))
        return changed._replace(values=(*values, *(dep for info in infos for dep in info.deps)))

    def _registered(self, op: AsyncOpInterface) -> AsyncOp | None:
        """Note an op that works or waits, and return it; None where it is not known what it does."""
        function, profile = self.function, self.function.profile
        info = AsyncOp(op, op.name, tuple(op.async_dependencies), op.async_token, function.order[op])
        info.has_object = isinstance(op, LaunchFuncOp) and op.async_object is not None
        info.erased = profile.greedy_prepass and is_harmless(op, profile) and not is_needed(op, profile)
        if not info.erased:
            info.rejections = unmet(op, profile)
        if info.has_object or (info.rejections and (info.deps or info.token is not None)):
            return None
        if info.rejections:
            function.reject_others()
        function.by_op[op] = info
        insort(function.ops, info, key=_order)
        if isinstance(op, LaunchFuncOp):
            insort(function.launches, info, key=_order)
        return info

    def _resolve(self, infos: Sequence[AsyncOp], own: Set[Operation]) -> Changed | None:
        """Find the streams that ops run on, and what they wait for; None where these are no streams, or are
        joined that are made elsewhere."""
        function = self.function
        before, at = [*function.handles], number_of_first(function, infos[0].order) if infos else 0
        if any(info.deps or info.token is not None for info in infos) and not self._has_only_streams():
            return None
        if not all(_joins_own(info, own) for info in infos):
            return None
        self.waits.events = function.events
        for info in infos:
            resolve(info, self.tokens, self.objects, self.waits, self.memory)
        function.events = self.waits.events
        made = function.handles[len(before) :]
        function.handles[:] = [*before[:at], *made, *before[at:]]
        named = frozenset(self._named(infos))
        if any(handle.kind is not Kind.STREAM for handle in (*made, *named)):
            return None
        for handle in named:
            handle.tokens.sort(key=lambda token: function.order.get(token.owner, -1))  # type: ignore[arg-type]
            handle.enqueues.sort(key=_order)
            handle.joins.sort(key=_order)
            handle.waits.sort(key=function.place_of)
        function.waits.sort(key=function.place_of)
        return Changed(named, frozenset(made))

    def _leave(self, infos: Sequence[AsyncOp], own: Set[Operation]) -> Changed | None:
        """Let streams know nothing of these ops any more; None where something else has to do with them."""
        function, named = self.function, frozenset(self._named(infos))
        if named and not self._has_only_streams():
            return None
        if not all(_joins_own(info, own) for info in infos):
            return None
        for handle in named:
            handle.tokens[:] = [token for token in handle.tokens if token.owner not in own]
            handle.enqueues[:] = [info for info in handle.enqueues if info.op not in own]
            handle.joins[:] = [info for info in handle.joins if info.op not in own]
            handle.waits[:] = [wait for wait in handle.waits if wait.op not in own]
        function.waits[:] = [wait for wait in function.waits if wait.op not in own]
        for info in infos:
            if info.token is not None:
                del function.tokens[info.token]
            for table in (self.waits.of, self.waits.joins, self.waits.records):
                table.pop(info.op, None)
        made = frozenset(handle for handle in named if handle.op in own)
        if any(h.tokens or h.enqueues or h.joins or h.waits or h.goes_on for h in made):
            return None
        function.handles[:] = [handle for handle in function.handles if handle not in made]
        return Changed(named, made)

    def _named(self, infos: Iterable[AsyncOp]) -> Iterator[Handle]:
        for info in infos:
            given = map(self.function.tokens.get, info.deps)
            yield from (handle for handle in (info.handle, *given) if handle is not None)

    def _has_only_streams(self) -> bool:
        """Tell whether tokens are streams, none of which has another name."""
        return all(handle.kind is Kind.STREAM for handle in self.function.handles)

    def _counts(self) -> tuple[int, ...]:
        """Return how many pieces of memory, pointers and values there are that others may be about."""
        function, places = self.function, self.memory.places
        return (
            len(function.objects),
            len(places.buffers),
            len(places.names),
            len(places.made_of),
        )

    def _are_known(self, accesses: Iterable[Access], own: Set[Operation]) -> bool:
        """Tell whether the places of `accesses` depend on values of `own` ops, which are followed from now
        on, and on others that are followed."""
        symbols, made_of = self.touched.symbols, self.function.made_of
        for value in (v for access in accesses for s in access.symbols for v in (s, *made_of.get(s, ()))):
            owner = value.owner
            if (owner if isinstance(owner, Operation) else owner.parent_op()) in own:
                symbols.add(value)
            elif value not in symbols:
                return False
        return True

    def _is_of_itself(self, nodes: Sequence[Node], first: Node, besides: Node | None = None) -> bool:
        """Tell whether the ways from `first` through `nodes` give nothing its value, and ask for no condition
        that is asked for elsewhere: which ways are possible then is their own business."""
        own = {*nodes, first} - {besides}
        edges = [edge for node in own for edge in node.edges]
        if any(edge.passes or edge.moves or edge.copies for edge in edges):
            return False
        asked: dict[object, set[Node]] = {}
        for node in {*self.function.nodes, first}:
            for edge in node.edges:
                if edge.test is not None:
                    asked.setdefault(edge.test.subject, set()).add(node)
        return not any(len(nodes) > 1 and not own.isdisjoint(nodes) for nodes in asked.values())

    def _behind(self, node: Node, op: Operation, end: Node) -> None:
        """Let what stands behind `op` in `node` stand in `end`."""
        node_of, order = self.function.node_of, self.function.order
        last = max(order[each] for each in op.walk())
        for each, known in node_of.items():
            if known is node and order[each] > last:
                node_of[each] = end


def is_row(op: Operation) -> bool:
    """Tell whether `op` is one of these."""
    return not isinstance(op, AsyncOpInterface) and op.name not in HOST and not only_computes(op)


def number_of_first(function: AsyncFunction, order: int) -> int:
    """Return which of the handles one is that an op of this `order` is the first to name: they are in that
    order."""
    before = function.ops[: bisect_left(function.ops, order, key=_order)]
    named = {handle for each in before for handle in (each.handle, *map(function.tokens.get, each.deps))}
    return next((n for n, each in enumerate(function.handles) if each not in named), len(function.handles))


def _joins_own(info: AsyncOp, own: Set[Operation]) -> bool:
    """Tell whether an op records events behind none but `own` ops."""
    joins = info.token is not None and info.name == "gpu.wait"
    joins = joins or (info.name == "gpu.launch_func" and len(info.deps) > 1)
    return not joins or all(dep.owner in own for dep in info.deps)


def _order(info: AsyncOp) -> int:
    return info.order
