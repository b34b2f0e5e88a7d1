"""Detects races with vector clocks, which represent happens-before.

The host, each body of async.execute (`host.py`) and each stream are components. An operation gets its
clock when it is enqueued: the join of the host's clock and the clock of the previous operation on its
stream. Events transfer clocks between components. Two accesses to one byte, of which at least one is a write,
are a race if neither clock orders them, regardless of the order in which they were executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gpuasync_lsp.exec.worker.cpu.arena import Bits, mark
from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, READ, WRITE
from gpuasync_lsp.exec.worker.findings import Findings

Clock = dict[int, int]
HOST = 0
"""The component of the host's main thread. Streams have positive components, bodies of async.execute
negative."""


def join(clock: Clock, other: Clock) -> None:
    """Join `other` into `clock`."""
    for component, tick in other.items():
        if clock.get(component, 0) < tick:
            clock[component] = tick


@dataclass(frozen=True)
class Actor:
    """The originator of an access: an operation, or the host at one time."""

    component: int
    tick: int
    clock: Clock
    site: int
    label: str
    """`the kernel @double`, `the copy`, `the host`, ..."""

    is_kernel: bool = False
    waits: bool = False
    """Whether the actor is a kernel whose threads wait for writes by other threads."""

    early: Actor | None = None
    """The actor of the accesses before `griddepcontrol.wait`; only for a dependent launch of a kernel that
    waits."""

    @property
    def is_host(self) -> bool:
        """Whether the actor is host code."""
        return self.component <= HOST

    def before(self, other: Actor) -> bool:
        """Return whether this actor happens before `other`, or is `other`."""
        return other.clock.get(self.component, 0) >= self.tick


@dataclass(frozen=True)
class Access:
    """Bytes of memory that an actor reads (0), writes (1) or updates atomically (2)."""

    actor: Actor
    kind: int
    start: int
    end: int
    bits: Bits | None = None
    """The accessed bytes, from `start` on; None for all."""

    def overlaps(self, other: Access) -> int | None:
        """Return the first byte address that both access, or None."""
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
        """Return whether each later access that races with `earlier` also races with this access.

        True for accesses of one component to the same bytes: a later access that is ordered after this access
        is also ordered after `earlier`, and accesses ordered before this access have already been compared.
        """
        if self.actor.is_host and (earlier.kind != self.kind or earlier.actor.site != self.actor.site):
            return False  # Each site of the host is reported.
        return (
            earlier.actor.component == self.actor.component
            and earlier.kind in (self.kind, READ if self.kind == WRITE else self.kind)
            and self.start <= earlier.start
            and earlier.end <= self.end
            and (self.bits is None or (earlier.bits is not None and _covers(self.bits, earlier.bits)))
        )

    def may_race(self, other: Access) -> bool:
        """Return whether the two accesses race if they have a common byte."""
        if self.kind == other.kind != WRITE or self.actor is other.actor:
            return False
        if _compared_inside(self.actor, other.actor):
            return False
        return not self.actor.before(other.actor) and not other.actor.before(self.actor)


@dataclass
class _Pieces:
    """The accesses to one buffer at one host site and time, merged so that a loop over bytes makes one."""

    whole: Access
    """The whole buffer, with the accessed bytes in `bits`."""

    bits: Bits
    rivals: list[Access]
    """The accesses that may race with this one, without those already reported."""


@dataclass
class RaceDetector:
    """Compares every access with earlier ones that the host has not waited for."""

    findings: Findings
    accesses: list[Access] = field(default_factory=list[Access])
    _pieces: dict[tuple[int, ...], _Pieces] = field(default_factory=dict[tuple[int, ...], _Pieces])

    def add(self, access: Access) -> None:
        """Record an access, and report its races."""
        for earlier in self.accesses:
            if earlier.may_race(access) and earlier.overlaps(access) is not None:
                self._report(earlier, access)
        self._replace(access)
        self._keep(access)

    def add_piece(self, access: Access, start: int, end: int) -> None:
        """Record a host access in the buffer from `start` to `end`, and report its races.

        Accesses with equal time, site and kind are merged, so that the cost of each does not depend on their
        number."""
        actor = access.actor
        key = (actor.component, actor.site, access.kind, start)
        pieces = self._pieces.get(key)
        if pieces is None or pieces.whole.actor is not actor:
            if pieces is not None:  # The merged access is complete.
                self._replace(pieces.whole)
            bits = np.zeros((end - start + 7) // 8, np.uint8)
            whole = Access(actor, access.kind, start, end, bits)
            pieces = _Pieces(whole, bits, [a for a in self.accesses if a.may_race(access)])
            self._keep(whole)
            self._pieces[key] = pieces
        mark(pieces.bits, access.start - start, access.end - access.start)
        for rival in [a for a in pieces.rivals if a.overlaps(access) is not None]:
            self._report(rival, access)
            pieces.rivals.remove(rival)

    def _keep(self, access: Access) -> None:
        for pieces in self._pieces.values():
            if pieces.whole.may_race(access):
                pieces.rivals.append(access)
        self.accesses.append(access)

    def _replace(self, access: Access) -> None:
        self.accesses = [a for a in self.accesses if a is access or not access.replaces(a)]

    def forget(self, clocks: Sequence[Clock]) -> None:
        """Drop accesses that happen before all future ones.

        `clocks` are those of running host code, and of each stream's oldest task that has not run."""
        self.accesses = [
            a for a in self.accesses if any(c.get(a.actor.component, 0) < a.actor.tick for c in clocks)
        ]

    def _report(self, one: Access, two: Access) -> None:
        first, second = (two, one) if one.actor.is_host and not two.actor.is_host else (one, two)
        host = second.actor.is_host
        other = first.actor.label
        if host and other == second.actor.label:
            other = other.replace("an ", "another ", 1)
        words = {READ: "reads", WRITE: "writes", ATOMIC: "updates"}
        if host:
            message = (
                f"{second.actor.label} {words[second.kind]} memory that {other} "
                f"{words[first.kind]}, without waiting for it"
            )
            name = "host-race"
        else:
            message = (
                f"{second.actor.label} {words[second.kind]} memory that {first.actor.label} "
                f"{words[first.kind]}, and nothing orders the two"
            )
            name = "data-race"
        self.findings.add(
            name, "warning", second.actor.site, message, ((first.actor.site, f"{first.actor.label} is here"),)
        )


def _compared_inside(one: Actor, two: Actor) -> bool:
    """Return whether `kernels/together.py` compares the actors' accesses, which atomic updates may order."""
    return one.is_kernel and two.is_kernel and (one.waits or two.waits)


def _covers(bits: Bits, other: Bits) -> bool:
    return len(bits) == len(other) and not np.any(other & ~bits)


def _bytes_touched(bits: Bits, start: int, end: int) -> Bits:
    first, last = start // 8, (end + 7) // 8
    return np.unpackbits(bits[first:last], bitorder="little")[start - first * 8 : end - first * 8]
