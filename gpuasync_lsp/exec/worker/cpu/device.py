"""The device of one CPU run: the work on streams, and the host's waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gpuasync_lsp.exec.worker.cpu.arena import Arena
from gpuasync_lsp.exec.worker.cpu.handles import Handles
from gpuasync_lsp.exec.worker.cpu.host import Host
from gpuasync_lsp.exec.worker.cpu.kernel import CpuKernel
from gpuasync_lsp.exec.worker.cpu.kernels.findings import KernelChecks, Launched
from gpuasync_lsp.exec.worker.cpu.memory_checks import MemoryChecks
from gpuasync_lsp.exec.worker.cpu.model_time import ModelClock
from gpuasync_lsp.exec.worker.cpu.parts import part_findings
from gpuasync_lsp.exec.worker.cpu.races import Actor, Clock, RaceDetector, join
from gpuasync_lsp.exec.worker.cpu.streams import Scheduler, Stream, Task
from gpuasync_lsp.exec.worker.cpu.turns import Turns
from gpuasync_lsp.exec.worker.cpu.waiting import Grid
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings
from gpuasync_lsp.exec.worker.timed import Timed, joined


@dataclass
class Device:
    """The streams of a run and their work. `here()` returns the current source site."""

    arena: Arena
    findings: Findings
    here: Callable[[], int]
    watch: Callable[[bool], None]
    """Called with True when generated code must start to check host accesses, with False when it may stop."""

    checks: KernelChecks
    order: str = "late"
    synchronous: bool = False
    operations: list[Timed] = field(default_factory=list[Timed])
    host: Host = field(default_factory=Host)
    running_at: Callable[[int], None] = lambda site: None
    """Called with the site of an operation when it starts, and with -1 when it ends."""

    mapped: Callable[[int, int, bool], bool] = lambda address, size, writes: True
    """Returns whether the process may read or write bytes outside the arena."""

    def __post_init__(self) -> None:
        self.findings.elsewhere = part_findings
        self.races = RaceDetector(self.findings)
        self.handles = Handles(self.arena, self.findings, self.here)
        self.memory = MemoryChecks(
            self.arena,
            self.findings,
            self.handles,
            self.races,
            here=self.here,
            mapped=self.mapped,
            host=self._host,
        )
        self.streams = self.handles.streams
        self.scheduler = Scheduler(self.order, self._execute, self.streams)
        self._turns = Turns(self.findings, self.checks, self.memory, self.scheduler, self.streams)
        self._clock = ModelClock()

    @property
    def pending(self) -> bool:
        """Whether there is work on streams or in bodies of async.execute that the host has not waited for."""
        return self.host.has_company or any(
            s.clock.get(s.component, 0) > self.host.clock.get(s.component, 0) for s in self.streams
        )

    def stream(self, handle: int, function: str, null: bool = True) -> Stream | None:
        """Run work as the order requires; return a handle's stream, or None after reporting a bad handle."""
        self.scheduler.breathe()
        return self.handles.stream(handle, function, null)

    def _host(self, site: int, who: str) -> Actor | None:
        """Return an `Actor` for the host at `site`; None if the host has waited for all work."""
        return self.host.actor(site, who) if self.pending else None

    def unawaited(self) -> list[Task]:
        """Return the pending operations without a successor, for which the host should have waited."""
        last: list[tuple[Task, Actor]] = []
        for stream in self.streams:
            work = [(task, task.actor) for task in stream.queue if task.actor is not None]
            last += work[-1:]
        return [
            task for task, one in last if not any(one.before(other) for _, other in last if other is not one)
        ]

    def clock_on(self, stream: Stream) -> Clock:
        """Join the host's clock into a stream's, and advance both; return a copy of the stream's clock."""
        join(stream.clock, self.host.clock)
        stream.clock[stream.component] = stream.clock.get(stream.component, 0) + 1
        self.host.advance()
        return dict(stream.clock)

    def work(
        self,
        stream: Stream,
        label: str,
        run: Callable[[Actor], None],
        size: int = 0,
        *,
        kernel: CpuKernel | None = None,
        is_dependent: bool = False,
    ) -> None:
        """Enqueue `run` as one task; `size` is the number of bytes that it moves.

        In a dependent launch, only the accesses after its wait are ordered after the previous kernel. A
        launch that never waits runs before that kernel, unless the kernel has begun, and reads the old data.
        """
        begins = stream.begins if is_dependent else None
        clock = self.clock_on(stream)
        who = f"the {label.split(' (')[0]}"
        component, tick, is_kernel = stream.component, clock[stream.component], kernel is not None
        actor = Actor(component, tick, clock, self.here(), who, is_kernel)
        complete = {**clock, component: tick - 1}
        is_early = False
        if begins is not None and kernel is not None:
            begins = dict(begins)
            join(begins, self.host.clock)
            if kernel.waits_for_last:
                early = replace(actor, clock=begins, label=f"{who}, before its griddepcontrol.wait,")
                actor = replace(actor, early=early)
                complete = begins if kernel.triggers_early else complete
            else:
                actor = replace(actor, clock=begins)
                complete = begins
                is_early = True

        def work(last: bool) -> bool:
            run(actor)
            return True

        self.enqueue(Task(stream, label, self.here(), clock, actor, work, bytes=size), is_early=is_early)
        stream.begins = complete if is_kernel else None
        self._enqueued(stream)

    def work_in_steps(
        self, stream: Stream, label: str, grid: Grid, launched: Launched, kept: tuple[object, ...]
    ) -> None:
        """Enqueue a kernel whose threads may wait for other kernels; `kept` stays alive until the kernel
        ends."""
        clock = self.clock_on(stream)
        tick, name = clock[stream.component], f"the {label}"
        actor = Actor(stream.component, tick, clock, launched.site, name, is_kernel=True, waits=True)
        launched.name, launched.actor = name, actor

        def work(last: bool) -> bool:
            _ = kept
            return self._turns.run(grid, last)

        task = Task(stream, label, launched.site, clock, actor, work, can_go_on=lambda: grid.done)
        self._turns.add(grid, task, launched)
        self.enqueue(task)
        self._enqueued(stream)

    def enqueue(self, task: Task, *, is_early: bool = False) -> None:
        """Append a task to its stream; with `is_early`, insert it before the last task if that has not
        begun."""
        task.enqueued = self._clock.now()
        stream = task.stream
        stream.begins = None
        is_before = is_early and stream.queue and not stream.queue[-1].started
        stream.queue.insert(len(stream.queue) - bool(is_before), task)
        self.scheduler.breathe()

    def wait_for_stream(self, label: str, stream: Stream) -> None:
        """Make the host wait for one stream."""

        def finish() -> tuple[float, tuple[Timed, ...]]:
            self.scheduler.drain([stream])
            return stream.free_at, stream.end

        self.wait(label, finish, stream.clock)

    def synchronize(self, label: str) -> None:
        """Make the host wait for all streams."""
        everything: Clock = {}
        for stream in self.streams:
            join(everything, stream.clock)

        def finish() -> tuple[float, tuple[Timed, ...]]:
            self.scheduler.drain(self.streams)
            ends = joined(*(stream.end for stream in self.streams))
            return max(stream.free_at for stream in self.streams), ends

        self.wait(label, finish, everything)

    def idle(self, seconds: float) -> None:
        """Subtract from the host's time the seconds that it spent on the report."""
        self._clock.leave_out(seconds)

    def wait(self, label: str, finish: Callable[[], tuple[float, tuple[Timed, ...]]], clock: Clock) -> None:
        """Run `finish`, which runs the work that the host waits for, and join `clock` into the host's clock.

        `finish` returns the time at which the work ends, and the last operations."""
        start = self._clock.now()
        ended, after = finish()
        self._clock.wait_until(ended)
        duration = self._clock.now() - start
        self.operations.append(Timed(label, "host", start, duration, self.here(), after=after))
        self.host.learn(clock)
        self._has_learned()

    def begin_body(self) -> None:
        """Begin the body of an async.execute; it runs on the host's thread."""
        self.host.begin()
        self.watch(True)

    def end_body(self) -> int:
        """End the running body of async.execute; return its number."""
        number = self.host.end()
        self.watch(self.pending)
        return number

    def wait_for_body(self, number: int) -> None:
        """Make the host wait for the body of an async.execute; number 0 means all bodies that have ended."""
        self.host.wait_for(number)
        self._has_learned()

    def wait_for_group(self, group: int) -> None:
        """Make the host wait for the bodies of an async.group."""
        self.host.wait_for_group(group)
        self._has_learned()

    def _has_learned(self) -> None:
        """Drop accesses that cannot race with later ones, and update whether host accesses are watched."""
        waiting = (stream.queue[0].clock for stream in self.streams if stream.queue)
        self.races.forget([*self.host.clocks(), *waiting])
        self.watch(self.pending)

    def _enqueued(self, stream: Stream) -> None:
        self.watch(True)
        if self.synchronous:
            self.wait_for_stream("wait (--sync)", stream)

    def _execute(self, task: Task, last: bool) -> bool:
        awaited = task.waits_for.ended if task.waits_for is not None else 0.0
        began = max(task.enqueued, task.stream.free_at, awaited)
        ended, took = self._run(task, task.run, last) if task.run is not None else (True, 0.0)
        task.took += took
        if not ended:
            return False
        task.ended = task.stream.free_at = began + task.took
        stream = task.stream
        if task.run is not None:
            done = Timed(task.label, stream.name, began, task.took, task.site, task.bytes, stream.end)
            self.operations.append(done)
            stream.end = (done,)
        elif task.waits_for is not None:
            stream.end = joined(stream.end, task.waits_for.end)
        task.end = stream.end
        return True

    def _run(self, task: Task, work: Callable[[bool], bool], last: bool) -> tuple[bool, float]:
        """Execute a task; return whether it has ended, and how many seconds it took."""
        before = self.memory.run(task)
        self.running_at(task.site)
        start = time.perf_counter()
        try:
            ended = work(last)
        finally:
            self.memory.run(before)
            self.running_at(NO_SITE if before is None else before.site)
        took = time.perf_counter() - start
        if before is None:
            self._clock.leave_out(took)
        return ended, took
