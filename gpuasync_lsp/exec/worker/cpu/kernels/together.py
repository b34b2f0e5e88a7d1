"""Order between kernels and blocks that run in turns: vector clocks advanced by atomic updates.

A unit runs by itself for a while: a block of a kernel whose threads wait for others, or any other launch as a
whole. The unit of an access is known by its stamp. An atomic update releases the unit's earlier accesses, and
those it has acquired, to units that acquire the same place later. A launch taken as a whole is ordered too
much rather than too little, so that a race can be missed, but none is invented.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.races import Actor

MOST_STRETCHES = 1 << 17
"""The most intervals of stamps that are recorded; accesses before them are not reported."""

MOST_LAUNCHES = 64


@dataclass(eq=False)
class Unit:
    """A component of the vector clocks."""

    launch: object
    actor: Actor | None
    block: int | None = None
    """The number of the block; None for a launch as a whole."""


class Together:
    """The units of a run, and their vector clocks."""

    def __init__(self) -> None:
        self.current: Unit | None = None
        self._stamps: list[int] = []
        self._units: list[Unit] = []
        """The running unit from each of the stamps on."""

        self._known: dict[Unit, dict[Unit, int]] = {}
        """The clock of each unit: the stamps before which it knows the other units' accesses."""

        self._places: dict[int, dict[Unit, int]] = {}
        """The clock released at each address."""

        self._launches: list[tuple[object, Actor | None, int]] = []
        """The latest launches with their first stamps."""

        self._blocks: dict[tuple[object, int | None], Unit] = {}

    def since(self, launch: object, actor: Actor | None, stamp: int) -> int:
        """Record a launch that begins or continues at a stamp; return the first stamp that is compared with
        it."""
        if not any(each is launch for each, _, _ in self._launches):
            self._launches = [*self._launches[1 - MOST_LAUNCHES :], (launch, actor, stamp)]
        return min(
            first
            for each, other, first in self._launches
            if each is launch or other is None or actor is None or not other.before(actor)
        )

    def enter(self, launch: object, actor: Actor | None, block: int | None, stamp: int) -> None:
        """Switch to a unit at a stamp."""
        unit = self._blocks.get((launch, block))
        if unit is None:
            unit = self._blocks[launch, block] = Unit(launch, actor, block)
        if len(self._stamps) >= MOST_STRETCHES:
            del self._stamps[: MOST_STRETCHES // 2], self._units[: MOST_STRETCHES // 2]
        self._stamps.append(stamp)
        self._units.append(unit)
        self.current = unit

    def synchronized(self, address: int, stamp: int, *, releases: bool, acquires: bool) -> None:
        """Record an atomic access of the running unit."""
        unit = self.current
        if unit is None:
            return
        known = self._known.setdefault(unit, {})
        if acquires:
            _join(known, self._places.get(address, {}))
        if releases:
            _join(self._places.setdefault(address, {}), {**known, unit: stamp})

    def owner(self, stamp: int) -> Unit | None:
        """Return the unit that ran at a stamp; None if unknown."""
        at = bisect_right(self._stamps, stamp) - 1
        return self._units[at] if at >= 0 else None

    def ordered(self, first: Unit, stamp: int) -> bool:
        """Whether an access of another unit at a stamp happens before the running unit's next one."""
        now = self.current
        if now is None or stamp < self._known.get(now, {}).get(first, 0):
            return True
        if first.launch is now.launch:
            return False
        return first.actor is None or now.actor is None or first.actor.before(now.actor)


def _join(known: dict[Unit, int], more: dict[Unit, int]) -> None:
    for unit, stamp in more.items():
        if known.get(unit, 0) < stamp:
            known[unit] = stamp
