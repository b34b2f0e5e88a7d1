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

from gpuasync_lsp.exec.worker.byte_counts import in_bytes
from gpuasync_lsp.exec.worker.cpu.arena import Arena, OutOfMemory, Region
from gpuasync_lsp.exec.worker.cpu.checks import READ, WRITE
from gpuasync_lsp.exec.worker.cpu.cores import Cores
from gpuasync_lsp.exec.worker.cpu.handles import Handles
from gpuasync_lsp.exec.worker.cpu.kernel import CpuKernel, launch_problem
from gpuasync_lsp.exec.worker.cpu.kernels.findings import KernelChecks, Launched
from gpuasync_lsp.exec.worker.cpu.memory_checks import MemoryChecks
from gpuasync_lsp.exec.worker.cpu.model_time import ModelClock
from gpuasync_lsp.exec.worker.cpu.parts import part_findings
from gpuasync_lsp.exec.worker.cpu.races import HOST, Access, Actor, Clock, RaceDetector, join
from gpuasync_lsp.exec.worker.cpu.streams import Scheduler, Stream, Task
from gpuasync_lsp.exec.worker.cpu.turns import Turns
from gpuasync_lsp.exec.worker.cpu.waiting import Grid
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings
from gpuasync_lsp.exec.worker.timed import Timed
from gpuasync_lsp.exec.worker.untyped import memory


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

    cores: Cores = field(default_factory=Cores)
    """What launches run on."""

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
        self._streams = self.handles.streams
        self.scheduler = Scheduler(self.order, self._execute, self._streams)
        self._turns = Turns(self.findings, self.checks, self.memory, self.scheduler, self._streams)
        self._functions: dict[int, CpuKernel] = {}
        self._first_region = len(self.arena.regions)
        self._clock = ModelClock()

    # The runtime's functions, under their own names.

    def mgpuStreamCreate(self) -> int:
        """Return the handle of a new non-blocking stream."""
        return self.handles.new_stream().handle

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
        event = self.handles.event(event_handle, "mgpuStreamWaitEvent")
        if stream is None or event is None:
            return
        if event.record is not None:
            join(stream.clock, event.record.clock)
            self._enqueue(Task(stream, "wait", self.here(), dict(stream.clock), waits_for=event.record))

    def mgpuEventCreate(self) -> int:
        """Return the handle of a new event."""
        return self.handles.new_event().handle

    def mgpuEventDestroy(self, handle: int) -> None:
        """Destroy an event; waits for its record stay valid."""
        event = self.handles.event(handle, "mgpuEventDestroy")
        if event is not None:
            event.destroyed_at = self.here()

    def mgpuEventSynchronize(self, handle: int) -> None:
        """Wait for an event's latest record."""
        event = self.handles.event(handle, "mgpuEventSynchronize")
        if event is not None and event.record is not None:
            record = event.record

            def finish() -> float:
                self.scheduler.finish(record)
                return record.ended

            self._wait("wait for an event", finish, record.clock)

    def mgpuEventRecord(self, event_handle: int, handle: int) -> None:
        """Record an event at the end of a stream."""
        event = self.handles.event(event_handle, "mgpuEventRecord")
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
                f"no room for {in_bytes(size)}: this run may use {in_bytes(self.arena.limit)} in all "
                f"and uses {in_bytes(self.arena.used)}; the call returns null",
            )
            return 0

    def mgpuMemFree(self, address: int, handle: int) -> None:
        """Free device memory; like cuMemFree, it waits for the whole device first."""
        stream = self._stream(handle, "mgpuMemFree") if handle else None
        if address == 0:
            return
        region = self.arena.at(address)
        if region is None or region.origin not in ("device", "managed"):
            self.findings.add(
                "invalid-pointer", "error", self.here(), f"frees {self.handles.describe(address)}"
            )
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
        if not self.memory.copy_access(target, size, WRITE) or not self.memory.copy_access(
            source, size, READ
        ):
            return

        def copy(actor: Actor) -> None:
            self.memory.note(actor, READ, source, size)
            self.memory.note(actor, WRITE, target, size)
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
        return self.handles.new_module(name).handle

    def mgpuModuleLoadJIT(self, blob: int, level: int, size: int) -> int:
        """Load the module that a blob names."""
        return self.mgpuModuleLoad(blob, size)

    def mgpuModuleUnload(self, handle: int) -> None:
        """Unload a module."""
        module = self.handles.module(handle)
        if module is None or module.unloaded_at is not None:
            self.findings.add(
                "invalid-handle", "error", self.here(), f"unloads {self.handles.describe(handle)}"
            )
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
        module = self.handles.module(handle)
        if module is None or module.unloaded_at is not None:
            self.findings.add(
                "invalid-handle", "error", self.here(), f"takes {self.handles.describe(handle)} for a module"
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
            if function is kernel and self.handles.module(known) is module:
                return known
        result = self.handles.new_function(module)
        self._functions[result] = kernel
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
        self.memory.register(address, True)

    def mgpuMemHostUnregister(self, address: int) -> None:
        """End what mgpuMemHostRegister began."""
        self.memory.register(address, False)

    def mgpuMemHostRegisterMemRef(self, rank: int, descriptor: int, element: int) -> None:
        """Let the device use the memory of a memref."""
        self.memory.register(ctypes.c_uint64.from_address(descriptor + 8).value, True)

    def mgpuMemHostUnregisterMemRef(self, rank: int, descriptor: int, element: int) -> None:
        """End what mgpuMemHostRegisterMemRef began."""
        self.memory.register(ctypes.c_uint64.from_address(descriptor + 8).value, False)

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
        for event in self.handles.events:
            if event.destroyed_at is None:
                self.findings.add("leaked-event", "warning", event.site, "this event is never destroyed")
        for region in self.arena.regions[self._first_region :]:
            if region is None or region.freed_at is not None or region.site == NO_SITE:
                continue
            if region.origin in ("device", "managed"):
                self.findings.add(
                    "leaked-buffer", "warning", region.site, f"these {in_bytes(region.size)} are never freed"
                )

    @property
    def pending(self) -> bool:
        """Whether there is device work that the host has not waited for."""
        return any(s.clock.get(s.component, 0) > self.host_clock.get(s.component, 0) for s in self._streams)

    # How it works.

    def _stream(self, handle: int, function: str, null: bool = True) -> Stream | None:
        self.scheduler.breathe()
        return self.handles.stream(handle, function, null)

    def _host(self, site: int, who: str) -> Actor | None:
        """Return who the host is at a site, if there is device work that it has not waited for."""
        if not self.pending:
            return None
        return Actor(HOST, self.host_clock[HOST], dict(self.host_clock), site, who)

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
            return self._turns.run(grid, last)

        task = Task(stream, label, launched.site, clock, actor, work, can_go_on=lambda: grid.done)
        self._turns.add(grid, task, launched)
        self._enqueue(task)
        self._enqueued(stream)

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

    def _memset(self, target: int, value: int, count: int, handle: int, type: Any) -> None:
        stream = self._stream(handle, "mgpuMemset")
        count &= 2**64 - 1
        size = count * np.dtype(type).itemsize
        if stream is None or size == 0 or not self.memory.copy_access(target, size, WRITE):
            return
        word = np.array(value & ((1 << 8 * np.dtype(type).itemsize) - 1), type)

        def fill(actor: Actor) -> None:
            self.memory.note(actor, WRITE, target, size)
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
                "invalid-handle",
                "error",
                self.here(),
                f"launches {self.handles.describe(function)} as a kernel",
            )
            return
        stream = self._stream(handle, "mgpuLaunchKernel")
        module = self.handles.module(function)
        assert module is not None
        if module.unloaded_at is not None:
            self.findings.add(
                "invalid-handle",
                "error",
                self.here(),
                f"launches @{kernel.name} of a module that has been unloaded: nothing is done",
                ((module.unloaded_at, "unloaded here"),),
            )
            return
        if stream is None:
            return
        problem = launch_problem(kernel, cluster, grid, block, shared)
        if problem is not None:
            said = f"CUDA_ERROR_INVALID_VALUE: {problem}"
            self.findings.add("invalid-launch", "error", self.here(), said)
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
        geometry = (ctypes.c_int64 * 12)(*grid, *block, *cluster, shared, 0, grid[0] * grid[1] * grid[2])

        def run(actor: Actor) -> None:
            self.memory.begin_kernel(kernel.unit)
            self.checks.begin(Launched(grid, block, actor.site, kernel.buffers))
            self.cores.run(kernel, ctypes.addressof(array), geometry, self.findings)
            _ = values  # kept alive: the parameter array points into it
            self.memory.note_kernel(actor)

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
