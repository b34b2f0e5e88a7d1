"""The `mgpu*` runtime on the CPU: ordered streams, checked handles and memory, race detection.

The semantics are those of libmlir_cuda_runtime: streams are non-blocking, memory is not stream-ordered,
cuMemFree waits for the device, and an error is printed and the program continues. So a call with a bad handle
is reported and does nothing else.
"""

from __future__ import annotations

import ctypes
from typing import Literal

import numpy as np
from numpy.typing import DTypeLike

from gpuasync_lsp.exec.worker.byte_counts import in_bytes
from gpuasync_lsp.exec.worker.cpu.arena import OutOfMemory, Region
from gpuasync_lsp.exec.worker.cpu.checks import READ, WRITE
from gpuasync_lsp.exec.worker.cpu.device import Device
from gpuasync_lsp.exec.worker.cpu.modules import Modules
from gpuasync_lsp.exec.worker.cpu.races import Access, Actor, join
from gpuasync_lsp.exec.worker.cpu.streams import Stream, Task
from gpuasync_lsp.exec.worker.timed import Timed
from gpuasync_lsp.exec.worker.untyped import memory


class CpuRuntime:
    """The functions that lowered code calls, as methods with the same names, for one device."""

    def __init__(self, device: Device, modules: Modules) -> None:
        self.device = device
        self._modules = modules
        self._first_region = len(device.arena.regions)

    def mgpuStreamCreate(self) -> int:
        """Return the handle of a new non-blocking stream."""
        return self.device.handles.new_stream().handle

    def mgpuStreamDestroy(self, handle: int) -> None:
        """Destroy a stream; its pending work still runs."""
        stream = self.device.stream(handle, "mgpuStreamDestroy", null=False)
        if stream is not None:
            stream.destroyed_at = self.device.here()

    def mgpuStreamSynchronize(self, handle: int) -> None:
        """Make the host wait for all work of a stream."""
        stream = self.device.stream(handle, "mgpuStreamSynchronize")
        if stream is not None:
            self.device.wait_for_stream("wait for " + stream.name, stream)

    def mgpuStreamWaitEvent(self, handle: int, event_handle: int) -> None:
        """Make a stream wait for an event's latest record."""
        stream = self.device.stream(handle, "mgpuStreamWaitEvent")
        event = self.device.handles.event(event_handle, "mgpuStreamWaitEvent")
        if stream is None or event is None:
            return
        if event.record is not None:
            join(stream.clock, event.record.clock)
            self.device.enqueue(
                Task(stream, "wait", self.device.here(), dict(stream.clock), waits_for=event.record)
            )

    def mgpuEventCreate(self) -> int:
        """Return the handle of a new event."""
        return self.device.handles.new_event().handle

    def mgpuEventDestroy(self, handle: int) -> None:
        """Destroy an event; waits for its record remain valid."""
        event = self.device.handles.event(handle, "mgpuEventDestroy")
        if event is not None:
            event.destroyed_at = self.device.here()

    def mgpuEventSynchronize(self, handle: int) -> None:
        """Make the host wait for an event's latest record."""
        event = self.device.handles.event(handle, "mgpuEventSynchronize")
        if event is not None and event.record is not None:
            record = event.record

            def finish() -> tuple[float, tuple[Timed, ...]]:
                self.device.scheduler.finish(record)
                return record.ended, record.end

            self.device.wait("wait for an event", finish, record.clock)

    def mgpuEventRecord(self, event_handle: int, handle: int) -> None:
        """Record an event at the end of a stream."""
        event = self.device.handles.event(event_handle, "mgpuEventRecord")
        stream = self.device.stream(handle, "mgpuEventRecord")
        if event is not None and stream is not None:
            event.record = Task(stream, "record", self.device.here(), self.device.clock_on(stream))
            self.device.enqueue(event.record)

    def mgpuMemAlloc(self, size: int, handle: int, host_shared: int) -> int:
        """Allocate device or managed memory synchronously; return null if the limit is exceeded."""
        if handle:
            self.device.stream(handle, "mgpuMemAlloc")
        if size == 0:
            return 0
        try:
            return self.device.arena.allocate(
                size & (2**64 - 1), "managed" if host_shared else "device", self.device.here()
            ).start
        except OutOfMemory:
            self.device.findings.add(
                "out-of-memory",
                "error",
                self.device.here(),
                f"out of device memory for {in_bytes(size)}: the limit of this run is "
                f"{in_bytes(self.device.arena.limit)}, of which {in_bytes(self.device.arena.used)} are in "
                "use; the call returns null",
            )
            return 0

    def mgpuMemFree(self, address: int, handle: int) -> None:
        """Free device memory; like cuMemFree, it waits for the whole device first."""
        stream = self.device.stream(handle, "mgpuMemFree") if handle else None
        if address == 0:
            return
        region = self.device.arena.at(address)
        if region is None or region.origin not in ("device", "managed"):
            self.device.findings.add(
                "invalid-pointer",
                "error",
                self.device.here(),
                f"frees {self.device.handles.describe(address)}",
            )
            return
        if region.freed_at is not None:
            self.device.findings.add(
                "double-dealloc",
                "error",
                self.device.here(),
                "this buffer has already been freed",
                ((region.freed_at, "first freed here"), region.made),
            )
            return
        self._order_free(region, stream)
        self.device.synchronize("cuMemFree")
        self.device.arena.free(region, self.device.here())

    def mgpuMemcpy(self, target: int, source: int, size: int, handle: int) -> None:
        """Copy on a stream."""
        stream = self.device.stream(handle, "mgpuMemcpy")
        size &= 2**64 - 1
        if stream is None or size == 0:
            return
        if not self.device.memory.copy_access(target, size, WRITE) or not self.device.memory.copy_access(
            source, size, READ
        ):
            return

        def copy(actor: Actor) -> None:
            self.device.memory.note(actor, READ, source, size)
            self.device.memory.note(actor, WRITE, target, size)
            ctypes.memmove(target, source, size)

        self.device.work(stream, "copy", copy, size)

    def mgpuMemset32(self, target: int, value: int, count: int, handle: int) -> None:
        """Set words of 32 bits on a stream."""
        self._memset(target, value, count, handle, np.uint32)

    def mgpuMemset16(self, target: int, value: int, count: int, handle: int) -> None:
        """Set words of 16 bits on a stream."""
        self._memset(target, value, count, handle, np.uint16)

    def mgpuModuleLoad(self, blob: int, size: int) -> int:
        """Load the kernel module whose name is in a blob."""
        return self._modules.load(blob)

    def mgpuModuleLoadJIT(self, blob: int, level: int, size: int) -> int:
        """Load the kernel module whose name is in a blob."""
        return self.mgpuModuleLoad(blob, size)

    def mgpuModuleUnload(self, handle: int) -> None:
        """Unload a module."""
        self._modules.unload(handle)

    def mgpuModuleGetFunction(self, handle: int, name: int) -> int:
        """Return the handle of a kernel of a module, by its name."""
        return self._modules.function(handle, name)

    def mgpuLaunchKernel(
        self, function: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int,
        parameters: int, extra: int, count: int,
    ) -> None:  # fmt: skip
        """Launch a kernel on a stream."""
        self._modules.launch(function, (1, 1, 1), (gx, gy, gz), (bx, by, bz), shared, stream, parameters)

    def mgpuLaunchClusterKernel(
        self, function: int, cx: int, cy: int, cz: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int,
        shared: int, stream: int, parameters: int, extra: int, count: int,
    ) -> None:  # fmt: skip
        """Launch a kernel of clusters on a stream."""
        self._modules.launch(function, (cx, cy, cz), (gx, gy, gz), (bx, by, bz), shared, stream, parameters)

    def mgpuMemHostRegister(self, address: int, size: int) -> None:
        """Allow device access to host memory."""
        self.device.memory.register(address, True)

    def mgpuMemHostUnregister(self, address: int) -> None:
        """Undo mgpuMemHostRegister."""
        self.device.memory.register(address, False)

    def mgpuMemHostRegisterMemRef(self, rank: int, descriptor: int, element: int) -> None:
        """Allow device access to the memory of a memref."""
        self.device.memory.register(ctypes.c_uint64.from_address(descriptor + 8).value, True)

    def mgpuMemHostUnregisterMemRef(self, rank: int, descriptor: int, element: int) -> None:
        """Undo mgpuMemHostRegisterMemRef."""
        self.device.memory.register(ctypes.c_uint64.from_address(descriptor + 8).value, False)

    def mgpuSetDefaultDevice(self, device: int) -> None:
        """Do nothing, because there is only one device."""
        if device != 0:
            self.device.findings.add(
                "invalid-device", "error", self.device.here(), f"there is no device {device}, only device 0"
            )

    def given(self, kind: Literal["stream", "event"], name: str) -> int:
        """Return a new stream or event that the program's caller passes as the argument `name`."""
        if kind == "event":
            event = self.device.handles.new_event()
            event.is_given = True
            return event.handle
        stream = self.device.handles.new_stream()
        stream.given_as = name
        return stream.handle

    def end_given(self) -> None:
        """Wait for the caller's streams."""
        for stream in self.device.streams:
            if stream.given_as and stream.destroyed_at is None:
                self.device.wait_for_stream(f"the caller waits for {stream.given_as}", stream)

    @property
    def has_launched(self) -> bool:
        """Whether the run has launched a kernel."""
        return self._modules.has_launched

    def end(self) -> None:
        """Finish pending work and report leaks, after the entry has returned."""
        for task in self.device.unawaited():
            self.device.findings.add(
                "unawaited-token",
                "warning",
                task.site,
                f"nothing waited for the {task.label.split(' ')[0]} before the program ended",
            )
        self.device.synchronize("end")
        for stream in self.device.streams[1:]:
            if stream.destroyed_at is None and not stream.given_as:
                self.device.findings.add(
                    "leaked-stream", "warning", stream.site, "this stream is never destroyed"
                )
        for event in self.device.handles.events:
            if event.destroyed_at is None and not event.is_given:
                self.device.findings.add(
                    "leaked-event", "warning", event.site, "this event is never destroyed"
                )
        for region in self.device.arena.regions[self._first_region :]:
            if region is None or region.freed_at is not None or region.is_given:
                continue
            if region.origin in ("device", "managed"):
                self.device.findings.add(
                    "leaked-buffer", "warning", region.site, f"these {in_bytes(region.size)} are never freed"
                )

    def _order_free(self, region: Region, stream: Stream | None) -> None:
        """Record a free as a write by an operation on its stream."""
        host = self.device.host
        clock = dict(host.clock)
        if stream is not None:
            join(clock, stream.clock)
        site = self.device.here()
        actor = Actor(host.component, clock[host.component], clock, site, "the dealloc")
        free = Access(actor, WRITE, region.start, region.end)
        self.device.scheduler.drain(self.device.streams)
        for access in self.device.races.accesses:
            if not access.actor.before(actor) and access.overlaps(free) is not None:
                self.device.findings.add(
                    "use-after-dealloc",
                    "warning",
                    site,
                    f"the dealloc is not ordered after {access.actor.label}, which uses the buffer",
                    ((access.actor.site, f"{access.actor.label} is here"),),
                )

    def _memset(self, target: int, value: int, count: int, handle: int, type: DTypeLike) -> None:
        stream = self.device.stream(handle, "mgpuMemset")
        count &= 2**64 - 1
        size = count * np.dtype(type).itemsize
        if stream is None or size == 0 or not self.device.memory.copy_access(target, size, WRITE):
            return
        word = np.array(value & ((1 << 8 * np.dtype(type).itemsize) - 1), type)

        def fill(actor: Actor) -> None:
            self.device.memory.note(actor, WRITE, target, size)
            np.frombuffer(memory(target, size), dtype=type)[:] = word

        self.device.work(stream, "memset", fill, size)
