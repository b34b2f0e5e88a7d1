"""Checks accesses by the host, kernels, copies and memsets, and records them for race detection."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpuasync_lsp.exec.worker.byte_counts import in_bytes, outside
from gpuasync_lsp.exec.worker.cpu.arena import PAGE, Arena, Bits, Region, mark
from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, READ, WRITE
from gpuasync_lsp.exec.worker.cpu.handles import Handles
from gpuasync_lsp.exec.worker.cpu.parts import current_part
from gpuasync_lsp.exec.worker.cpu.races import Access, Actor, RaceDetector
from gpuasync_lsp.exec.worker.cpu.streams import Task
from gpuasync_lsp.exec.worker.findings import Findings

_OF_HOST = ("host", "argument", "stack")


class MemoryChecks:
    """Checks accesses to the arena, and passes them to the race detector."""

    def __init__(
        self,
        arena: Arena,
        findings: Findings,
        handles: Handles,
        races: RaceDetector,
        *,
        here: Callable[[], int],
        mapped: Callable[[int, int, bool], bool],
        host: Callable[[int, str], Actor | None],
    ) -> None:
        """`mapped` returns whether the process can access bytes outside the arena.

        `host` returns an actor for the host at a site, or None if no device work is pending."""
        self._arena = arena
        self._findings = findings
        self._handles = handles
        self._races = races
        self._here = here
        self._mapped = mapped
        self._host = host
        self._touched: set[int] = set()
        """The numbers of the regions that the running kernel has accessed."""

        self._early: dict[tuple[int, int], Bits] = {}
        """Maps a region's number and a kind of access to the running kernel's accesses before its wait."""

        self._task: Task | None = None
        self._unit: int | None = None

    def run(self, task: Task | None) -> Task | None:
        """Make `task` the task that runs on the device; return the previous one."""
        before, self._task = self._task, task
        return before

    def begin_kernel(self, unit: int | None) -> None:
        """Begin or resume a kernel; `unit` is the base-2 logarithm of the cell size of its shadow memory."""
        self._touched.clear()
        self._early.clear()
        self._unit = unit

    def host_access(self, address: int, size: int, kind: int, site: int, who: str = "the host") -> bool:
        """Check a host access, and record it while device work is pending; return whether it is permitted."""
        if not self._arena.owns(address) and self._mapped(address, size, kind != READ):
            return True
        region = self._arena.holding(address)
        if region is None or region.freed_at is not None or address + size > region.end:
            verb = "writes" if kind == WRITE else "reads"
            self._bad_access(f"{who} {verb}", address, size, site)
            return False
        if region.origin == "device":
            self._findings.add(
                "host-access-to-device-memory",
                "error",
                site,
                f"{who} {'writes' if kind == WRITE else 'reads'} device memory: on a GPU this ends the "
                "program with a segmentation fault",
                (region.made,),
            )
            return False
        actor = self._host(site, who)
        if actor is not None:
            self._races.add_piece(Access(actor, kind, address, address + size), region.start, region.end)
        return True

    def device_access(
        self,
        address: int,
        size: int,
        kind: int,
        site: int,
        alignment: int = 1,
        who: str = "the kernel",
        place: Callable[[int, Region, int], str] = lambda address, region, site: "",
    ) -> bool:
        """Check a kernel's access that the fast path does not handle; return whether it is permitted.

        An access to a region without a bit map is permitted, and creates one; any other access is reported.
        `who` names the accessing thread in messages; `place` names an address as an element of a
        region."""
        if not self._arena.owns(address) and self._mapped(address, size, kind != READ):
            return True
        region = self._arena.holding(address)
        task = self._task
        verb = {READ: "reads", WRITE: "writes", ATOMIC: "updates"}[kind]
        if address % alignment and self._arena.owns(address):
            where = "" if region is None else place(address, region, site)
            self._findings.add(
                "misaligned-address",
                "error",
                site,
                f"{who} {verb} {where}{in_bytes(size)} at an address that is not a multiple of {alignment} "
                "(CUDA_ERROR_MISALIGNED_ADDRESS on a GPU)",
                ((task.site, "launched here"),) if task is not None else (),
            )
            return False
        if (
            region is not None
            and region.freed_at is None
            and address + size <= region.end
            and self._arena.is_for_device(region)
        ):
            part = current_part()
            core = part.number if part is not None else 0
            if (core, kind) not in region.touched:
                self._arena.track(region, kind, core)
                if self._unit is not None:
                    self._arena.shadow(region, self._unit)
            self._touched.add(region.number)
            mark(region.touched[core, kind], address - region.start, size)
            return True
        related = ((task.site, "launched here"),) if task is not None else ()
        if region is not None and region.freed_at is None and address + size <= region.end:
            self._findings.add(
                "illegal-address",
                "error",
                site,
                f"{who} {verb} {place(address, region, site)}host memory that is not registered "
                "(CUDA_ERROR_ILLEGAL_ADDRESS on a GPU)",
                (*related, region.made),
            )
        else:
            self._bad_access(f"{who} {verb}", address, size, site, related, place)
            if (
                region is not None
                and address + size <= region.end
                and task is not None
                and task.actor is not None
            ):
                self._races.add(Access(task.actor, kind, address, address + size))
        return False

    def early_access(self, address: int, size: int, kind: int) -> None:
        """Record an access by a dependent launch before its wait for the previous kernel."""
        region = self._arena.holding(address) if self._arena.owns(address) else None
        if region is None or address + size > region.end:
            return  # The bounds check reports it.
        bits = self._early.get((region.number, kind))
        if bits is None:
            bits = self._early[region.number, kind] = np.zeros((region.size + 7) // 8, np.uint8)
        mark(bits, address - region.start, size)

    def copy_access(self, address: int, size: int, kind: int) -> bool:
        """Return whether a copy or memset may access a range of bytes; report it if not."""
        if not self._arena.owns(address) and address >= 65536:
            return True
        region = self._arena.holding(address)
        if region is not None and region.freed_at is None and address + size <= region.end:
            return True
        self._bad_access(
            "the copy writes" if kind == WRITE else "the copy reads", address, size, self._here()
        )
        return False

    def note(self, actor: Actor, kind: int, address: int, size: int) -> None:
        """Record an access of a copy or memset when it runs."""
        region = self._arena.holding(address)
        if region is not None and region.freed_at is not None:
            self._findings.add(
                "use-after-dealloc",
                "error",
                actor.site,
                f"{actor.label} runs after its memory has been freed"
                if region.origin != "stack"
                else f"{actor.label} accesses {_ended(region)}",
                ((region.freed_at, _where_ended(region)),),
            )
            return  # A race would be the same error: the missing wait.
        if region is not None and region.written is not None:
            if kind == WRITE:
                mark(region.written, address - region.start, size)
            elif not _all_marked(region.written, address - region.start, size):
                self._add_unwritten(actor, region)
        self._races.add(Access(actor, kind, address, address + size))

    def _add_unwritten(self, actor: Actor, region: Region) -> None:
        self._findings.add(
            "read-of-uninitialized",
            "warning",
            actor.site,
            f"{actor.label} reads device memory that has not been written",
            (region.made,),
        )

    def note_kernel(self, actor: Actor) -> None:
        """Record the accesses of a kernel since it began or was resumed."""
        for number in sorted(self._touched):
            region = self._arena.regions[number]
            if region is None:
                continue
            touched = self._arena.take_touched(region)
            if region.written is not None:
                for kind in (WRITE, ATOMIC):
                    if kind in touched:
                        region.written |= touched[kind][: len(region.written)]
                if (
                    region.shadowed < region.size
                    and READ in touched
                    and np.any(touched[READ][: len(region.written)] & ~region.written)
                ):
                    self._add_unwritten(actor, region)
            for kind, bits in touched.items():
                early = self._early.get((number, kind))
                if early is not None and actor.early is not None:
                    self._races.add(Access(actor.early, kind, region.start, region.end, early))
                self._races.add(Access(actor, kind, region.start, region.end, bits))

    def register(self, address: int, registered: bool) -> None:
        """Allow or forbid device access to host memory."""
        region = self._arena.holding(address)
        managed = region is not None and region.origin == "managed" and region.is_given
        if region is None or region.freed_at is not None or (region.origin not in _OF_HOST and not managed):
            if region is not None or self._arena.owns(address) or address < 65536:
                verb = "registers" if registered else "unregisters"
                self._findings.add(
                    "invalid-pointer",
                    "error",
                    self._here(),
                    f"{verb} {self._handles.describe(address)} as host memory",
                )
            return
        if region.registered == registered:
            problem = "is already registered" if registered else "is not registered"
            self._findings.add("invalid-pointer", "error", self._here(), f"this host memory {problem}")
        self._arena.register(region, registered)

    def _bad_access(
        self,
        who: str,
        address: int,
        size: int,
        site: int,
        related: tuple[tuple[int, str], ...] = (),
        place: Callable[[int, Region, int], str] = lambda address, region, site: "",
    ) -> None:
        region = self._arena.find(address)
        if self._arena.is_handle(address) or address < PAGE * 16:
            self._findings.add(
                "illegal-address",
                "error",
                site,
                f"{who} memory through {self._handles.describe(address)}",
                related,
            )
        elif region is not None and region.freed_at is not None and address < region.end:
            self._findings.add(
                "use-after-dealloc",
                "error",
                site,
                f"{who} {place(address, region, site)}{_ended(region)}",
                tuple(dict.fromkeys((*related, (region.freed_at, _where_ended(region)), region.made))),
            )
        else:
            near = self._nearest(address)
            if near is None or not self._arena.owns(address):
                self._findings.add(
                    "illegal-address",
                    "error",
                    site,
                    f"{who} {in_bytes(size)} at {address:#x}, where there is no memory"
                    f"{_how_far(address, near)}",
                    related if near is None else (*related, near.made),
                )
                return
            where = outside(address, size, near.start, near.size)
            self._findings.add(
                "out-of-bounds",
                "error",
                site,
                f"{who} {place(address, near, site)}{where} of a buffer of {in_bytes(near.size)}",
                (*related, near.made),
            )

    def _nearest(self, address: int) -> Region | None:
        before = self._arena.find(address)
        number = before.number + 1 if before is not None else 1
        after = self._arena.regions[number] if number < len(self._arena.regions) else None
        if before is None or after is None:
            return before or after
        return before if address - before.end <= after.start - address else after


def _ended(region: Region) -> str:
    """Describe in words a region that is freed or out of scope."""
    if region.origin == "stack":
        return "a stack variable whose function has returned or whose scope has ended"
    if region.origin == "workgroup":
        return "workgroup memory of a block that has ended"
    return "memory that has been freed"


def _where_ended(region: Region) -> str:
    return {"stack": "its lifetime ends here", "workgroup": "launched here"}.get(region.origin, "freed here")


def _all_marked(bits: NDArray[np.uint8], start: int, size: int) -> bool:
    first = start // 8
    touched = np.unpackbits(bits[first : (start + size + 7) // 8], bitorder="little")
    return bool(touched[start - first * 8 : start - first * 8 + size].all())


def _how_far(address: int, near: Region | None) -> str:
    if near is None:
        return ""
    away = (
        f"{address - near.end} bytes after" if address >= near.end else f"{near.start - address} bytes before"
    )
    return f": {away} the nearest buffer, of {in_bytes(near.size)}"
