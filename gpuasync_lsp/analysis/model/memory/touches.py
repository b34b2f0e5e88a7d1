"""The memory part of the abstract state: conflicting accesses, writes, frees and leaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.function import Access, AsyncFunction, Edge, bits_of
from gpuasync_lsp.analysis.model.memory.buffers import Buffer, Place
from gpuasync_lsp.analysis.model.memory.coverage import Written, reads_something, touch_other_bytes
from gpuasync_lsp.analysis.model.memory.linear import Linear, of_value
from gpuasync_lsp.analysis.model.memory.parts import Moves, have_nothing_in_common, unmoved
from gpuasync_lsp.analysis.model.memory.places import seen_through
from gpuasync_lsp.analysis.model.memory.regions import UNKNOWN_PART, Extent, Overlap, Region, compare
from gpuasync_lsp.analysis.model.passing import LOOPS
from gpuasync_lsp.analysis.model.state import State, few
from gpuasync_lsp.analysis.model.terms import TOUCHING
from gpuasync_lsp.syntax.effects import Mode

HARMLESS = (Mode.READ, Mode.MAY)
"""Modes of accesses that do not, or only possibly, conflict with each other."""
_CONFLICTING = TOUCHING | {Mode.FREE, Mode.UNREGISTER}
"""Modes that conflict with a concurrent access to the memory."""
WRITES = (Mode.WRITE, Mode.BOTH, Mode.ATOMIC, Mode.MAY)


class Touches:
    """Numbers the accesses of a function, and applies each one to a state."""

    def __init__(self, function: AsyncFunction) -> None:
        self.function = function
        self.touching: dict[Buffer, int] = {}
        """Per buffer, the mask of accesses that may touch it and may run concurrently with later ops.

        `writing` contains only the accesses that write."""
        self.writing: dict[Buffer, int] = {}
        self.depending: dict[SSAValue, int] = {}
        """Per value, the mask of accesses to `Place`s that depend on the value."""
        self.holding: dict[Buffer, list[Buffer]] = {}
        """Per buffer that a loop may allocate again, the memrefs that may refer to it or to other buffers."""
        for name in function.names_of_memory:
            for buffer in name.may_be:
                if buffer.earlier is not None:
                    self.holding.setdefault(buffer, []).append(name)
        self.by_name: dict[Buffer, int] = {}
        """Per buffer that a loop may allocate again, the mask of accesses through memrefs that may also refer
        to other buffers."""
        self.frees: list[Access] = []
        self.may_be_freed = set[Buffer]()
        self.site: dict[Access, int] = {}
        """The number of each access among the frees or among the writes."""
        self.writes: list[Access] = []
        self._written = Written(self.writes)
        self.writers: dict[Buffer, int] = {}
        self.written_in: dict[Operation | Block, int] = {}
        """Masks of the writes in each loop, and in each call with guarded writes; the key of a CFG loop is
        its header."""
        accesses = dict.fromkeys(a for node in function.nodes for step in node.steps for a in step.accesses)
        for access in sorted(accesses, key=lambda access: function.order[access.op]):
            self._number(access)
        self.unstructured = function.block_loops is None
        """Whether the CFG is irreducible. If so, memory counts as written if some path writes it."""
        self.handed_out = {
            buffer
            for known in (*function.buffers, *function.names_of_memory)
            if any(op.name != "func.return" for op in known.escapes)
            for buffer in known.all
        }

    def _number(self, access: Access) -> None:
        """Assign `access` its bit, and its number among the frees or the writes."""
        if access.mode is Mode.FREE:
            self.site[access] = len(self.frees)
            self.frees.append(access)
            self.may_be_freed.update(access.buffer.all)
            return
        self.site[access] = len(self.writes) if access.mode in WRITES else -1
        if access.mode in WRITES:
            self.writes.append(access)
            for buffer in access.buffer.all:
                self.writers[buffer] = self.writers.get(buffer, 0) | 1 << self.site[access]
            if access.guard:
                # A guarded write counts as unconditional: a path that skips it is assumed to write nothing.
                self.written_in[access.op] = self.written_in.get(access.op, 0) | 1 << self.site[access]
            for loop in self._around(access.op):
                self.written_in[loop] = self.written_in.get(loop, 0) | 1 << self.site[access]
        if access.host and not access.task:
            return
        access.bit = len(self.function.accesses)
        self.function.accesses.append(access)
        bit = 1 << access.bit
        for value in access.symbols:
            for part in (value, *self.function.made_of.get(value, ())):
                self.depending[part] = self.depending.get(part, 0) | bit
        for buffer in access.buffer.all:
            self.touching[buffer] = self.touching.get(buffer, 0) | bit
            if buffer in self.holding and access.buffer.is_name:
                self.by_name[buffer] = self.by_name.get(buffer, 0) | bit
            if access.mode not in HARMLESS:
                self.writing[buffer] = self.writing.get(buffer, 0) | bit

    def _around(self, op: Operation) -> Iterator[Operation | Block]:
        """Yield the loops around `op`; for a CFG loop, yield its header."""
        inner: Operation | None = op
        while inner is not None and inner is not self.function.op:
            if inner is not op and (inner.name in LOOPS or inner.name == "scf.while"):
                yield inner
            if inner.parent is not None and self.function.block_loops:
                yield from self.function.block_loops.get(inner.parent, ())
            inner = inner.parent_op()

    # Places

    def places(self, access: Access, state: State) -> Iterable[Place]:
        """Return the `Place`s that `access` may touch, given the facts in `state`."""
        return self.resolved(Place(access.buffer, access.region), state)

    def resolved(self, place: Place, state: State) -> Iterable[Place]:
        """Return the `Place`s that `place` may refer to, if its memref may refer to several buffers."""
        name = place.buffer
        if not name.is_name:
            return (place,)
        bound = state.bound.get(name.index, ())
        return [Place(b.buffer, seen_through(place.region, name.value, b.region)) for b in bound]

    def move(self, edge: Edge, before: State, after: State) -> None:
        """Update the memrefs that `edge` assigns and that may refer to several buffers."""
        for left in (*edge.leaves, edge.skips):
            if left is not None:
                after.surely |= self.written_in.get(left, 0)
        for name, place in edge.moves:
            given = self.resolved(place, before)
            if edge.back:
                # On a back edge, the values that a `Place` depends on change.
                given = [p if not p.region.symbols else Place(p.buffer, p.region.blurred()) for p in given]
            after.bound[name.index] = few(frozenset(given))

    # Accesses

    def allocate(self, buffer: Buffer, state: State) -> None:
        """Allocate `buffer`: the facts about it now apply to the buffer of the previous iteration."""
        kept = self._set_aside(buffer, buffer.earlier, state) if buffer.earlier is not None else 0
        state.freed[buffer.index] = 0
        writers = self.writers.get(buffer, 0)
        state.written &= ~writers
        state.surely &= ~writers
        state.host |= self.touching.get(buffer, 0) & state.seen & ~kept
        if buffer.device:
            state.owned |= 1 << buffer.index

    def _set_aside(self, buffer: Buffer, earlier: Buffer, state: State) -> int:
        """Make memrefs that may refer to `buffer` refer to `earlier` instead.

        Returns the mask of accesses that may still touch the earlier buffer."""
        mine, old = 1 << buffer.index, 1 << earlier.index
        held = self._is_held(earlier, state)
        if not self._is_held(buffer, state):
            if not held:
                state.many &= ~old
                state.owned &= ~old
            return 0
        state.many = state.many | old if held else state.many & ~old
        state.owned = state.owned & ~old if held or not state.owned & mine else state.owned | old
        state.owned &= ~mine
        state.freed[earlier.index] = 0 if held else state.freed[buffer.index]
        for name in self.holding.get(buffer, ()):
            places = state.bound.get(name.index)
            if places is not None:
                state.bound[name.index] = _with(places, buffer, earlier)
        kept = 0
        for bit in bits_of(self.by_name.get(buffer, 0) & state.seen):
            places = state.where.get(bit)
            if places is not None:
                state.where[bit] = _with(places, buffer, earlier)
                kept |= 1 << bit
        return kept

    def _is_held(self, buffer: Buffer, state: State) -> bool:
        names = self.holding.get(buffer.again or buffer, ())
        return any(place.buffer is buffer for name in names for place in state.bound.get(name.index, ()))

    def touch(self, access: Access, state: State) -> None:
        """Update `state` for `access`, at the point where the access happens or begins."""
        if access.mode is Mode.FREE:
            places = list(self.places(access, state))
            for place in places:
                if not state.many >> place.buffer.index & 1:
                    state.freed[place.buffer.index] |= 1 << self.site[access]
            if len({place.buffer for place in places}) == 1:
                state.owned &= ~(1 << places[0].buffer.index)
            return
        if access.mode in WRITES:
            state.written |= 1 << self.site[access]
            state.surely |= 1 << self.site[access]
        if access.bit >= 0 and access.buffer.is_name and not state.kept & state.seen & 1 << access.bit:
            state.where[access.bit] = few(frozenset(self.places(access, state)))

    def conflicts(self, access: Access) -> int:
        """Return the mask of accesses to the same memory as `access`, if one of the two writes."""
        if access.mode not in _CONFLICTING:
            return 0
        known = self.writing if access.mode in HARMLESS else self.touching
        found = 0
        for buffer in access.buffer.all:
            found |= known.get(buffer, 0)
        return found

    def meets(self, earlier: Access, access: Access, places: Iterable[Place], state: State) -> bool:
        """Return whether both accesses are certain to touch common memory, at one of their possible
        `Place`s."""
        if access.mode in (Mode.FREE, Mode.UNREGISTER):
            access_places = [Place(p.buffer, p.region._replace(whole=True)) for p in places]
        else:
            access_places = list(places)
        bit = 1 << earlier.bit
        theirs = state.where.get(earlier.bit) or (Place(earlier.buffer, earlier.region),)
        for place in access_places:
            for other in theirs:
                if other.buffer is not place.buffer or state.many >> place.buffer.index & 1:
                    continue
                if state.fresh & bit and self._meet(other.region, place.region, earlier, access, unmoved):
                    return True
                if state.stale & bit and self._meet(other.region, place.region, earlier, access, _before):
                    return True
        return False

    def _meet(self, first: Region, second: Region, a: Access, b: Access, then: Moves) -> bool:
        if compare(then(first), second, a.runs, b.runs) is not Overlap.SURE:
            return False
        accessed = (a.parts, b.parts, a.threads, b.threads)
        if all(each is None for each in accessed) or b.mode in (Mode.FREE, Mode.UNREGISTER):
            return True
        on_device = not (a.host or b.host)
        if have_nothing_in_common(a.all_parts, first, b.all_parts, second, then, atomics_agree=on_device):
            return False
        return not touch_other_bytes(a, then(first), b, second, atomics_agree=on_device)

    # Findings

    def is_unwritten(self, access: Access, place: Place, state: State) -> bool:
        """Return whether `access` reads memory that is unwritten on some path."""
        if not place.buffer.device or not access.sure or not reads_something(access):
            return False
        known = self.writers.get(place.buffer, 0) & (state.written if self.unstructured else state.surely)
        return self._written.reads_more(access, place, known)

    def lost_again(self, buffer: Buffer, state: State) -> Iterator[Buffer]:
        """Yield `buffer` and its earlier buffer if they leak when `buffer` is allocated again here.

        A buffer does not leak while a memref may still refer to it."""
        if buffer in self.handed_out:
            return
        for lost in (buffer, buffer.earlier):
            if lost is not None and state.owned >> lost.index & 1 and not self._is_held(lost, state):
                yield lost

    def lost(self, op: Operation, state: State) -> Iterator[Buffer]:
        """Yield the buffers that are neither freed nor returned when `op` leaves the function."""
        if not state.owned:
            return
        returned: set[Buffer] = set()
        for known in (*self.function.buffers, *self.function.names_of_memory):
            if op in known.escapes:
                whole = Place(known, UNKNOWN_PART)
                returned.update(place.buffer for place in self.resolved(whole, state))
        for index in bits_of(state.owned):
            buffer = self.function.buffers[index]
            if buffer not in returned and (buffer.again or buffer) not in self.handed_out:
                yield buffer


def _with(places: frozenset[Place], buffer: Buffer, earlier: Buffer) -> frozenset[Place]:
    return frozenset(Place(earlier, p.region) if p.buffer is buffer else p for p in places)


def _before(region: Region) -> Region:
    """Return `region` as it was one iteration earlier; an unknown part if that cannot be computed."""
    offset, sizes = region.offset, [extent.size for extent in region.extents]
    if region.whole or offset is None:
        return region
    for value in region.symbols:
        owner = value.owner
        if isinstance(owner, Operation):
            return UNKNOWN_PART
        loop = owner.parent_op()
        if loop is None:
            return UNKNOWN_PART
        if loop.name == "func.func" and owner is loop.regions[0].blocks[0]:
            continue
        step = constant(loop.operands[2]) if loop.name == "scf.for" and owner.args[0] is value else None
        if step is None:
            return UNKNOWN_PART
        earlier = of_value(value).plus(Linear(-step))
        offset = offset.replaced(value, earlier)
        sizes = [size.replaced(value, earlier) if size is not None else None for size in sizes]
    extents = tuple(Extent(size, e.stride) for size, e in zip(sizes, region.extents, strict=True))
    return region._replace(offset=offset, extents=extents)
