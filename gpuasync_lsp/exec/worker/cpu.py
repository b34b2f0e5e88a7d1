"""The `mgpu*` runtime on the CPU: strict streams, checked handles and memory, races.

Meaning: libmlir_cuda_runtime (design fact: streams are non-blocking, memory is not stream-ordered, cuMemFree
waits for the device, an error is printed and the program goes on). A call with a bad handle therefore does
nothing, and says so.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuasync_lsp.exec.worker.arena import PAGE, Arena, OutOfMemory, Region
from gpuasync_lsp.exec.worker.checks import ATOMIC, READ, WRITE
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings
from gpuasync_lsp.exec.worker.kernel_checks import KernelChecks, Launched
from gpuasync_lsp.exec.worker.model_time import ModelClock
from gpuasync_lsp.exec.worker.races import HOST, Access, Actor, Clock, RaceDetector, join
from gpuasync_lsp.exec.worker.streams import Event, Scheduler, Stream, Task
from gpuasync_lsp.exec.worker.timed import Timed
from gpuasync_lsp.exec.worker.untyped import memory
from gpuasync_lsp.exec.worker.waiting import Grid, Steps


@dataclass(frozen=True)
class CpuKernel:
    """A compiled kernel."""

    name: str
    call: Callable[[int, int], None]
    """Takes the addresses of the parameter array and of the geometry: nine i64, then the shared bytes."""

    parameter_sizes: tuple[int, ...]
    shared_bytes: int
    """Of static size."""

    buffers: tuple[tuple[int, int], ...] = ()
    """First address and size of each buffer of workgroup memory of its module."""

    unit: int | None = None
    """The logarithm of the bytes of a cell of shadow memory; None without."""

    steps: Steps | None = None
    """How to run it where its threads wait for others; `call` cannot then."""


@dataclass(eq=False)
class Module:
    """A loaded kernel module."""

    handle: int
    name: str
    site: int
    unloaded_at: int | None = None


MAX_THREADS = 1024
MAX_SHARED = 227 * 1024
MAX_STATIC_SHARED = 48 * 1024
"""What ptxas takes of shared memory whose size is in the program."""

MAX_IDLE, IDLE_SECONDS = 1000, 0.5
"""How many rounds, and how long, no waiting thread may change anything before that is a deadlock."""

MAX_CLUSTER = 8
"""Blocks of a cluster that every GPU with clusters takes."""


@dataclass
class CpuRuntime:
    """State of one run. `here()` gives the current source site."""

    arena: Arena
    findings: Findings
    here: Callable[[], int]
    watch: Callable[[bool], None]
    """Tells the generated code whether host accesses must be watched."""

    load_kernels: Callable[[str], dict[str, CpuKernel]]
    checks: KernelChecks
    order: str = "late"
    synchronous: bool = False
    operations: list[Timed] = field(default_factory=list[Timed])
    host_clock: Clock = field(default_factory=lambda: {HOST: 1})
    running_at: Callable[[int], None] = lambda site: None
    """Told the site of the operation that starts, and -1 when it has ended."""

    mapped: Callable[[int, int, bool], bool] = lambda address, size, writes: True
    """Whether the process may read or write bytes outside the arena."""

    _objects: dict[int, object] = field(default_factory=dict[int, object])
    _streams: list[Stream] = field(default_factory=list[Stream])
    _running: Task | None = None

    def __post_init__(self) -> None:
        self.races = RaceDetector(self.findings)
        self.scheduler = Scheduler(self.order, self._execute, self._streams)
        self._streams.append(Stream(0, 0, NO_SITE))
        self._events: list[Event] = []
        self._functions: dict[int, CpuKernel] = {}
        self._grids: list[tuple[Grid, Task, Launched]] = []
        """Kernels that run in steps, until they have ended."""

        self._first_region = len(self.arena.regions)
        self._clock = ModelClock()
        self._unit: int | None = None
        """Of the kernel that runs."""

    # The runtime's functions, under their own names.

    def mgpuStreamCreate(self) -> int:
        """Return the handle of a new non-blocking stream."""
        stream = Stream(self.arena.handle(), len(self._streams), self.here())
        self._streams.append(stream)
        self._objects[stream.handle] = stream
        return stream.handle

    def mgpuStreamDestroy(self, handle: int) -> None:
        """Destroy a stream; its pending work still finishes."""
        stream = self._stream(handle, "mgpuStreamDestroy", null=False)
        if stream is not None:
            stream.destroyed_at = self.here()

    def mgpuStreamSynchronize(self, handle: int) -> None:
        """Wait for all work of a stream."""
        stream = self._stream(handle, "mgpuStreamSynchronize")
        if stream is not None:
            self._wait_for_stream("wait for " + stream.name, stream)

    def mgpuStreamWaitEvent(self, handle: int, event_handle: int) -> None:
        """Let a stream wait for an event's latest record."""
        stream = self._stream(handle, "mgpuStreamWaitEvent")
        event = self._event(event_handle, "mgpuStreamWaitEvent")
        if stream is None or event is None:
            return
        if event.record is not None:
            join(stream.clock, event.record.clock)
            self._enqueue(Task(stream, "wait", self.here(), dict(stream.clock), waits_for=event.record))

    def mgpuEventCreate(self) -> int:
        """Return the handle of a new event."""
        event = Event(self.arena.handle(), self.here())
        self._events.append(event)
        self._objects[event.handle] = event
        return event.handle

    def mgpuEventDestroy(self, handle: int) -> None:
        """Destroy an event; waits for its record stay valid."""
        event = self._event(handle, "mgpuEventDestroy")
        if event is not None:
            event.destroyed_at = self.here()

    def mgpuEventSynchronize(self, handle: int) -> None:
        """Wait for an event's latest record."""
        event = self._event(handle, "mgpuEventSynchronize")
        if event is not None and event.record is not None:
            record = event.record

            def finish() -> float:
                self.scheduler.finish(record)
                return record.ended

            self._wait("wait for an event", finish, record.clock)

    def mgpuEventRecord(self, event_handle: int, handle: int) -> None:
        """Record an event at the end of a stream."""
        event = self._event(event_handle, "mgpuEventRecord")
        stream = self._stream(handle, "mgpuEventRecord")
        if event is not None and stream is not None:
            event.record = Task(stream, "record", self.here(), self._clock_on(stream))
            self._enqueue(event.record)

    def mgpuMemAlloc(self, size: int, handle: int, host_shared: int) -> int:
        """Allocate device or managed memory, at once; null when there is none."""
        if handle:
            self._stream(handle, "mgpuMemAlloc")
        if size == 0:
            return 0
        try:
            return self.arena.allocate(
                size & (2**64 - 1), "managed" if host_shared else "device", self.here()
            ).start
        except OutOfMemory:
            self.findings.add(
                "out-of-memory",
                "error",
                self.here(),
                f"no room for {_bytes(size)}: this run may use {_bytes(self.arena.limit)} in all "
                f"and uses {_bytes(self.arena.used)}; the call returns null",
            )
            return 0

    def mgpuMemFree(self, address: int, handle: int) -> None:
        """Free device memory; like cuMemFree, it waits for the whole device first."""
        stream = self._stream(handle, "mgpuMemFree") if handle else None
        if address == 0:
            return
        region = self.arena.at(address)
        if region is None or region.origin not in ("device", "managed"):
            self.findings.add("invalid-pointer", "error", self.here(), f"frees {self.describe(address)}")
            return
        if region.freed_at is not None:
            self.findings.add(
                "double-dealloc",
                "error",
                self.here(),
                "this buffer has been freed before",
                ((region.freed_at, "freed here first"), (region.site, "allocated here")),
            )
            return
        self._order_free(region, stream)
        self._device_synchronize("cuMemFree")
        self.arena.free(region, self.here())

    def mgpuMemcpy(self, target: int, source: int, size: int, handle: int) -> None:
        """Copy on a stream."""
        stream = self._stream(handle, "mgpuMemcpy")
        size &= 2**64 - 1
        if stream is None or size == 0:
            return
        if not self._check_range(target, size, WRITE) or not self._check_range(source, size, READ):
            return

        def copy(actor: Actor) -> None:
            self._note(actor, READ, source, size)
            self._note(actor, WRITE, target, size)
            ctypes.memmove(target, source, size)

        self._work(stream, "copy", copy, size)

    def mgpuMemset32(self, target: int, value: int, count: int, handle: int) -> None:
        """Set words of 32 bits on a stream."""
        self._memset(target, value, count, handle, np.uint32)

    def mgpuMemset16(self, target: int, value: int, count: int, handle: int) -> None:
        """Set words of 16 bits on a stream."""
        self._memset(target, value, count, handle, np.uint16)

    def mgpuModuleLoad(self, blob: int, size: int) -> int:
        """Load the module that a blob names."""
        name = ctypes.string_at(blob).decode().removeprefix("gpuasync:")
        module = Module(self.arena.handle(), name, self.here())
        self._objects[module.handle] = module
        return module.handle

    def mgpuModuleLoadJIT(self, blob: int, level: int, size: int) -> int:
        """Load the module that a blob names."""
        return self.mgpuModuleLoad(blob, size)

    def mgpuModuleUnload(self, handle: int) -> None:
        """Unload a module."""
        module = self._objects.get(handle)
        if not isinstance(module, Module) or module.unloaded_at is not None:
            self.findings.add("invalid-handle", "error", self.here(), f"unloads {self.describe(handle)}")
            return
        module.unloaded_at = self.here()
        pending = [
            t for s in self._streams for t in s.queue if t.label.startswith(f"kernel @{module.name}::")
        ]
        if pending:
            self.findings.add(
                "unloaded-module",
                "warning",
                self.here(),
                "the kernel's module is unloaded while the launch may still run",
                ((pending[0].site, "launched here"),),
            )

    def mgpuModuleGetFunction(self, handle: int, name: int) -> int:
        """Return the handle of a kernel."""
        module = self._objects.get(handle)
        if not isinstance(module, Module) or module.unloaded_at is not None:
            self.findings.add(
                "invalid-handle", "error", self.here(), f"takes {self.describe(handle)} for a module"
            )
            return 0
        entry = ctypes.string_at(name).decode()
        kernel = self.load_kernels(module.name).get(entry)
        if kernel is None:
            self.findings.add(
                "unknown-kernel", "error", self.here(), f"module @{module.name} has no kernel @{entry}"
            )
            return 0
        for known, function in self._functions.items():
            if function is kernel and self._objects[known] is module:
                return known
        result = self.arena.handle()
        self._functions[result] = kernel
        self._objects[result] = module
        return result

    def mgpuLaunchKernel(
        self, function: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int,
        parameters: int, extra: int, count: int,
    ) -> None:  # fmt: skip
        """Launch a kernel on a stream."""
        self._launch(function, (1, 1, 1), (gx, gy, gz), (bx, by, bz), shared, stream, parameters)

    def mgpuLaunchClusterKernel(
        self, function: int, cx: int, cy: int, cz: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int,
        shared: int, stream: int, parameters: int, extra: int, count: int,
    ) -> None:  # fmt: skip
        """Launch a kernel of clusters on a stream."""
        self._launch(function, (cx, cy, cz), (gx, gy, gz), (bx, by, bz), shared, stream, parameters)

    def mgpuMemHostRegister(self, address: int, size: int) -> None:
        """Let the device use host memory."""
        self._register(address, True)

    def mgpuMemHostUnregister(self, address: int) -> None:
        """End what mgpuMemHostRegister began."""
        self._register(address, False)

    def mgpuMemHostRegisterMemRef(self, rank: int, descriptor: int, element: int) -> None:
        """Let the device use the memory of a memref."""
        self._register(ctypes.c_uint64.from_address(descriptor + 8).value, True)

    def mgpuMemHostUnregisterMemRef(self, rank: int, descriptor: int, element: int) -> None:
        """End what mgpuMemHostRegisterMemRef began."""
        self._register(ctypes.c_uint64.from_address(descriptor + 8).value, False)

    def mgpuSetDefaultDevice(self, device: int) -> None:
        """There is one device."""
        if device != 0:
            self.findings.add("invalid-device", "error", self.here(), f"there is no device {device}, only 0")

    # What the rest of the worker asks.

    @property
    def streams(self) -> int:
        """How many streams there have been, the null stream among them."""
        return len(self._streams)

    def end(self) -> None:
        """After the entry returned: finish what is pending and report what was left behind."""
        for task in self._unawaited():
            self.findings.add(
                "unawaited-token",
                "warning",
                task.site,
                f"nothing waited for the {task.label.split(' ')[0]} before the program ended",
            )
        self._device_synchronize("end")
        for stream in self._streams[1:]:
            if stream.destroyed_at is None:
                self.findings.add("leaked-stream", "warning", stream.site, "this stream is never destroyed")
        for event in self._events:
            if event.destroyed_at is None:
                self.findings.add("leaked-event", "warning", event.site, "this event is never destroyed")
        for region in self.arena.regions[self._first_region :]:
            if region is None or region.freed_at is not None or region.site == NO_SITE:
                continue
            if region.origin in ("device", "managed"):
                self.findings.add(
                    "leaked-buffer", "warning", region.site, f"these {_bytes(region.size)} are never freed"
                )

    def host_access(self, address: int, size: int, kind: int, site: int, who: str = "the host") -> bool:
        """Check a host access and note it while device work is pending; return whether it may happen."""
        if not self.arena.owns(address) and self.mapped(address, size, kind != READ):
            return True
        region = self.arena.holding(address)
        if region is None or region.freed_at is not None or address + size > region.end:
            verb = "writes" if kind == WRITE else "reads"
            self._bad_access(f"{who} {verb}", address, size, site)
            return False
        if region.origin == "device":
            self.findings.add(
                "host-access-to-device-memory",
                "error",
                site,
                f"{who} {'writes' if kind == WRITE else 'reads'} device memory: on a GPU this ends the "
                "program with a segmentation fault",
                ((region.site, "allocated here"),),
            )
            return False
        if self.pending:
            actor = Actor(HOST, self.host_clock[HOST], dict(self.host_clock), site, who)
            self.races.add(Access(actor, kind, address, address + size))
        return True

    def device_access(self, address: int, size: int, kind: int, site: int, alignment: int = 1) -> bool:
        """What a kernel's check could not settle: give the region a bit map, or report; whether to go on."""
        if not self.arena.owns(address) and self.mapped(address, size, kind != READ):
            return True
        region = self.arena.holding(address)
        task = self._running
        if address % alignment and self.arena.owns(address):
            self.findings.add(
                "misaligned-address",
                "error",
                site,
                f"the kernel accesses {size} bytes at an address that is no multiple of {alignment} "
                "(CUDA_ERROR_MISALIGNED_ADDRESS on a GPU)",
                ((task.site, "launched here"),) if task is not None else (),
            )
            return False
        if (
            region is not None
            and region.freed_at is None
            and address + size <= region.end
            and (region.origin in ("device", "managed") or region.registered)
        ):
            if kind not in region.touched:
                self.arena.track(region, kind)
                if self._unit is not None:
                    self.arena.shadow(region, self._unit)
            self._touched_regions.add(region.number)
            _mark(region.touched[kind], address - region.start, size)
            return True
        related = ((task.site, "launched here"),) if task is not None else ()
        verb = {READ: "reads", WRITE: "writes", ATOMIC: "updates"}[kind]
        if region is not None and region.freed_at is None and address + size <= region.end:
            self.findings.add(
                "illegal-address",
                "error",
                site,
                f"the kernel {verb} host memory that is not registered (CUDA_ERROR_ILLEGAL_ADDRESS on a GPU)",
                (*related, (region.site, "allocated here")),
            )
        else:
            self._bad_access(f"the kernel {verb}", address, size, site, related)
            if (
                region is not None
                and address + size <= region.end
                and task is not None
                and task.actor is not None
            ):
                self.races.add(Access(task.actor, kind, address, address + size))
        return False

    @property
    def pending(self) -> bool:
        """Whether there is device work that the host has not waited for."""
        return any(s.clock.get(s.component, 0) > self.host_clock.get(s.component, 0) for s in self._streams)

    def describe(self, address: int) -> str:
        """Say what an address or handle is."""
        found = self._objects.get(address)
        if isinstance(found, Stream):
            return (
                f"a destroyed stream ({found.name})"
                if found.destroyed_at is not None
                else f"a stream ({found.name})"
            )
        if isinstance(found, Event):
            return "a destroyed event" if found.destroyed_at is not None else "an event"
        if isinstance(found, Module):
            return "a module"
        if address == 0:
            return "null"
        region = self.arena.holding(address)
        if region is not None:
            state = "freed " if region.freed_at is not None else ""
            return f"{state}{region.origin} memory"
        return f"{address:#x}, which is nothing that this program was given"

    # How it works.

    _touched_regions: set[int] = field(default_factory=set[int])

    def _stream(self, handle: int, function: str, null: bool = True) -> Stream | None:
        self.scheduler.breathe()
        if handle == 0 and null:
            return self._streams[0]
        found = self._objects.get(handle)
        if isinstance(found, Stream):
            if found.destroyed_at is None:
                return found
            self.findings.add(
                "stream-destroyed-twice" if function == "mgpuStreamDestroy" else "use-after-stream-destroy",
                "error",
                self.here(),
                f"{function}: {found.name} has been destroyed",
                ((found.destroyed_at, "destroyed here"), (found.site, "created here")),
            )
            return None
        name = "event-taken-for-stream" if isinstance(found, Event) else "invalid-handle"
        self._bad_handle(name, function, "a stream", handle)
        return None

    def _event(self, handle: int, function: str) -> Event | None:
        found = self._objects.get(handle)
        if isinstance(found, Event):
            if found.destroyed_at is None:
                return found
            self.findings.add(
                "event-destroyed-twice" if function == "mgpuEventDestroy" else "use-after-event-destroy",
                "error",
                self.here(),
                f"{function}: the event has been destroyed",
                ((found.destroyed_at, "destroyed here"), (found.site, "created here")),
            )
            return None
        name = "stream-taken-for-event" if isinstance(found, Stream) else "invalid-handle"
        if handle == 0:
            name = "null-token"
        self._bad_handle(name, function, "an event", handle)
        return None

    def _bad_handle(self, name: str, function: str, wanted: str, handle: int) -> None:
        found = self._objects.get(handle)
        related = ((found.site, "created here"),) if isinstance(found, Stream | Event | Module) else ()
        self.findings.add(
            name,
            "error",
            self.here(),
            f"{function} wants {wanted} and gets {self.describe(handle)}: CUDA_ERROR_INVALID_HANDLE, "
            "nothing is done",
            related,
        )

    def _bad_access(
        self, who: str, address: int, size: int, site: int, related: tuple[tuple[int, str], ...] = ()
    ) -> None:
        region = self.arena.find(address)
        if self.arena.is_handle(address) or address < PAGE * 16:
            self.findings.add(
                "illegal-address", "error", site, f"{who} memory through {self.describe(address)}", related
            )
        elif region is not None and region.freed_at is not None and address < region.end:
            self.findings.add(
                "use-after-dealloc",
                "error",
                site,
                f"{who} memory that has been freed",
                (*related, (region.freed_at, "freed here"), (region.site, "allocated here")),
            )
        else:
            near = self._nearest(address)
            if near is None or not self.arena.owns(address):
                self.findings.add(
                    "illegal-address",
                    "error",
                    site,
                    f"{who} {size} bytes at {address:#x}, where there is no memory{_how_far(address, near)}",
                    related if near is None else (*related, (near.site, "allocated here")),
                )
                return
            distance = (
                f"{address - near.end} bytes behind the end of"
                if address >= near.end
                else f"{near.start - address} bytes before"
                if address < near.start
                else f"across the end of (by {address + size - near.end} bytes)"
            )
            self.findings.add(
                "out-of-bounds",
                "error",
                site,
                f"{who} {size} bytes {distance} a buffer of {_bytes(near.size)}",
                (*related, (near.site, "allocated here")),
            )

    def _nearest(self, address: int) -> Region | None:
        before = self.arena.find(address)
        number = before.number + 1 if before is not None else 1
        after = self.arena.regions[number] if number < len(self.arena.regions) else None
        if before is None or after is None:
            return before or after
        return before if address - before.end <= after.start - address else after

    def _unawaited(self) -> list[Task]:
        """Return the pending operations that no other pending one is ordered after: a wait belongs there."""
        last: list[tuple[Task, Actor]] = []
        for stream in self._streams:
            work = [(task, task.actor) for task in stream.queue if task.actor is not None]
            last += work[-1:]
        return [
            task for task, one in last if not any(one.before(other) for _, other in last if other is not one)
        ]

    def _clock_on(self, stream: Stream) -> Clock:
        """Advance a stream by one point, after what the host and the stream know."""
        join(stream.clock, self.host_clock)
        stream.clock[stream.component] = stream.clock.get(stream.component, 0) + 1
        self.host_clock[HOST] += 1
        return dict(stream.clock)

    def _work(self, stream: Stream, label: str, run: Callable[[Actor], None], size: int = 0) -> None:
        clock = self._clock_on(stream)
        who = f"the {label.split(' (')[0]}"
        actor = Actor(stream.component, clock[stream.component], clock, self.here(), who)

        def work(last: bool) -> bool:
            run(actor)
            return True

        self._enqueue(Task(stream, label, self.here(), clock, actor, work, bytes=size))
        self._enqueued(stream)

    def _work_in_steps(
        self, stream: Stream, label: str, grid: Grid, launched: Launched, kept: tuple[object, ...]
    ) -> None:
        """Enqueue a kernel whose threads may wait for other kernels; `kept` must live as long as it runs."""
        clock = self._clock_on(stream)
        actor = Actor(stream.component, clock[stream.component], clock, launched.site, f"the {label}")

        def work(last: bool) -> bool:
            _ = kept
            return self._steps_of(grid, last)

        task = Task(stream, label, launched.site, clock, actor, work, can_go_on=lambda: grid.done)
        self._grids.append((grid, task, launched))
        self._enqueue(task)
        self._enqueued(stream)

    def _steps_of(self, mine: Grid, last: bool) -> bool:
        """Run a kernel in turns with the others that have begun; say if it has ended.

        Where none comes further, other work that may run begins. If there is none either, the kernel waits
        for what the host still enqueues, or, where the host waits, for ever: a deadlock.
        """
        idle, since = 0, 0.0
        while not mine.done:
            moved = False
            for grid, task, launched in [each for each in self._grids if each[1].started]:
                moved |= self._step_of(grid, task, launched)
            if moved or mine.done:
                idle = 0
                continue
            for grid, _, _ in self._grids:
                grid.pause()
            if self.scheduler.help(self._streams):
                idle = 0
                continue
            if not last:
                return False
            since = time.perf_counter() if not idle else since
            idle += 1
            if idle >= MAX_IDLE and time.perf_counter() - since > IDLE_SECONDS:
                self._tell_deadlock()
        self._grids = [each for each in self._grids if each[0] is not mine]
        return True

    def _step_of(self, grid: Grid, task: Task, launched: Launched) -> bool:
        if grid.done:
            return False
        before, self._running = self._running, task
        self._touched_regions.clear()
        self._unit = None
        self.checks.begin(launched)
        try:
            return grid.step()
        finally:
            self._running = before
            if task.actor is not None:
                self._note_kernel(task.actor)

    def _tell_deadlock(self) -> None:
        stuck = [(grid, task) for grid, task, _ in self._grids if task.started and not grid.done]
        places = [(grid.places() or [task.site], task) for grid, task in stuck]
        (sites, task), *others = places
        related = [(o[0], f"the {t.label.split(' (')[0]} waits here") for o, t in others]
        alone = "for what no other thread writes" if not others else "for each other"
        self.findings.add(
            "deadlock",
            "error",
            sites[0],
            f"the threads of {len(places)} kernel{'s' if others else ''} wait {alone}: "
            f"the {task.label.split(' (')[0]} waits here, and nothing else can run",
            (*related, *((t.site, "launched here") for _, t in stuck)),
        )
        for grid, _ in stuck:
            grid.give_up()

    def _enqueued(self, stream: Stream) -> None:
        self.watch(True)
        if self.synchronous:
            self._wait_for_stream("wait (--sync)", stream)

    def _enqueue(self, task: Task) -> None:
        task.enqueued = self._clock.now()
        task.stream.queue.append(task)
        self.scheduler.breathe()

    def _execute(self, task: Task, last: bool) -> bool:
        awaited = task.waits_for.ended if task.waits_for is not None else 0.0
        began = max(task.enqueued, task.stream.free_at, awaited)
        ended, took = self._run(task, task.run, last) if task.run is not None else (True, 0.0)
        task.took += took
        if not ended:
            return False
        task.ended = task.stream.free_at = began + task.took
        if task.run is not None:
            self.operations.append(
                Timed(task.label, task.stream.name, began, task.took, task.site, task.bytes)
            )
        return True

    def _run(self, task: Task, work: Callable[[bool], bool], last: bool) -> tuple[bool, float]:
        """Do a task's work; return whether it has ended, and the seconds that it took."""
        before, self._running = self._running, task
        self.running_at(task.site)
        start = time.perf_counter()
        try:
            ended = work(last)
        finally:
            self._running = before
            self.running_at(NO_SITE if before is None else before.site)
        took = time.perf_counter() - start
        if before is None:
            self._clock.leave_out(took)
        return ended, took

    def _wait(self, label: str, finish: Callable[[], float], clock: Clock) -> None:
        """Let the host wait for what `finish` runs and tells the end of; `clock` is what is known then."""
        start = self._clock.now()
        self._clock.wait_until(finish())
        self.operations.append(Timed(label, "host", start, self._clock.now() - start, self.here()))
        join(self.host_clock, clock)
        self.host_clock[HOST] += 1
        self.races.forget([self.host_clock, *(s.queue[0].clock for s in self._streams if s.queue)])
        self.watch(self.pending)

    def _device_synchronize(self, label: str) -> None:
        everything: Clock = {}
        for stream in self._streams:
            join(everything, stream.clock)

        def finish() -> float:
            self.scheduler.drain(self._streams)
            return max(stream.free_at for stream in self._streams)

        self._wait(label, finish, everything)

    def _wait_for_stream(self, label: str, stream: Stream) -> None:
        def finish() -> float:
            self.scheduler.drain([stream])
            return stream.free_at

        self._wait(label, finish, stream.clock)

    def _order_free(self, region: Region, stream: Stream | None) -> None:
        """A free is a write that is ordered like an operation of its stream."""
        clock = dict(self.host_clock)
        if stream is not None:
            join(clock, stream.clock)
        site = self.here()
        actor = Actor(HOST, clock[HOST], clock, site, "the dealloc")
        free = Access(actor, WRITE, region.start, region.end)
        self.scheduler.drain(self._streams)
        for access in self.races.accesses:
            if not access.actor.before(actor) and access.overlaps(free) is not None:
                self.findings.add(
                    "use-after-dealloc",
                    "warning",
                    site,
                    f"the dealloc is not ordered after {access.actor.label} that uses the buffer",
                    ((access.actor.site, f"{access.actor.label} is here"),),
                )

    def _note(self, actor: Actor, kind: int, address: int, size: int) -> None:
        region = self.arena.holding(address)
        if region is not None and region.freed_at is not None:
            self.findings.add(
                "use-after-dealloc",
                "error",
                actor.site,
                f"{actor.label} runs after its memory has been freed",
                ((region.freed_at, "freed here"),),
            )
        if region is not None and region.written is not None:
            if kind == WRITE:
                _mark(region.written, address - region.start, size)
            elif not _all_marked(region.written, address - region.start, size):
                self.findings.add(
                    "read-of-uninitialized",
                    "warning",
                    actor.site,
                    f"{actor.label} reads device memory that nothing has written",
                    ((region.site, "allocated here"),),
                )
        self.races.add(Access(actor, kind, address, address + size))

    def _check_range(self, address: int, size: int, kind: int) -> bool:
        if not self.arena.owns(address) and address >= 65536:
            return True
        region = self.arena.holding(address)
        if region is not None and region.freed_at is None and address + size <= region.end:
            return True
        self._bad_access("the copy writes" if kind == WRITE else "the copy reads", address, size, self.here())
        return False

    def _memset(self, target: int, value: int, count: int, handle: int, type: Any) -> None:
        stream = self._stream(handle, "mgpuMemset")
        count &= 2**64 - 1
        size = count * np.dtype(type).itemsize
        if stream is None or size == 0 or not self._check_range(target, size, WRITE):
            return
        word = np.array(value & ((1 << 8 * np.dtype(type).itemsize) - 1), type)

        def fill(actor: Actor) -> None:
            self._note(actor, WRITE, target, size)
            np.frombuffer(memory(target, size), dtype=type)[:] = word

        self._work(stream, "memset", fill, size)

    def _launch(
        self,
        function: int,
        cluster: tuple[int, int, int],
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: int,
        handle: int,
        parameters: int,
    ) -> None:
        kernel = self._functions.get(function)
        if kernel is None:
            self.findings.add(
                "invalid-handle", "error", self.here(), f"launches {self.describe(function)} as a kernel"
            )
            return
        stream = self._stream(handle, "mgpuLaunchKernel")
        module = self._objects[function]
        assert isinstance(module, Module)
        if module.unloaded_at is not None:
            self.findings.add(
                "invalid-handle",
                "error",
                self.here(),
                f"launches @{kernel.name} of a module that has been unloaded: nothing is done",
                ((module.unloaded_at, "unloaded here"),),
            )
            return
        if stream is None or not self._check_launch(kernel, cluster, grid, block, shared):
            return
        pointers = (ctypes.c_uint64 * max(len(kernel.parameter_sizes), 1)).from_address(parameters)
        offsets: list[int] = []
        total = 0
        for size in kernel.parameter_sizes:
            total = (total + 15) & ~15
            offsets.append(total)
            total += size
        values = ctypes.create_string_buffer(max(total, 1))
        array = (ctypes.c_uint64 * max(len(offsets), 1))()
        for number, (size, offset) in enumerate(zip(kernel.parameter_sizes, offsets, strict=True)):
            ctypes.memmove(ctypes.addressof(values) + offset, pointers[number], size)
            array[number] = ctypes.addressof(values) + offset
        geometry = (ctypes.c_int64 * 10)(*grid, *block, *cluster, shared)

        def run(actor: Actor) -> None:
            self._touched_regions.clear()
            self._unit = kernel.unit
            self.checks.begin(Launched(grid, block, actor.site, kernel.buffers))
            kernel.call(ctypes.addressof(array), ctypes.addressof(geometry))
            _ = values  # kept alive: the parameter array points into it
            self._note_kernel(actor)

        label = f"kernel @{module.name}::@{kernel.name}"
        if kernel.steps is None:
            self._work(stream, label, run)
            return
        grid_blocks, threads = grid[0] * grid[1] * grid[2], block[0] * block[1] * block[2]
        waiting = Grid(
            kernel.steps, ctypes.addressof(array), ctypes.addressof(geometry), grid_blocks, threads
        )
        self._work_in_steps(
            stream,
            label,
            waiting,
            Launched(grid, block, self.here(), kernel.buffers),
            (values, array, geometry),
        )

    def _check_launch(
        self,
        kernel: CpuKernel,
        cluster: tuple[int, int, int],
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: int,
    ) -> bool:
        threads = block[0] * block[1] * block[2]
        if min(*grid, *block) < 1:
            problem = f"a grid of {grid} blocks of {block} threads has no threads"
        elif threads > MAX_THREADS or block[2] > 64:
            problem = f"a block of {block} threads is over the limit of {MAX_THREADS} threads (z: 64)"
        elif grid[0] >= 2**31 or max(grid[1:]) > 65535:
            problem = f"a grid of {grid} blocks is over the limit of (2147483647, 65535, 65535)"
        elif kernel.shared_bytes > MAX_STATIC_SHARED:
            size, limit = _bytes(kernel.shared_bytes), _bytes(MAX_STATIC_SHARED)
            problem = f"@{kernel.name} declares {size} of shared memory, and {limit} is the limit of ptxas"
        elif min(cluster) < 1 or any(n % c for n, c in zip(grid, cluster, strict=True)):
            problem = f"a grid of {grid} blocks cannot be divided into clusters of {cluster}"
        elif cluster[0] * cluster[1] * cluster[2] > MAX_CLUSTER:
            problem = f"a cluster of {cluster} blocks is over the limit of {MAX_CLUSTER} blocks"
        elif shared < 0 or shared + kernel.shared_bytes > MAX_SHARED:
            size, limit = _bytes(shared + kernel.shared_bytes), _bytes(MAX_SHARED)
            problem = f"{size} of shared memory are over the limit of {limit}"
        else:
            return True
        self.findings.add("invalid-launch", "error", self.here(), f"CUDA_ERROR_INVALID_VALUE: {problem}")
        return False

    def _note_kernel(self, actor: Actor) -> None:
        for number in sorted(self._touched_regions):
            region = self.arena.regions[number]
            if region is None:
                continue
            touched = self.arena.take_touched(region)
            if region.written is not None:
                for kind in (WRITE, ATOMIC):
                    if kind in touched:
                        region.written |= touched[kind][: len(region.written)]
                if (
                    region.shadowed < region.size
                    and READ in touched
                    and np.any(touched[READ][: len(region.written)] & ~region.written)
                ):
                    self.findings.add(
                        "read-of-uninitialized",
                        "warning",
                        actor.site,
                        f"{actor.label} reads device memory that nothing has written",
                        ((region.site, "allocated here"),),
                    )
            for kind, bits in touched.items():
                self.races.add(Access(actor, kind, region.start, region.end, bits))

    def _register(self, address: int, registered: bool) -> None:
        region = self.arena.holding(address)
        if region is None or region.freed_at is not None or region.origin not in ("host", "argument"):
            if region is not None or self.arena.owns(address) or address < 65536:
                verb = "registers" if registered else "unregisters"
                self.findings.add(
                    "invalid-pointer", "error", self.here(), f"{verb} {self.describe(address)} as host memory"
                )
            return
        if region.registered == registered:
            problem = "is registered already" if registered else "is not registered"
            self.findings.add("invalid-pointer", "error", self.here(), f"this host memory {problem}")
        self.arena.register(region, registered)


def _mark(bits: np.ndarray[Any, np.dtype[np.uint8]], start: int, size: int) -> None:
    first, last = (start + 7) // 8, (start + size) // 8
    if first <= last:
        bits[first:last] = 0xFF
    for offset in (*range(start, min(first * 8, start + size)), *range(max(last * 8, start), start + size)):
        bits[offset // 8] |= 1 << (offset % 8)


def _all_marked(bits: np.ndarray[Any, np.dtype[np.uint8]], start: int, size: int) -> bool:
    first = start // 8
    touched = np.unpackbits(bits[first : (start + size + 7) // 8], bitorder="little")
    return bool(touched[start - first * 8 : start - first * 8 + size].all())


def _how_far(address: int, near: Region | None) -> str:
    if near is None:
        return ""
    away = (
        f"{address - near.end} bytes behind"
        if address >= near.end
        else f"{near.start - address} bytes before"
    )
    return f": {away} the nearest buffer, of {_bytes(near.size)}"


def _bytes(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
