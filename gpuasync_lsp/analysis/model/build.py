"""Builds the AsyncFunction of a host function: tokens to handles, ops to steps, regions to a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from gpuasync_lsp.analysis.model.conditions import Test, case, is_less, truth
from gpuasync_lsp.analysis.model.context import FileContext
from gpuasync_lsp.analysis.model.dead import dead_ops
from gpuasync_lsp.analysis.model.function import (
    Access,
    Action,
    AsyncFunction,
    AsyncOp,
    Edge,
    Handle,
    Kind,
    Node,
    Step,
    Wait,
)
from gpuasync_lsp.analysis.model.legality import HOST_ONLY, rejections
from gpuasync_lsp.analysis.model.memory.accesses import Memory
from gpuasync_lsp.analysis.model.memory.buffers import Buffer, Place
from gpuasync_lsp.analysis.model.merging import Merging, merging
from gpuasync_lsp.analysis.model.passing import (
    CARRYING,
    LOOPS,
    PASSING,
    branch_pairs,
    region_arguments,
    region_values,
)
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.analysis.model.tasks import Tasks
from gpuasync_lsp.analysis.model.terms import Mode, Origin
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.dialects.gpu import AsyncOpInterface, AsyncTokenType
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.spans import SpanTable
from gpuasync_lsp.syntax.symbols import symbol_name


def build(
    op: Operation, spans: SpanTable, context: FileContext, profile: Profile, *, is_valid: bool
) -> AsyncFunction:
    """Return the model of the host function `op`, not yet run (`conclusions.run` does that).

    Blocks of a function are merged only where the verifier has nothing against it (`is_valid`): what merging
    does is learned by lowering a copy.
    """
    function = AsyncFunction(op, symbol_name(op), spans, profile, context)
    return _Builder(function).build(is_valid)


class _Way(NamedTuple):
    """A node to go on to, the values that get theirs on the way, and whether it begins another round."""

    node: Node
    targets: Sequence[SSAValue]
    back: bool = False


class _Builder:
    def __init__(self, function: AsyncFunction) -> None:
        self.function = function
        self.profile = function.profile
        self.memory = Memory(function)
        self.aliases: dict[SSAValue, SSAValue] = {}
        """Block arguments and region results that the version folds into the one value they carry."""
        self.incoming: dict[SSAValue, list[SSAValue]] = {}
        """What block arguments, region results and selects may be."""
        self.merging = Merging()
        self.columns: dict[SSAValue, list[SSAValue]] = {}
        """What a block argument that merging makes may be; below the one of each operand."""
        self.column_of: dict[SSAValue, SSAValue] = {}
        self.finding: set[SSAValue] = set()
        """Tokens whose handle is being looked for; one that is met again depends on itself, an error."""
        self.begun: set[tuple[Block | None, SSAValue]] = set()
        self.dead: frozenset[Operation] = frozenset()
        """Ops that the version erases before the conversion."""
        self.after: dict[Operation, list[Step]] = {}
        self.definitions: dict[SSAValue, list[Handle]] = {}
        self.waits: dict[Operation, list[Wait]] = {}
        self.events = 0
        self.tasks = Tasks((), 0)
        self.joined: dict[Operation, list[Step]] = {}
        """Per op that joins streams: its waits for the events recorded on them."""
        pipeline = function.context.pipeline
        self.touched: dict[Operation, tuple[Access, ...]] = {}
        """What host code does to memory."""
        self.symbols: set[SSAValue] = set()
        """Values that places in memory depend on."""
        self.scf_lowered = pipeline is None or any("convert-scf-to-cf" in step for step in pipeline)

    def build(self, is_valid: bool) -> AsyncFunction:
        function = self.function
        ops = [op for op in function.op.walk() if op is not function.op]
        self._skip_kernels(ops)
        if is_valid:
            self.merging = merging(function.op, self.profile, structured=self.scf_lowered)
        self._fold(ops)
        self.tasks = Tasks(ops, self.events)
        self.events = self.tasks.slots
        self.dead = dead_ops(ops, self.incoming, self.profile) if self.profile.greedy_prepass else frozenset()
        for order, op in enumerate(ops):
            function.order[op] = order
            if isinstance(op, AsyncOpInterface) and op.name not in HOST_ONLY:
                self._register(op, order)
            elif isinstance(op, OpaqueOp) and op.is_error:
                function.analysed = False
        for info in function.ops:
            self._resolve(info)
        for op in ops:
            self._uses(op)
            if op not in function.by_op and op.name != "async.yield":
                self.touched[op] = self.memory.host(op)
                if self.tasks.around(op):
                    for access in self.touched[op]:
                        access.task = access.mode is not Mode.FREE
        for accesses in (*self.touched.values(), *(info.accesses for info in function.ops)):
            for value in (v for access in accesses for v in access.region.symbols):
                self.symbols.update((value, *function.made_of.get(value, ())))
        self._members()
        self._graph()
        self.memory.places.close()
        function.events = self.events
        return function

    def _skip_kernels(self, ops: list[Operation]) -> None:
        """Drop the ops inside gpu.launch bodies: they run on the device."""
        hidden: set[Operation] = set()
        for op in ops:
            if op in hidden:
                continue
            if op.name == "gpu.launch":
                hidden.update(inner for inner in op.walk() if inner is not op)
        if hidden:
            ops[:] = [op for op in ops if op not in hidden]

    # Which values are one.

    def _fold(self, ops: list[Operation]) -> None:
        """Find the values that are another one.

        A select of one value folds in every version, and a result of scf.while is what scf.condition passes;
        block arguments, and the region results that become some, fold in the greedy rewrite of 21 and later.
        """
        incoming = self.incoming
        for op, leader in self.merging.leaders.items():
            self.aliases.update(
                (twin, value)
                for twin, value in zip(op.results, leader.results, strict=True)
                if isinstance(value.type, AsyncTokenType)
            )
        for op in ops:
            if op.name == "arith.select":
                if op.operands[1] is op.operands[2]:
                    self.aliases[op.results[0]] = op.operands[1]
                incoming[op.results[0]] = list(op.operands[1:])
            elif op.successors:
                for value, argument in branch_pairs(op):
                    incoming.setdefault(argument, []).append(value)
            elif self.scf_lowered and op.name in CARRYING:
                for number, result in enumerate(op.results):
                    incoming[result] = list(region_values(op, number))
                    if op.name == "scf.while" and incoming[result]:
                        self.aliases[result] = incoming[result][0]
                for region in op.regions:
                    for argument in region.blocks[0].args if region.blocks else ():
                        incoming[argument] = list(region_arguments(op, region, argument.index))
        changed = self.profile.greedy_prepass
        while changed:
            changed = False
            for target, values in incoming.items():
                if target in self.aliases or not isinstance(target.type, AsyncTokenType):
                    continue
                distinct = {self.resolve(v) for v in values}
                if len(distinct) == 1 and target not in distinct:
                    self.aliases[target] = distinct.pop()
                    changed = True

    def resolve(self, value: SSAValue) -> SSAValue:
        """Return the value that stands for `value` after folding."""
        seen = 0
        while value in self.aliases and seen < 100:
            value = self.aliases[value]
            seen += 1
        return value

    # Ops and their handles.

    def _register(self, op: AsyncOpInterface, order: int) -> None:
        token = op.async_token
        deps = tuple(self._given(op, number, dep) for number, dep in enumerate(op.async_dependencies))
        info = AsyncOp(op, op.name, deps, token, order)
        info.erased = op in self.dead
        if not info.erased:
            info.rejections = rejections(info, self.profile)
        self.function.ops.append(info)
        self.function.by_op[op] = info
        if op.name in ("gpu.launch_func", "gpu.launch"):
            self.function.launches.append(info)

    def _given(self, op: Operation, number: int, dep: SSAValue) -> SSAValue:
        """Return the value that an op depends on when blocks are merged: `dep`, or a new one in its place."""
        becomes = self.merging.operands.get((op, number))
        known = self.resolve(dep)
        if becomes is None or self.resolve(becomes) is known:
            return dep
        merged = isinstance(becomes.owner, Block)
        if merged and not isinstance(known.owner, AsyncOpInterface):
            return dep
        stands_in = Block(arg_types=[dep.type]).args[0]
        self.function.written[stands_in] = dep
        if merged:
            column = self.column_of.setdefault(becomes, stands_in)
            self.columns.setdefault(column, []).append(dep)
            becomes = column
        if becomes is not stands_in:
            self.aliases[stands_in] = becomes
        return stands_in

    def _new(self, kind: Kind, value: SSAValue, op: Operation | None) -> Handle:
        handle = Handle(kind, value, len(self.function.handles), op)
        if kind in (Kind.STREAM, Kind.NULL):
            handle.members = frozenset({handle})
        self.function.handles.append(handle)
        return handle

    def handle(self, value: SSAValue) -> Handle:
        """Return what the token `value` is in the lowered code."""
        tokens = self.function.tokens
        found = tokens.get(value)
        if found is None:
            if value in self.finding:
                return self._opaque(value, value)
            self.finding.add(value)
            found = self._find(value)
            self.finding.discard(value)
            tokens[value] = found
            found.tokens.append(value)
        return found

    def _find(self, value: SSAValue) -> Handle:
        folded = self.resolve(value)
        if folded is not value:
            return self.handle(folded)
        owner = value.owner
        if isinstance(owner, Operation):
            info = self.function.by_op.get(owner)
            if info is not None:
                return self._token_of(info, value)
            if owner.name == "async.await":
                return self._shared(owner.operands[0], value)
        elif (parent := owner.parent_op()) is not None and parent.name == "async.execute":
            passed = self._execute_operand(parent, value)
            if passed is not None:
                return self._shared(passed, value)
        return self._opaque(value, value)

    def _shared(self, source: SSAValue, value: SSAValue) -> Handle:
        """Return the one handle behind an `!async.value`, however often it is awaited."""
        source = self.resolve(source)
        known = self.function.tokens.get(source)
        if known is None:
            known = self._opaque(value, source)
            self.function.tokens[source] = known
        return known

    def _opaque(self, value: SSAValue, defined_by: SSAValue) -> Handle:
        made = self._new(Kind.OPAQUE, value, value.owner if isinstance(value.owner, Operation) else None)
        self.definitions.setdefault(defined_by, []).append(made)
        return made

    def _token_of(self, info: AsyncOp, value: SSAValue) -> Handle:
        if info.handle is None:
            info.handle = self._stream_of(info, value)
        return info.handle

    def _stream_of(self, info: AsyncOp, value: SSAValue) -> Handle:
        if info.name == "gpu.wait":
            return self._new(Kind.STREAM, value, info.op)
        if info.rejections:
            given = {self.handle(d) for d in info.deps}
            # Repaired, the op runs on the one stream that it depends on: later faults of that stream stay
            # true.
            if len(given) == 1 and not info.erased:
                return given.pop()
            return self._new(Kind.LEFT, value, info.op)
        if info.deps:
            return self.handle(info.deps[0])
        if info.name == "gpu.launch_func":
            return self._new(Kind.STREAM, value, info.op)
        return self._new(Kind.NULL, value, info.op)

    def _resolve(self, info: AsyncOp) -> None:
        for dep in info.deps:
            self.handle(dep)
        if info.token is not None:
            info.handle = self.handle(info.token)
        elif info.name != "gpu.wait" and info.deps:
            given = {self.handle(d) for d in info.deps}
            if len(given) == 1 or not info.rejections:
                info.handle = self.handle(info.deps[0])
        if info.erased:
            return
        if info.name != "gpu.wait":
            info.accesses = self.memory.device(info)
            for access in info.accesses:
                access.handle = info.handle
        if info.name == "gpu.wait" or (info.lowers and info.name == "gpu.launch_func"):
            self._order_after(info)
        if info.handle is not None and info.name != "gpu.wait":
            info.handle.enqueues.append(info)

    def _order_after(self, info: AsyncOp) -> None:
        """Note what a wait destroys, and the events by which an op waits for streams."""
        own = info.handle
        for number, dep in enumerate(info.deps):
            handle = self.handle(dep)
            if info.name == "gpu.launch_func":
                if number == 0:
                    continue
            elif info.token is None:
                self._wait(info.op, number, dep, handle, blocking=True)
                continue
            if not handle.is_stream:
                self._wait(info.op, number, dep, handle, blocking=False)
                continue
            handle.joins.append(info)
            event = self.events
            self.events += 1
            # The pass inserts after the op that defines the operand as written, before it folds anything
            # itself.
            defined = (self.resolve(dep) if self.profile.greedy_prepass else dep).owner
            assert isinstance(defined, Operation)
            record = Step(Action.RECORD, info.op, handle, event=event, source=info, operand=number)
            self.after.setdefault(defined, []).append(record)
            joined = Step(Action.AWAIT_EVENT, info.op, own, handle, info, event=event, operand=number)
            self.joined.setdefault(info.op, []).append(joined)

    def _wait(self, op: Operation, operand: int, value: SSAValue, handle: Handle, *, blocking: bool) -> Wait:
        wait = Wait(op, operand, value, handle, blocking, len(self.function.waits))
        self.function.waits.append(wait)
        handle.waits.append(wait)
        self.waits.setdefault(op, []).append(wait)
        return wait

    # Uses outside of gpu ops.

    def _uses(self, op: Operation) -> None:
        """Note where tokens go that no gpu op takes, and give handles to tokens that nothing uses."""
        for result in op.results:
            if isinstance(result.type, AsyncTokenType):
                self.handle(result)
        if op in self.function.by_op:
            return
        if op.name == "async.yield":
            if op.parent_op() in self.dead:
                return
            for number, value in enumerate(op.operands):
                if isinstance(value.type, AsyncTokenType):
                    self.function.yields.append((op, number, self.handle(value)))
            return
        for value in op.operands:
            if not isinstance(value.type, AsyncTokenType):
                continue
            handle = self.handle(value)
            if op.name in PASSING or op.name in CARRYING:
                if not self._is_folded_use(op, value):
                    handle.passed.append(op)
            else:
                handle.escapes.append(op)

    def _is_folded_use(self, op: Operation, value: SSAValue) -> bool:
        if op.successors:
            pairs = [argument for given, argument in branch_pairs(op) if given is value]
            return bool(pairs) and all(argument in self.aliases for argument in pairs)
        if op.name == "scf.yield" and (parent := op.parent_op()) is not None:
            return all(
                result in self.aliases
                for number, result in enumerate(parent.results)
                if number < len(op.operands) and op.operands[number] is value
            )
        return False

    # What opaque handles really are.

    def _members(self) -> None:
        handles = self.function.handles
        sources: dict[Handle, list[Handle | Origin]] = {}
        for handle in handles:  # Looking at what flows in may find further handles, which are appended.
            if handle.kind is Kind.OPAQUE:
                sources[handle] = list(self._incoming(handle))
        found: dict[Handle, set[Handle | Origin]] = {handle: set() for handle in sources}
        changed = True
        while changed:
            changed = False
            for handle, given in sources.items():
                known = found[handle]
                before = len(known)
                for source in given:
                    if isinstance(source, Origin):
                        known.add(source)
                    elif source.kind is Kind.OPAQUE:
                        known |= found[source]
                    else:
                        known.add(Origin.UNKNOWN if source.kind is Kind.LEFT else source)
                changed = changed or len(known) != before
        for handle, given in sources.items():
            handle.members = frozenset(found[handle] or {Origin.UNKNOWN})
            handle.sources = tuple(given)

    def _incoming(self, handle: Handle) -> Iterable[Handle | Origin]:
        value = handle.value
        owner = value.owner
        if value in self.columns:
            yield from (self.handle(v) for v in self.columns[value])
        elif isinstance(owner, Block):
            yield from self._incoming_argument(owner, value)
        elif owner.name == "async.await":
            yield from self._incoming_async(owner.operands[0])
        elif owner.name == "arith.select":
            yield from (self.handle(v) for v in owner.operands[1:])
        elif (callee := callee_of(owner)) is not None:
            yield from self._incoming_call(owner, callee, _number(value))
        elif owner.name == "builtin.unrealized_conversion_cast":
            yield (
                Origin.STREAM
                if owner.operands and owner.operands[0].type.name == "llvm.ptr"
                else Origin.UNKNOWN
            )
        elif owner.regions:
            number = _number(value)
            given = list(region_values(owner, number))
            yield from (self.handle(v) for v in given)
            if not given:
                yield Origin.UNKNOWN
        else:
            yield Origin.UNKNOWN

    def _incoming_argument(self, block: Block, value: SSAValue) -> Iterable[Handle | Origin]:
        parent = block.parent_op()
        region = block.parent
        number = _number(value)
        if region is None or parent is None:
            yield Origin.UNKNOWN
        elif parent is self.function.op and block is region.blocks[0]:
            yield from self.function.context.passed.get((self.function.name, number), {Origin.UNKNOWN})
        elif block is not region.blocks[0] or parent.name == "scf.execute_region":
            found = False
            for other in region.blocks:
                last = other.last_op
                for given, argument in branch_pairs(last) if last is not None and last.successors else ():
                    if argument is value:
                        found = True
                        yield self.handle(given)
            if not found:
                yield Origin.UNKNOWN
        elif parent.name == "async.execute":
            passed = self._execute_operand(parent, value)
            yield from self._incoming_async(passed) if passed is not None else (Origin.UNKNOWN,)
        else:
            given = list(region_arguments(parent, region, number))
            yield from (self.handle(v) for v in given)
            if not given:
                yield Origin.UNKNOWN

    def _execute_operand(self, execute: Operation, argument: SSAValue) -> SSAValue | None:
        block = execute.regions[0].blocks[0]
        number = argument.index if isinstance(argument, BlockArgument) and argument.block is block else -1
        values = list(execute.operands)
        at = len(values) - len(block.args) + number
        return values[at] if number >= 0 and 0 <= at < len(values) else None

    def _incoming_async(self, value: SSAValue) -> Iterable[Handle | Origin]:
        owner = value.owner
        if not isinstance(owner, Operation) or owner.name != "async.execute":
            yield Origin.EVENT
            return
        number = _number(value) - 1
        last = owner.regions[0].blocks[-1].last_op if owner.regions and owner.regions[0].blocks else None
        if last is None or last.name != "async.yield" or number >= len(last.operands):
            yield Origin.EVENT
            return
        yield self.handle(last.operands[number]) if self.yields_streams else Origin.EVENT

    @property
    def yields_streams(self) -> bool:
        """Whether async.yield hands out the raw stream (semantics 17)."""
        return self.profile.yield_keeps_stream_with_nvvm and self.function.context.nvvm_loaded

    def _incoming_call(self, call: Operation, callee: str, number: int) -> Iterable[Handle | Origin]:
        info = self.function.context.functions.get(callee)
        token = info.returns[number] if info is not None and number < len(info.returns) else Origin.UNKNOWN
        if isinstance(token, Origin):
            yield token
        elif token < len(call.operands) and isinstance(call.operands[token].type, AsyncTokenType):
            yield self.handle(call.operands[token])
        else:
            yield Origin.UNKNOWN

    # The graph.

    def _graph(self) -> None:
        function = self.function
        region = function.op.regions[0] if function.op.regions else None
        if region is None or not region.blocks:
            return
        entry = self._node()
        for argument in region.blocks[0].args:
            self._define(entry, argument, function.op)
        self._region(region, entry, None)

    def _node(self) -> Node:
        node = Node(len(self.function.nodes))
        self.function.nodes.append(node)
        return node

    def _define(self, node: Node, value: SSAValue, op: Operation) -> None:
        for handle in self.definitions.get(value, ()):
            node.steps.append(Step(Action.DEFINE, op, handle))

    def _region(self, region: Region, entry: Node, leave: _Way | None, repeat: _Way | None = None) -> None:
        """Fill the nodes of `region`; its terminator goes on to `repeat` or `leave`, or returns."""
        starts: dict[Block, Node] = {}
        for number, block in enumerate(region.blocks):
            starts[block] = entry if number == 0 else self._node()
        positions = {block: number for number, block in enumerate(region.blocks)}
        for block, start in starts.items():
            end = self._block(block, start)
            last = block.last_op
            if last is not None and last.successors:
                for number, (successor, when, test) in enumerate(_successors(last, self.function.spans)):
                    if successor in starts and test is not False:
                        back = positions[successor] <= positions[block]
                        edge = self._passing(
                            Edge(starts[successor], when, back, test=_known(test)), branch_pairs(last, number)
                        )
                        edge.of_branch = True
                        end.edges.append(edge)
            elif last is not None and last.name == "scf.condition":
                first = self.function.spans.value_name(last.operands[0])
                for way, goes_on in ((leave, False), (repeat, True)):
                    outcome = truth(last.operands[0], goes_on)
                    if way is not None and outcome is not False:
                        when = f"{first} is {'true' if goes_on else 'false'}"
                        edge = self._edge(way, tuple(last.operands)[1:], when, test=outcome)
                        edge.skips = None if goes_on else last.parent_op()
                        end.edges.append(edge)
            elif repeat is not None:
                given = last.operands if last is not None else ()
                end.edges.append(self._edge(repeat, given, back=repeat.back))
            elif leave is not None:
                end.edges.append(self._edge(leave, last.operands if last is not None else ()))
            elif last is not None and last.name not in ("llvm.unreachable", "ub.unreachable"):
                end.ends = last

    def _edge(
        self,
        way: _Way,
        given: Sequence[SSAValue],
        when: str = "",
        *,
        back: bool = False,
        test: Test | bool = True,
    ) -> Edge:
        return self._passing(
            Edge(way.node, when, back, test=_known(test)), zip(given, way.targets, strict=False)
        )

    def _passing(self, edge: Edge, pairs: Iterable[tuple[SSAValue, SSAValue]]) -> Edge:
        """Let `edge` give the opaque handles and the names for memory among the targets their value."""
        passes: list[tuple[Handle, Handle]] = []
        moves: list[tuple[Buffer, Place]] = []
        for value, target in pairs:
            handle = self.function.tokens.get(target)
            if handle is not None and handle.kind is Kind.OPAQUE and handle.value is target:
                passes.append((handle, self.handle(value)))
            elif (name := self._name(target)) is not None and (place := self.memory.place(value)) is not None:
                moves.append((name, place))
        edge.passes, edge.moves = tuple(passes), tuple(moves)
        return edge

    def _name(self, value: SSAValue) -> Buffer | None:
        """Return the name for memory that `value` is, if it is one."""
        place = self.memory.place(value)
        return (
            place.buffer
            if place is not None and place.buffer.is_name and place.buffer.value is value
            else None
        )

    def _block(self, block: Block, node: Node) -> Node:
        """Add the steps of `block` to `node`; return the node in which it ends."""
        for argument in block.args:
            self._renew(argument, node, block.first_op)
        for op in block.ops:
            self.function.node_of[op] = node
            info = self.function.by_op.get(op)
            if info is not None:
                self._async_op(info, node)
            elif op.regions and any(region.blocks for region in op.regions):
                node = self._region_op(op, node)
            else:
                self._host_op(op, node)
            if op.name == "arith.select" and (chosen := self._select(op, node)) is not None:
                node = chosen
            elif op.name not in CARRYING:
                for result in op.results:
                    self._define(node, result, op)
            for result in op.results:
                self._renew(result, node, op)
            node.steps += self.after.get(self.merging.leaders.get(op, op), ())
        return node

    def _select(self, op: Operation, node: Node) -> Node | None:
        """Let control take one of two ways, if a token or memory depends on it; return where they meet."""
        result = op.results[0]
        handle = self.function.tokens.get(result)
        if (handle is None or handle.value is not result or handle.kind is not Kind.OPAQUE) and self._name(
            result
        ) is None:
            return None
        after = self._node()
        name = self.function.spans.value_name(op.operands[0])
        for outcome, value in ((True, op.operands[1]), (False, op.operands[2])):
            test = truth(op.operands[0], outcome)
            if test is not False:
                way = _Way(after, (result,))
                node.edges.append(
                    self._edge(way, (value,), f"{name} is {'true' if outcome else 'false'}", test=test)
                )
        return after

    def _renew(self, value: SSAValue, node: Node, op: Operation | None) -> None:
        if value in self.symbols and op is not None:
            node.steps.append(Step(Action.RENEW, op, value=value))

    def _allocate(self, op: Operation, node: Node, info: AsyncOp | None = None) -> None:
        """Buffers that `op` makes, or hands out, are others each time."""
        for result in op.results:
            place = self.memory.place(result)
            if place is not None and not place.buffer.is_name and place.buffer.value is result:
                node.steps.append(Step(Action.ALLOCATE, op, source=info, buffer=place.buffer))

    def _async_op(self, info: AsyncOp, node: Node) -> None:
        steps, op = node.steps, info.op
        if info.erased:
            return
        self._allocate(op, node, info)
        self._columns(info, node)
        own = info.handle
        if own is not None and own.op is self.merging.leaders.get(op, op):
            action = Action.FOLLOW if own.kind is Kind.LEFT else Action.CREATE
            steps.append(Step(action, op, own, source=info))
        steps += self.joined.get(op, ())
        for wait in self.waits.get(op, ()):
            action = Action.BLOCK if wait.blocking else Action.CONSUME
            steps.append(Step(action, op, wait.handle, own, info, wait))
        if info.name == "gpu.wait":
            return
        if any(a.mode is Mode.FREE for a in info.accesses):
            steps.append(Step(Action.HOST, op, own, source=info, accesses=info.accesses))
            return
        complete = info.token is None
        steps.append(
            Step(
                Action.COMPLETE if complete else Action.ENQUEUE, op, own, source=info, accesses=info.accesses
            )
        )

    def _columns(self, info: AsyncOp, node: Node) -> None:
        """Where a merged block begins, its new arguments get their values."""
        for dep in info.deps:
            column = self.resolve(dep)
            if column in self.columns and (info.op.parent, column) not in self.begun:
                self.begun.add((info.op.parent, column))
                given = self.handle(self.function.written[dep])
                node.steps.append(Step(Action.DEFINE, info.op, self.handle(column), given, info))

    def _host_op(self, op: Operation, node: Node) -> None:
        if op.name == "async.yield":
            destroyed: set[Handle] = set()
            for _, number, handle in (y for y in self.function.yields if y[0] is op):
                self._yield(op, number, handle, node, destroyed)
            return
        if op.name != "memref.get_global":
            self._allocate(op, node)
        if callee_of(op) is not None:
            for token, there in self.memory.enqueued(op).items():
                handle = self.function.tokens.get(token)
                for access in there:
                    access.handle = handle
                node.steps.append(Step(Action.ENQUEUE, op, handle, accesses=there))
        for task in self.tasks.awaited(op):
            node.steps.append(Step(Action.AWAIT_TASK, op, event=task))
        accesses = self.touched.get(op, ())
        if accesses or callee_of(op) is not None:
            node.steps.append(Step(Action.HOST, op, accesses=accesses))

    def _yield(self, op: Operation, number: int, handle: Handle, node: Node, destroyed: set[Handle]) -> None:
        execute = op.parent_op()
        source = execute.results[number + 1] if execute and number + 1 < len(execute.results) else None
        target = self.function.tokens.get(source) if source is not None else None
        step = Step(Action.YIELD, op, handle, target)
        if self.yields_streams:
            handle.escapes.append(op)
        elif handle not in destroyed and (handle.is_stream or self._may_be_stream(handle)):
            destroyed.add(handle)
            step.wait = self._wait(op, number, op.operands[number], handle, blocking=False)
        node.steps.append(step)

    @staticmethod
    def _may_be_stream(handle: Handle) -> bool:
        return handle.kind is Kind.OPAQUE and Origin.STREAM in handle.really

    def _region_op(self, op: Operation, node: Node) -> Node:
        name = op.name
        spans = self.function.spans
        after = self._node()
        leave = _Way(after, op.results)
        first = spans.value_name(op.operands[0]) if op.operands else "the condition"
        if name == "scf.if" or name == "affine.if":
            for number, outcome in enumerate((True, False)):
                when = f"{first} is {'true' if outcome else 'false'}"
                test = truth(op.operands[0], outcome) if name == "scf.if" else True
                if test is False:
                    continue
                if number < len(op.regions) and op.regions[number].blocks:
                    self._enter(op.regions[number], node, leave, when, test)
                elif not outcome:
                    node.edges.append(Edge(after, when, test=_known(test)))
        elif not all(region.blocks for region in op.regions):
            node.edges.append(Edge(after))
        elif name in LOOPS:
            body, head = self._node(), self._node()
            arguments = op.regions[0].blocks[0].args
            carried = arguments[len(arguments) - len(op.results) :] if op.results else ()
            initial = tuple(op.operands)[len(op.operands) - len(op.results) :] if op.results else ()
            for way, runs in ((_Way(body, carried), True), (leave, False)):
                test = is_less(op.operands[0], op.operands[1], runs) if name == "scf.for" else True
                if test is not False:
                    when = "the loop runs" if runs else "the loop does not run"
                    edge = self._edge(way, initial, when, test=test)
                    edge.skips = None if runs else op
                    node.edges.append(edge)
            # What one round yields is the next round's argument, or the loop's result.
            self._region(op.regions[0], body, None, repeat=_Way(head, ()))
            yielded = op.regions[0].blocks[-1].last_op
            given = tuple(yielded.operands) if yielded is not None else ()
            head.edges.append(self._edge(_Way(body, carried), given, back=True))
            head.edges.append(self._edge(leave, given))
        elif name == "scf.while" and len(op.regions) == 2:
            before, body = self._node(), self._node()
            test, run = (_Way(n, r.blocks[0].args) for n, r in zip((before, body), op.regions, strict=True))
            node.edges.append(self._edge(test, op.operands))
            self._region(op.regions[0], before, leave, repeat=run)
            self._region(op.regions[1], body, None, repeat=test._replace(back=True))
        elif name == "scf.index_switch":
            cases = integers(cast("DenseArrayBase", op.properties["cases"]))
            for number, region in enumerate(op.regions):
                which = None if number == 0 else cases[number - 1]
                when = f"{first} is {_case_words(which)}"
                test = case(op.operands[0], which, frozenset(cases) if which is None else frozenset())
                if test is not False:
                    self._enter(region, node, leave, when, test)
        elif name == "async.execute" and (task := self.tasks.number(op)) is not None:
            node.steps.append(Step(Action.BEGIN_TASK, op, event=task, after=self.tasks.before(op)))
            self._enter(op.regions[0], node, _Way(after, ()), "")
            after.steps.append(Step(Action.END_TASK, op, event=task))
        elif name in ("scf.execute_region", "async.execute", "memref.alloca_scope"):
            self._enter(op.regions[0], node, leave if name != "async.execute" else _Way(after, ()), "")
        else:
            self._unknown_regions(op)
            node.edges.append(Edge(after))
        return after

    def _enter(self, region: Region, node: Node, leave: _Way, when: str, test: Test | bool = True) -> None:
        start = self._node()
        node.edges.append(Edge(start, when, test=_known(test)))
        self._region(region, start, leave)

    def _unknown_regions(self, op: Operation) -> None:
        """Let everything that a region of an unknown op touches escape: it may run any number of times."""
        for inner in op.walk():
            if inner is op:
                continue
            for value in inner.operands:
                handle = self.function.tokens.get(value)
                if handle is not None:
                    handle.escapes.append(op)
            for access in self.touched.get(inner, ()):
                access.buffer.escapes.append(op)


def _number(value: SSAValue) -> int:
    """Return which result of its op, or argument of its block, a value is."""
    return value.index if isinstance(value, OpResult | BlockArgument) else -1


def _successors(op: Operation, spans: SpanTable) -> Iterator[tuple[Block, str, Test | bool]]:
    """Yield the successors of a branch, with when control goes there, in words and as a test."""
    name = spans.value_name(op.operands[0]) if op.operands else ""
    cases: tuple[int, ...] = ()
    if op.name == "cf.switch" and "case_values" in op.properties:
        cases = tuple(
            cast("DenseIntOrFPElementsAttr[IntegerType]", op.properties["case_values"]).get_values()
        )
    for number, successor in enumerate(op.successors):
        if op.name == "cf.cond_br":
            outcome = number == 0
            words = f"{name} is {'true' if outcome else 'false'}"
            yield successor, words, truth(op.operands[0], outcome)
        elif op.name == "cf.switch":
            which = None if number == 0 else cases[number - 1]
            others = frozenset(cases) if which is None else frozenset[int]()
            yield successor, f"{name} is {_case_words(which)}", case(op.operands[0], which, others)
        else:
            yield successor, "", True


def _case_words(number: int | None) -> str:
    return "none of the cases" if number is None else str(number)


def _known(test: Test | bool) -> Test | None:
    return test if isinstance(test, Test) else None
