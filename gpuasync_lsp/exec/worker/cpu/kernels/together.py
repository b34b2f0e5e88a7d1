"""What orders kernels, and blocks, that run in turns: vector clocks that atomic updates move.

A unit is what runs by itself for a while: a block of a kernel whose threads wait for others, or any other
launch as a whole. The unit of an access is known by its stamp. An atomic update releases what its unit
did before to whoever acquires the same place after it, and what that unit itself had acquired. A launch
taken as a whole orders too much rather than too little, so that a race can be missed and none is made up.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.races import Actor

MOST_STRETCHES = 1 << 17
"""Stretches of stamps that are kept; of what is older nothing is reported."""

MOST_LAUNCHES = 64


@dataclass(eq=False)
class Unit:
    """What has a clock of its own."""

    launch: object
    actor: Actor | None
    block: int | None = None
    """The number of the block; None for a launch as a whole."""


class Together:
    """The units of a run, and what each knows of the others."""

    def __init__(self) -> None:
        self.current: Unit | None = None
        self._stamps: list[int] = []
        self._units: list[Unit] = []
        """Who runs from each of the stamps on."""

        self._known: dict[Unit, dict[Unit, int]] = {}
        """The stamps before which a unit knows what the others did."""

        self._places: dict[int, dict[Unit, int]] = {}
        """The same, of who acquires at an address."""

        self._launches: list[tuple[object, Actor | None, int]] = []
        """The latest launches with their first stamps."""

        self._blocks: dict[tuple[object, int | None], Unit] = {}

    def since(self, launch: object, actor: Actor | None, stamp: int) -> int:
        """Take in a launch that begins or goes on at a stamp; return the first that is compared with it."""
        if not any(each is launch for each, _, _ in self._launches):
            self._launches = [*self._launches[1 - MOST_LAUNCHES :], (launch, actor, stamp)]
        return min(
            first
            for each, other, first in self._launches
            if each is launch or other is None or actor is None or not other.before(actor)
        )

    def enter(self, launch: object, actor: Actor | None, block: int | None, stamp: int) -> None:
        """Say that a unit runs from a stamp on."""
        unit = self._blocks.get((launch, block))
        if unit is None:
            unit = self._blocks[launch, block] = Unit(launch, actor, block)
        if len(self._stamps) >= MOST_STRETCHES:
            del self._stamps[: MOST_STRETCHES // 2], self._units[: MOST_STRETCHES // 2]
        self._stamps.append(stamp)
        self._units.append(unit)
        self.current = unit

    def synchronized(self, address: int, stamp: int, *, releases: bool, acquires: bool) -> None:
        """Take in an atomic access of the unit that runs."""
        unit = self.current
        if unit is None:
            return
        known = self._known.setdefault(unit, {})
        if acquires:
            _join(known, self._places.get(address, {}))
        if releases:
            _join(self._places.setdefault(address, {}), {**known, unit: stamp})

    def owner(self, stamp: int) -> Unit | None:
        """Return who ran at a stamp; None if that is not known."""
        at = bisect_right(self._stamps, stamp) - 1
        return self._units[at] if at >= 0 else None

    def ordered(self, first: Unit, stamp: int) -> bool:
        """Whether what another unit did at a stamp comes before what the one that runs does now."""
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
