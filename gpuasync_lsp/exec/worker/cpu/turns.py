"""Interleaves kernels whose threads wait for each other or for other kernels."""

from __future__ import annotations

import time

from gpuasync_lsp.exec.worker.cpu.kernels.findings import KernelChecks, Launched
from gpuasync_lsp.exec.worker.cpu.memory_checks import MemoryChecks
from gpuasync_lsp.exec.worker.cpu.streams import Scheduler, Stream, Task
from gpuasync_lsp.exec.worker.cpu.waiting import Grid
from gpuasync_lsp.exec.worker.findings import Findings


def arrivals(word: int) -> str:
    """Describe the arrivals at an mbarrier, expected and actual; `word` is its state (`mbarriers.py`)."""
    expected, pending, waited = word & 0xFFFFF, word >> 20 & 0xFFFFF, word >> 41
    text = f" for an mbarrier ({expected} arrivals expected, {expected - pending} arrived"
    if 0 < waited < 1 << 22:
        text += f"; {waited:,} bytes of copies have not arrived"
    return f"{text})"


MAX_IDLE, IDLE_SECONDS = 1000, 0.5
"""A deadlock is reported after this many iterations and seconds without progress of any waiting thread."""


class Turns:
    """The launched kernels with waiting threads that have not ended."""

    def __init__(
        self,
        findings: Findings,
        checks: KernelChecks,
        memory: MemoryChecks,
        scheduler: Scheduler,
        streams: list[Stream],
    ) -> None:
        self._findings = findings
        self._checks = checks
        self._memory = memory
        self._scheduler = scheduler
        self._streams = streams
        self._grids: list[tuple[Grid, Task, Launched]] = []

    def add(self, grid: Grid, task: Task, launched: Launched) -> None:
        """Add a launched kernel."""
        self._grids.append((grid, task, launched))

    def run(self, mine: Grid, last: bool) -> bool:
        """Run the kernel `mine`, interleaved with the others that have begun; return whether it has ended.

        If no kernel makes progress, another runnable task begins. Without such a task, the kernel is
        suspended until the host enqueues more work; if the host is waiting (`last`), a deadlock is reported.
        """
        idle, since = 0, 0.0
        while not mine.done:
            moved = False
            for grid, task, launched in [each for each in self._grids if each[1].started]:
                moved |= self._step(grid, task, launched)
            if moved or mine.done:
                idle = 0
                continue
            for grid, _, _ in self._grids:
                grid.pause()
            if self._scheduler.help(self._streams):
                idle = 0
                continue
            if not last:
                return False
            since = time.perf_counter() if not idle else since
            idle += 1
            if idle >= MAX_IDLE and time.perf_counter() - since > IDLE_SECONDS:
                self._report_deadlock()
        self._grids = [each for each in self._grids if each[0] is not mine]
        return True

    def _step(self, grid: Grid, task: Task, launched: Launched) -> bool:
        if grid.done:
            return False
        before = self._memory.run(task)
        self._memory.begin_kernel(grid.unit)
        self._checks.resume(launched)
        try:
            return grid.step()
        finally:
            self._memory.run(before)
            if task.actor is not None:
                self._memory.note_kernel(task.actor)

    def _report_deadlock(self) -> None:
        stuck = [(grid, task) for grid, task, _ in self._grids if task.started and not grid.done]
        places = [(grid.places() or [(task.site, 0)], task) for grid, task in stuck]
        (sites, task), *others = places
        related = [(o[0][0], f"the {t.label.split(' (')[0]} waits here") for o, t in others]
        site, value = sites[0]
        lacks = arrivals(value) if site in self._checks.barriers else ""
        alone = "for a value that no other thread writes" if not others else "for each other"
        self._findings.add(
            "deadlock",
            "error",
            site,
            f"the threads of {len(places)} kernel{'s' if others else ''} wait {alone}: "
            f"the {task.label.split(' (')[0]} waits here{lacks}, and nothing else can run",
            (*related, *((t.site, "launched here") for _, t in stuck)),
        )
        for grid, _ in stuck:
            grid.give_up()
