"""Happens-before by vector clocks, and the races it shows.

The host and every stream are components. An operation gets its clock when it is enqueued: what the host knew
then, and what came before it on its stream. Events carry clocks between components. Two accesses to one byte,
one of them a write, that neither clock puts before the other are a race, whichever really came first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gpuasync_lsp.exec.worker.cpu.arena import Bits
from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, READ, WRITE
from gpuasync_lsp.exec.worker.findings import Findings

Clock = dict[int, int]
HOST = 0
"""The host's component; streams have their own, from 1."""


def join(clock: Clock, other: Clock) -> None:
    """Make `clock` know all that `other` knows."""
    for component, tick in other.items():
        if clock.get(component, 0) < tick:
            clock[component] = tick


@dataclass(frozen=True)
class Actor:
    """Who accesses memory: an operation or the host at one moment."""

    component: int
    tick: int
    clock: Clock
    site: int
    label: str
    """`the kernel @double`, `the copy`, `the host`, ..."""

    is_kernel: bool = False
    waits: bool = False
    """Whether it is a kernel whose threads wait for what others write."""

    def before(self, other: Actor) -> bool:
        """Whether this happens before `other` (or is it)."""
        return other.clock.get(self.component, 0) >= self.tick


@dataclass(frozen=True)
class Access:
    """Bytes of memory that an actor reads (0), writes (1) or updates atomically (2)."""

    actor: Actor
    kind: int
    start: int
    end: int
    bits: Bits | None = None
    """Which bytes, from `start` on; None for all of them."""

    def overlaps(self, other: Access) -> int | None:
        """Return the first common address, or None."""
        low, high = max(self.start, other.start), min(self.end, other.end)
        if low >= high:
            return None
        if self.bits is None and other.bits is None:
            return low
        common = np.ones(high - low, np.uint8)
        for access in (self, other):
            if access.bits is not None:
                common &= _bytes_touched(access.bits, low - access.start, high - access.start)
        hits = np.flatnonzero(common)
        return low + int(hits[0]) if len(hits) else None

    def replaces(self, earlier: Access) -> bool:
        """Whether whatever races with `earlier` from now on races with this one too.

        So for accesses of one component to the same bytes: what runs later and is ordered after this access
        is ordered after the earlier one, and what was ordered before this one has run and was compared.
        """
        if self.actor.component == HOST and (
            earlier.kind != self.kind or earlier.actor.site != self.actor.site
        ):
            return False  # each place of the host is told
        return (
            earlier.actor.component == self.actor.component
            and earlier.kind in (self.kind, READ if self.kind == WRITE else self.kind)
            and self.start <= earlier.start
            and earlier.end <= self.end
            and (self.bits is None or (earlier.bits is not None and _covers(self.bits, earlier.bits)))
        )


@dataclass
class RaceDetector:
    """Compares every access with the earlier ones that the host has not waited for."""

    findings: Findings
    accesses: list[Access] = field(default_factory=list[Access])

    def add(self, access: Access) -> None:
        """Note an access and report what it races with."""
        for earlier in self.accesses:
            if access.kind == READ and earlier.kind == READ:
                continue
            if access.kind == ATOMIC and earlier.kind == ATOMIC:
                continue
            if earlier.actor is access.actor:
                continue
            if _compared_inside(earlier.actor, access.actor):
                continue
            if earlier.actor.before(access.actor) or access.actor.before(earlier.actor):
                continue
            if earlier.overlaps(access) is not None:
                self._report(earlier, access)
        self.accesses = [a for a in self.accesses if not access.replaces(a)]
        self.accesses.append(access)

    def forget(self, clocks: Sequence[Clock]) -> None:
        """Drop accesses that everything to come is ordered after.

        `clocks` are the host's and those of the oldest task of each stream that has not run yet.
        """
        self.accesses = [
            a for a in self.accesses if any(c.get(a.actor.component, 0) < a.actor.tick for c in clocks)
        ]

    def _report(self, one: Access, two: Access) -> None:
        first, second = (one, two) if one.actor.component != HOST else (two, one)
        host = second.actor.component == HOST
        words = {READ: "reads", WRITE: "writes", ATOMIC: "updates"}
        if host:
            message = (
                f"{second.actor.label} {words[second.kind]} memory that {first.actor.label} "
                f"{words[first.kind]}, without waiting for it"
            )
            name = "host-race"
        else:
            message = (
                f"{second.actor.label} {words[second.kind]} memory that {first.actor.label} "
                f"{words[first.kind]}, and nothing orders them"
            )
            name = "data-race"
        self.findings.add(
            name, "warning", second.actor.site, message, ((first.actor.site, f"{first.actor.label} is here"),)
        )


def _compared_inside(one: Actor, two: Actor) -> bool:
    """Whether it takes the atomic updates of two kernels to say what orders them (`kernels/together.py`)."""
    return one.is_kernel and two.is_kernel and (one.waits or two.waits)


def _covers(bits: Bits, other: Bits) -> bool:
    return len(bits) == len(other) and not np.any(other & ~bits)


def _bytes_touched(bits: Bits, start: int, end: int) -> Bits:
    first, last = start // 8, (end + 7) // 8
    return np.unpackbits(bits[first:last], bitorder="little")[start - first * 8 : end - first * 8]
