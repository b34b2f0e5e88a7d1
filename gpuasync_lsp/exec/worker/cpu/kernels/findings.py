"""Findings inside kernels: races between threads, uninitialized reads, divergent barriers.

Generated code calls this module when shadow memory (`shadow.py`) or a synchronization shows a bug. Messages
name threads, blocks, and the accessed element of a memref.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuasync_lsp.exec.program import AccessedType
from gpuasync_lsp.exec.worker.byte_counts import in_bytes, outside
from gpuasync_lsp.exec.worker.cpu.arena import Arena, Region
from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC
from gpuasync_lsp.exec.worker.cpu.kernels.shadow import (
    BLOCK,
    BLOCKS,
    FLOOR,
    IN_TURNS,
    LAUNCH,
    MUTED,
    PARTIAL,
    SEEN,
    STAMP,
    START,
    TOGETHER,
    UNIT,
    WARPS,
    ShadowState,
    Word,
    unpacked,
)
from gpuasync_lsp.exec.worker.cpu.kernels.together import Together, Unit
from gpuasync_lsp.exec.worker.cpu.parts import Part, current_part
from gpuasync_lsp.exec.worker.cpu.races import Actor
from gpuasync_lsp.exec.worker.cpu.repeats import Repeats
from gpuasync_lsp.exec.worker.findings import Findings

ENDED = -2
"""The value that replaces a thread's site once the thread has ended."""

Dimensions = tuple[int, int, int]


@dataclass(eq=False)
class Launched:
    """The launch of the running kernel."""

    grid: Dimensions = (1, 1, 1)
    block: Dimensions = (1, 1, 1)
    site: int = -1
    shared: Sequence[tuple[int, int]] = ()
    """Address and size of each workgroup buffer."""
    waits: bool = False
    """Whether the kernel's threads wait for writes by other threads."""
    begun: bool = False
    """Whether the launch, whose threads wait, has been resumed before."""
    name: str = ""
    """The kernel's name in messages: `the kernel @name`."""
    actor: Actor | None = None
    cluster: Dimensions = (1, 1, 1)


class KernelChecks:
    """Converts reports by generated code to findings."""

    def __init__(
        self,
        arena: Arena,
        types: Mapping[int, AccessedType],
        findings: Callable[[], Findings],
        barriers: Collection[int] = (),
    ) -> None:
        """`types` maps sites to memref types; `barriers` are the sites that wait for mbarriers."""
        self.state = ShadowState()
        self.repeats = Repeats()
        self._whole = Part()
        self.barriers = frozenset(barriers)
        self._arena = arena
        self._types = types
        self._findings = findings
        self._launched = Launched()
        self._short: dict[int, tuple[int, int]] = {}
        """Maps the site of a stuck block's synchronization to the numbers of expected and arrived threads."""
        self._together: Together | None = None
        """The order between units, if a kernel of the program waits for writes by other threads."""

    @property
    def launched(self) -> Launched:
        """The running launch."""
        return self._launched

    @property
    def block(self) -> int:
        """The number of the running block of a kernel whose threads wait."""
        return self.state.words[BLOCK]

    @property
    def where(self) -> ctypes.Array[ctypes.c_int32]:
        """The site of the latest synchronization of each thread in the block, or `ENDED`."""
        return (current_part() or self._whole).where

    def begin(self, launched: Launched) -> None:
        """Prepare the checks for a launch."""
        self.repeats.settle()
        self._launched = launched
        x, y, z = launched.grid
        self.state.begin(x * y * z)
        if self._together is None:
            return
        stamp = self.state.words[STAMP]
        self.state.words[LAUNCH] = self._together.since(launched, launched.actor, stamp)
        if not launched.waits:
            self._together.enter(launched, launched.actor, None, stamp)

    def begin_run(self) -> None:
        """Forget the order between earlier launches, because a new run has new streams."""
        if self._together is not None:
            self._together = Together()

    def expect_company(self) -> None:
        """Begin to track the order between launches: a kernel that waits for others was launched."""
        if self._together is None:
            self._together = Together()
            self.state.words[TOGETHER] = 1

    def turn(self, launched: Launched, block: int) -> None:
        """Switch to a block that begins, or resumes after other blocks, in a kernel whose threads wait."""
        words = self.state.words
        words[BLOCK] = block
        words[STAMP] += 1
        self.state.latest.value = 0
        if words[MUTED] == IN_TURNS:
            words[START] = words[FLOOR] = words[STAMP]
        if self._together is not None:
            before = self._together.current
            self._together.enter(launched, launched.actor, block, words[STAMP])
            if self._together.current is not before:
                words[UNIT] = words[STAMP]

    def resume(self, launched: Launched) -> None:
        """Begin or resume a launch whose threads wait."""
        if launched is self._launched:
            return
        self.begin(launched)
        if launched.begun:
            self.mute()
        launched.begun = True

    def mute(self) -> None:
        """Until the launch ends, report races only within one turn of a block, or between different units.

        The state per thread is overwritten by each block that runs."""
        self.state.words[MUTED] = IN_TURNS

    def synchronized(self, address: int, how: int) -> None:
        """Record an atomic access; `how` is 1 for a release, 2 for an acquire, 3 for both."""
        if self._together is not None:
            self.state.words[STAMP] += 1
            stamp = self.state.words[STAMP]
            self._together.synchronized(address, stamp, releases=bool(how & 1), acquires=bool(how & 2))

    def race(self, address: int, old: int, new: int, quiet: int = 0) -> None:
        """Report two unordered accesses to a shadow memory cell, unless atomic updates order them.

        `quiet` is nonzero if the write left the value unchanged, in which case the race is a note, not an
        error."""
        first, second = unpacked(old), unpacked(new)
        if self._together is not None and not (first.pending or second.pending):
            unit = self._together.owner(first.stamp)
            if unit is not self._together.current:
                if unit is not None and not self._together.ordered(unit, first.stamp):
                    self._between(address, first, unit, second, self._together.current, quiet)
                return
        if self.state.words[MUTED] == IN_TURNS and (first.pending or first.stamp < self.state.words[START]):
            # After an earlier turn, the block's synchronizations since then are unknown.
            return
        if self._ordered_by_atomics(first, second):
            return
        self._remember(first.site, second.site, quiet)
        if first.site == second.site and ATOMIC in (first.kind, second.kind):
            return  # memref.generic_atomic_rmw begins with a plain load, and retries.
        if first.pending or second.pending:
            self._unfinished(address, first, second)
            return
        block = self._block_of(first)
        missing = "with no barrier between them" if block == self._block_of(second) else "in another block"
        who = self._thread(first), self._thread(second)
        self._report_race(address, first, second, who, missing, [self._launched.site], quiet)

    def _between(
        self, address: int, first: Word, unit: Unit, second: Word, current: Unit | None, quiet: int
    ) -> None:
        """Report accesses by two units (`together.py`), which are blocks or launches as a whole."""
        self._remember(first.site, second.site, quiet)
        if first.site == second.site and ATOMIC in (first.kind, second.kind):
            return
        assert current is not None
        launches = [unit.launch, current.launch]
        alike = launches[0] is launches[1]
        who = [self._of(word, each, alike) for word, each in ((first, unit), (second, current))]
        sites = [each.site for each in dict.fromkeys(launches) if isinstance(each, Launched)]
        barrier = "barrier of the cluster or " if self._launched.cluster != (1, 1, 1) else ""
        missing = f"with no {barrier}atomic update that orders them"
        self._report_race(address, first, second, (who[0], who[1]), missing, sites, quiet)

    def _report_race(
        self,
        address: int,
        first: Word,
        second: Word,
        who: tuple[str, str],
        missing: str,
        sites: Sequence[int],
        quiet: int,
    ) -> None:
        """Report the accesses of two threads, with their sites and the sites of their launches."""
        same = ", with the value that it already has" if quiet else ""
        self._findings().add(
            "kernel-race-same-value" if quiet else "kernel-race",
            "information" if quiet else "error",
            second.site,
            f"{who[1]} {second.verb} {self.element(address, second.site)}, which {who[0]} {first.verb}, "
            f"{missing}{same}",
            (
                (first.site, f"{who[0]} {first.verb} it here"),
                *((site, "launched here") for site in sites),
            ),
        )

    def _of(self, word: Word, unit: Unit, alike: bool) -> str:
        """Name the thread of an access, and its kernel unless both accesses are in one launch (`alike`)."""
        launched = unit.launch
        assert isinstance(launched, Launched)
        text = f"thread {_coordinates(word.thread, launched.block)}"
        if unit.block is not None:
            text += f" of block {_coordinates(unit.block, launched.grid)}"
        return text if alike else f"{text} of {launched.name}"

    def _unfinished(self, address: int, first: Word, second: Word) -> None:
        """Report an access concurrent with a pending copy of the same or another thread."""
        own = first.thread == second.thread
        if second.pending:
            actor, verb = f"a copy of {self._thread(second)}", "writes"
        else:
            actor, verb = self._thread(second), second.verb
        if first.pending:
            whose = "its own copy" if own else f"a copy of {self._thread(first)}"
            before, order = f"{whose} writes", "and nothing has waited for the copy"
        else:
            before, order = f"{self._thread(first)} {first.verb}", "with no barrier between them"
        self._findings().add(
            "kernel-race",
            "error",
            second.site,
            f"{actor} {verb} {self.element(address, second.site)}, which {before}, {order}",
            (
                (first.site, f"{self._thread(first)} {'copies' if first.pending else first.verb} it here"),
                (self._launched.site, "launched here"),
            ),
        )

    def uninitialized(self, address: int, word: int) -> None:
        """Report a read of uninitialized memory."""
        reader = unpacked(word)
        region = self._arena.holding(address)
        related = (region.made,) if region is not None else ()
        what = (
            "device memory that has not been written"
            if related
            else "which no thread of this block has written"
        )
        self._findings().add(
            "read-of-uninitialized",
            "warning",
            reader.site,
            f"{self._thread(reader)} reads {self.element(address, reader.site)}, {what}",
            (*related, (self._launched.site, "launched here")),
        )

    def divergent_barrier(self, site: int, other: int) -> None:
        """Report a barrier at `site` that some threads miss, because they wait at `other` or have ended."""
        here = [lane for lane in self._lanes() if self.where[lane] == site]
        away = next((lane for lane in self._lanes() if self.where[lane] == other), None)
        if not here or away is None:
            return
        related: tuple[tuple[int, str], ...] = ()
        waits = f"{self._name(here[0])} waits at it"
        if other == ENDED:
            total = len(self._lanes())
            waits = f"{total} threads expected, {len(here)} arrived: {waits}"
            rest = f"but {self._name(away)} has exited without reaching it"
        else:
            rest, related = (
                f"but {self._name(away)} waits at another one",
                ((other, f"{self._name(away)} waits here"),),
            )
        self._findings().add(
            "divergent-barrier",
            "warning",
            site,
            f"not all threads of the block reach this barrier: {waits}, {rest}",
            (*related, (self._launched.site, "launched here")),
        )

    def divergent_warp(self, site: int, warp: int, missing: int) -> None:
        """Report a warp operation (shuffle, vote or sync) whose mask has lanes that have ended."""
        lane = 32 * warp + (missing & -missing).bit_length() - 1
        self._findings().add(
            "divergent-shuffle",
            "error",
            site,
            f"{self._name(lane)} should participate here but has already exited: its value is undefined",
            ((self._launched.site, "launched here"),),
        )

    def unmapped(self, site: int, why: str) -> None:
        """Report a `mapa` that maps no address."""
        self._findings().add(
            "illegal-address",
            "error",
            site,
            f"a thread of block {_coordinates(self.block, self._launched.grid)} maps an address {why}",
            ((self._launched.site, "launched here"),),
        )

    def ends(self, region: Region) -> None:
        """Report accesses by other blocks to workgroup memory of the running block, which ends without
        waiting for them."""
        together = self._together
        if together is None or together.current is None or region.shadow is None:
            return
        for word in np.unique(region.shadow[region.shadow != 0]):
            found = unpacked(int(word))
            unit = together.owner(found.stamp)
            if unit is None or unit is together.current or together.ordered(unit, found.stamp):
                continue
            owner = _coordinates(self.block, self._launched.grid)
            self._findings().add(
                "use-after-dealloc",
                "error",
                found.site,
                f"{self._of(found, unit, True)} {found.verb} workgroup memory of block {owner}, which may "
                "have ended: no barrier of the cluster is between them",
                ((self._launched.site, "launched here"),),
            )

    def short_of(self, site: int, expected: int, arrived: int) -> None:
        """Record how many threads a synchronization expects, and how many have arrived, for `stuck`."""
        self._short.setdefault(site, (expected, arrived))

    def stuck(self) -> None:
        """Report a block in which all threads wait."""
        short, self._short = self._short, {}
        places = Counter(self.where[lane] for lane in self._lanes() if self.where[lane] != ENDED)
        (site, _), *others = places.most_common()
        related: list[tuple[int, str]] = []
        for other, count in others[:3]:
            lane = next(lane for lane in self._lanes() if self.where[lane] == other)
            related.append(
                (other, f"{count} wait here, such as {self._name(lane)}{_missing(short.get(other))}")
            )
        lane = next(lane for lane in self._lanes() if self.where[lane] == site)
        self._findings().add(
            "deadlock",
            "error",
            site,
            "the threads of a block wait for each other at different barriers or shuffles, "
            f"{places[site]} of them here, such as {self._name(lane)}{_missing(short.get(site))}: "
            "on a GPU the kernel never ends",
            (*related, (self._launched.site, "launched here")),
        )

    def outside_private(self, size: int, room: int, offset: int, site: int, verb: str) -> None:
        """Report an access outside the bounds of a thread's variable."""
        self._findings().add(
            "out-of-bounds",
            "error",
            site,
            f"{self.accessor()} {verb} {self._element(offset, site)}{in_bytes(size)} at byte {offset} of "
            f"{in_bytes(room)} of private memory",
            ((self._launched.site, "launched here"),),
        )

    def unwritten_private(self, offset: int, room: int, site: int) -> None:
        """Report a read of uninitialized bytes of a thread's variable."""
        self._findings().add(
            "read-of-uninitialized",
            "warning",
            site,
            f"{self.accessor()} reads {self._in_private(offset, room, site)} of private memory, which the "
            "thread has not written",
            ((self._launched.site, "launched here"),),
        )

    def ended_private(self, offset: int, room: int, site: int, verb: str) -> None:
        """Report an access to a private variable of a function that has returned."""
        self._findings().add(
            "use-after-dealloc",
            "error",
            site,
            f"{self.accessor()} {verb} {self._in_private(offset, room, site)} of a private variable whose "
            "function has returned",
            ((self._launched.site, "launched here"),),
        )

    def _in_private(self, offset: int, room: int, site: int) -> str:
        type = self._types.get(site)
        return f"byte {offset} of the {room} bytes" if type is None else type.element_at(offset)

    def accessing(self, block: int, thread: int) -> None:
        """Record the block and thread of the access that is reported next."""
        (current_part() or self._whole).accessor = block, thread

    def accessor(self) -> str:
        """Return the name of the thread recorded by `accessing`."""
        block, thread = (current_part() or self._whole).accessor
        return f"{self._name(thread)} of block {_coordinates(block, self._launched.grid)}"

    def place(self, address: int, region: Region, site: int) -> str:
        """Name the element at an address of a region; empty if unknown."""
        return self._element(address - region.start, site)

    def _element(self, offset: int, site: int) -> str:
        """Name the element at an offset, using the memref type at `site`; empty if unknown."""
        type = self._types.get(site)
        return "" if type is None else f"{type.element_at(offset)}{type.shaped}: "

    def outside_shared(self, address: int, size: int, site: int) -> str:
        """Describe an access outside all workgroup buffers."""
        near = [each for each in self._launched.shared if each[1]]
        if not near:
            return f"{in_bytes(size)} of workgroup memory, of which the launch requests none"
        start, room = min(near, key=lambda each: min(abs(address - each[0]), abs(address - sum(each))))
        where = f"{self._element(address - start, site)}{outside(address, size, start, room)}"
        return f"{where} of {in_bytes(room)} of workgroup memory"

    def element(self, address: int, site: int) -> str:
        """Name the element at an address, using the memref type of the op at `site`."""
        region = self._arena.holding(address)
        start, where = (region.start, "the buffer") if region is not None else (0, "memory")
        if region is not None and region.origin == "workgroup":
            where = "workgroup memory"
        for begin, size in self._launched.shared:
            if begin <= address < begin + size:
                start, where = begin, "workgroup memory"
        type = self._types.get(site)
        if not start:
            return f"{address:#x}"
        if type is None:
            return f"byte {address - start} of {where}"
        return f"{type.element_at(address - start)} of {where}"

    def _remember(self, first: int, second: int, quiet: int) -> None:
        key = first + 1 | second + 1 << 20 | quiet
        place = (key * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 52
        self.state.seen[place % SEEN] = key

    def _ordered_by_atomics(self, first: Word, second: Word) -> bool:
        """Return whether a release after the first access may have been acquired before the second access.

        Conservative: recorded synchronization is incomplete. For threads of the running block,
        `gpuasync.conflict` (`shadow_ir.py`) checks this first."""
        state = self.state
        if first.stamp >= state.words[START]:
            released, places, _, _ = state.threads[4 * first.thread : 4 * first.thread + 4]
            _, _, acquired, wanted = state.threads[4 * second.thread : 4 * second.thread + 4]
            if self._launched.waits and self._ordered_by_others(first, second):
                return True
            return released > first.stamp and acquired > first.stamp and bool(places & wanted)
        starts = _Starts(self.state)
        if first.stamp < starts[0]:
            return True  # The block's record is gone, so the order is unknown.
        kept = self._block_of(first) % BLOCKS
        _, released, places = state.blocks[3 * kept : 3 * kept + 3]
        return released > first.stamp and bool(places & state.places.value)

    def _ordered_by_others(self, first: Word, second: Word) -> bool:
        """Return whether other threads, such as a lane of the warp, may order the accesses transitively.

        Such an order requires a synchronization of both threads after the first access, and an address that
        has been released and acquired."""
        kept = self.state.words[BLOCK] % BLOCKS
        _, released, places = self.state.blocks[3 * kept : 3 * kept + 3]
        return (
            released > first.stamp
            and self._latest_synchronization(first.thread) > first.stamp
            and self._latest_synchronization(second.thread) > first.stamp
            and bool(places & self.state.places.value)
        )

    def _latest_synchronization(self, lane: int) -> int:
        """Return the stamp of a thread's latest release, acquire, or synchronization within its warp."""
        state = self.state
        known = state.known[32 * lane : 32 * lane + 32] if state.words[PARTIAL] else [0]
        released, _, acquired, _ = state.threads[4 * lane : 4 * lane + 4]
        return max(released, acquired, state.words[WARPS + lane // 32], *known)

    def _block_of(self, word: Word) -> int:
        unit = self._together.owner(word.stamp) if self._together is not None else None
        if unit is not None and unit.block is not None:
            return unit.block
        starts = _Starts(self.state)
        return starts.first + bisect_right(starts, word.stamp) - 1

    def _lanes(self) -> range:
        x, y, z = self._launched.block
        return range(x * y * z)

    def _name(self, lane: int) -> str:
        return f"thread {_coordinates(lane, self._launched.block)}"

    def _thread(self, word: Word) -> str:
        block = _coordinates(self._block_of(word), self._launched.grid)
        return f"{self._name(word.thread)} of block {block}"


def _missing(short: tuple[int, int] | None) -> str:
    """Describe in words the number of expected and of arrived threads."""
    return "" if short is None else f" ({short[0]} expected, {short[1]} arrived)"


class _Starts(Sequence[int]):
    """The first stamps of the most recent blocks of the launch, in order; at most `BLOCKS`."""

    def __init__(self, state: ShadowState) -> None:
        self._blocks = state.blocks
        begun = state.words[BLOCK] + 1
        self._count = min(begun, BLOCKS)
        self.first = begun - self._count
        """The number of the oldest block in the sequence."""

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        return self._blocks[3 * ((self.first + index) % BLOCKS)]


def _coordinates(number: int, extents: Dimensions) -> Dimensions:
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)
