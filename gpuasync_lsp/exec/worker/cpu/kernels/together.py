"""Order between interleaved kernels and blocks: vector clocks advanced by atomic updates.

A unit is a component of the clocks: a block of a kernel whose threads wait for others, or any other launch as
a whole. Only one unit runs at a time, so the stamp of an access identifies its unit. An atomic update
releases the unit's earlier accesses, and those that the unit has acquired, to units that later acquire the
same address. Accesses within one unit count as ordered, so a race can be missed, but no false one is
reported.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.races import Actor

MOST_STRETCHES = 1 << 17
"""The maximum number of recorded intervals of stamps; earlier accesses are not reported."""

MOST_LAUNCHES = 64
"""The maximum number of launches that are compared at each access."""


@dataclass(eq=False)
class Unit:
    """A component of the vector clocks: a block, or a launch as a whole."""

    launch: object
    actor: Actor | None
    block: int | None = None
    """The number of the block; None for a launch as a whole."""


class Together:
    """The blocks and launches of a run that execute concurrently (its units), each with a vector clock."""

    def __init__(self) -> None:
        self.current: Unit | None = None
        self._stamps: list[int] = []
        self._units: list[Unit] = []
        """The unit that starts to run at each stamp of `_stamps`."""

        self._known: dict[Unit, dict[Unit, int]] = {}
        """Maps each unit to its clock: for other units, the stamp before which their accesses precede it."""

        self._places: dict[int, dict[Unit, int]] = {}
        """Maps each address to the clock that has been released there."""

        self._launches: list[tuple[object, Actor | None, int]] = []
        """The latest launches, with their actors and first stamps."""

        self._blocks: dict[tuple[object, int | None], Unit] = {}

    def since(self, launch: object, actor: Actor | None, stamp: int) -> int:
        """Record a launch that begins or continues at `stamp`.

        Return the earliest stamp of a launch that is concurrent with it; older accesses are not compared."""
        if not any(each is launch for each, _, _ in self._launches):
            self._launches = [*self._launches[1 - MOST_LAUNCHES :], (launch, actor, stamp)]
        return min(
            first
            for each, other, first in self._launches
            if each is launch or other is None or actor is None or not other.before(actor)
        )

    def enter(self, launch: object, actor: Actor | None, block: int | None, stamp: int) -> None:
        """Record that a unit begins to run at `stamp`."""
        unit = self._blocks.get((launch, block))
        if unit is None:
            unit = self._blocks[launch, block] = Unit(launch, actor, block)
        if len(self._stamps) >= MOST_STRETCHES:
            del self._stamps[: MOST_STRETCHES // 2], self._units[: MOST_STRETCHES // 2]
        self._stamps.append(stamp)
        self._units.append(unit)
        self.current = unit

    def synchronized(self, address: int, stamp: int, *, releases: bool, acquires: bool) -> None:
        """Record that the running unit releases or acquires `address` with an atomic access."""
        unit = self.current
        if unit is None:
            return
        known = self._known.setdefault(unit, {})
        if acquires:
            _join(known, self._places.get(address, {}))
        if releases:
            _join(self._places.setdefault(address, {}), {**known, unit: stamp})

    def owner(self, stamp: int) -> Unit | None:
        """Return the unit that was running at `stamp`; None if unknown."""
        at = bisect_right(self._stamps, stamp) - 1
        return self._units[at] if at >= 0 else None

    def ordered(self, first: Unit, stamp: int) -> bool:
        """Return whether an access of unit `first` at `stamp` precedes the running unit's next access."""
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
