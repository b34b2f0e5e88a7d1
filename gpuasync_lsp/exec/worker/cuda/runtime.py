"""The `mgpu*` runtime on an NVIDIA GPU, through the driver API of cuda-python.

The semantics are those of libmlir_cuda_runtime, except for errors: its wrappers print an error and continue;
here an error becomes a finding at the operation's source line, with an explanation.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Literal

from gpuasync_lsp.exec.worker.cuda.driver import Driver
from gpuasync_lsp.exec.worker.cuda.handles import Handles
from gpuasync_lsp.exec.worker.cuda.host_memory import PinnedMemory
from gpuasync_lsp.exec.worker.cuda.kernels import Kernels
from gpuasync_lsp.exec.worker.cuda.timings import Timings
from gpuasync_lsp.exec.worker.timed import Timed


class CudaRuntime:
    """The functions that lowered code calls, as methods with the same names, for one run."""

    def __init__(
        self,
        driver: Driver,
        handles: Handles,
        kernels: Kernels,
        timings: Timings,
        managed: Mapping[int, int],
        context: int,
    ) -> None:
        """`managed` maps the address of each argument in managed memory to its size; `context` is current."""
        self._driver = driver
        self._handles = handles
        self._kernels = kernels
        self._timings = timings
        self._buffers: dict[int, tuple[int, int]] = {}
        """Maps the address of each allocated buffer to its size in bytes and the allocation's site."""
        self._managed = managed
        self._pinned = PinnedMemory(driver)
        self._contexts = {handles.device: context}
        """Maps each device whose context has been current to that context."""
        self._streams = 0
        self._given: list[int] = []
        """Streams and events that the program's caller passed to it."""

    def mgpuStreamCreate(self) -> int:
        """Return a new non-blocking stream."""
        stream = self._driver.value("cuStreamCreate", self._driver.api.CUstream_flags.CU_STREAM_NON_BLOCKING)
        self._streams += 1
        self._timings.begin(stream)
        return self._handles.own(stream, "stream", f"stream {self._streams - 1}")

    def given(self, kind: Literal["stream", "event"], name: str) -> int:
        """Return a new stream or event that the program's caller passes as the argument `name`."""
        if kind == "event":
            handle = self.mgpuEventCreate()
        else:
            handle = self.mgpuStreamCreate()
            self._streams -= 1
            self._handles.own(handle, "stream", f"caller's stream {name}")
        self._given.append(handle)
        return handle

    def end_given(self) -> None:
        """Wait for the caller's streams, and destroy the caller's streams and events."""
        for handle in self._given:
            known = self._handles[handle]
            if known.destroyed_at is None and known.kind == "stream":
                self.mgpuStreamSynchronize(handle)
                self.mgpuStreamDestroy(handle)
            elif known.destroyed_at is None:
                self.mgpuEventDestroy(handle)

    def mgpuStreamDestroy(self, stream: int) -> None:
        """Destroy a stream."""
        if self._handles.check(stream, "stream", "mgpuStreamDestroy"):
            if self._driver.launch is not None:
                self._driver.launch.forget_stream(stream)
            self._handles.destroy("cuStreamDestroy", stream)

    def mgpuStreamSynchronize(self, stream: int) -> None:
        """Wait for a stream."""
        if self._handles.check(stream, "stream", "mgpuStreamSynchronize", null=True):
            self._timings.wait(f"wait for {self._handles.lane(stream)}", "cuStreamSynchronize", stream)

    def mgpuStreamWaitEvent(self, stream: int, event: int) -> None:
        """Make a stream wait on an event."""
        ok = self._handles.check(stream, "stream", "mgpuStreamWaitEvent", null=True)
        if self._handles.check(event, "event", "mgpuStreamWaitEvent") and ok:
            self._driver.call("cuStreamWaitEvent", stream, event, 0)
            self._timings.await_event(stream, event)

    def mgpuEventCreate(self) -> int:
        """Return a new event without timing."""
        return self._handles.own(
            self._driver.value("cuEventCreate", self._driver.api.CUevent_flags.CU_EVENT_DISABLE_TIMING),
            "event",
        )

    def mgpuEventDestroy(self, event: int) -> None:
        """Destroy an event."""
        if self._handles.check(event, "event", "mgpuEventDestroy"):
            self._handles.destroy("cuEventDestroy", event)

    def mgpuEventSynchronize(self, event: int) -> None:
        """Wait for an event."""
        if self._handles.check(event, "event", "mgpuEventSynchronize"):
            self._timings.wait("wait for an event", "cuEventSynchronize", event)

    def mgpuEventRecord(self, event: int, stream: int) -> None:
        """Record an event on a stream."""
        ok = self._handles.check(event, "event", "mgpuEventRecord")
        if self._handles.check(stream, "stream", "mgpuEventRecord", null=True) and ok:
            self._driver.call("cuEventRecord", event, stream)
            self._timings.record(event, stream)

    def mgpuMemAlloc(self, size: int, stream: int, host_shared: int) -> int:
        """Allocate device or managed memory; return null if the driver has no memory left."""
        if size == 0:
            return 0
        if host_shared:
            flag = self._driver.api.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL
            address = self._driver.value("cuMemAllocManaged", size, flag)
        else:
            address = self._driver.value("cuMemAlloc", size)
        if address:
            self._buffers[address] = (size, self._driver.here())
        return address

    def mgpuMemFree(self, address: int, stream: int) -> None:
        """Free device memory."""
        if address and self._timings.blocking("cuMemFree", "cuMemFree", address):
            self._buffers.pop(address, None)

    def mgpuMemcpy(self, target: int, source: int, size: int, stream: int) -> None:
        """Copy on a stream."""
        if self._handles.check(stream, "stream", "mgpuMemcpy", null=True):
            self._timings.enqueue("copy", stream, size, "cuMemcpyAsync", target, source, size, stream)

    def mgpuMemset32(self, target: int, value: int, count: int, stream: int) -> None:
        """Set words of 32 bits on a stream."""
        if self._handles.check(stream, "stream", "mgpuMemset32", null=True):
            self._timings.enqueue(
                "memset", stream, 4 * count, "cuMemsetD32Async", target, value & 0xFFFFFFFF, count, stream
            )

    def mgpuMemset16(self, target: int, value: int, count: int, stream: int) -> None:
        """Set words of 16 bits on a stream."""
        if self._handles.check(stream, "stream", "mgpuMemset16", null=True):
            self._timings.enqueue(
                "memset", stream, 2 * count, "cuMemsetD16Async", target, value & 0xFFFF, count, stream
            )

    def mgpuModuleLoad(self, blob: int, size: int) -> int:
        """Load the kernel module whose name is in a blob."""
        return self._kernels.load(ctypes.string_at(blob).decode().removeprefix("gpuasync:"))

    def mgpuModuleLoadJIT(self, blob: int, level: int, size: int) -> int:
        """Load the kernel module whose name is in a blob."""
        return self.mgpuModuleLoad(blob, size)

    def mgpuModuleUnload(self, module: int) -> None:
        """Unload a module."""
        if module and self._handles.check(module, "module", "mgpuModuleUnload"):
            self._kernels.unload(module)

    def mgpuModuleGetFunction(self, module: int, name: int) -> int:
        """Return a kernel of a module by its name."""
        return self._kernels.function(module, name)

    def mgpuLaunchKernel(
        self, function: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int,
        parameters: int, extra: int, count: int,
    ) -> None:  # fmt: skip
        """Launch a kernel on a stream; the host's parameter array is forwarded unchanged."""
        if not self._kernels.may_launch(function, shared, stream, "mgpuLaunchKernel"):
            return
        self._driver.note_launch()
        if not self._timings.profile and not self._driver.is_synchronous:
            self._kernels.allow(function, stream)
        self._timings.enqueue(
            f"kernel {self._handles[function].name}", stream, 0, "cuLaunchKernel",
            function, gx, gy, gz, bx, by, bz, shared, stream, parameters, 0,
        )  # fmt: skip

    def mgpuLaunchClusterKernel(
        self, function: int, cx: int, cy: int, cz: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int,
        shared: int, stream: int, parameters: int, extra: int, count: int,
    ) -> None:  # fmt: skip
        """Launch a kernel with clusters of blocks on a stream."""
        if not self._kernels.may_launch(function, shared, stream, "mgpuLaunchClusterKernel"):
            return
        self._driver.note_launch()
        config = self._driver.api.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = gx, gy, gz
        config.blockDimX, config.blockDimY, config.blockDimZ = bx, by, bz
        config.sharedMemBytes, config.hStream = shared, stream
        attribute = self._driver.api.CUlaunchAttribute()
        attribute.id = self._driver.api.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z = cx, cy, cz
        config.attrs, config.numAttrs = [attribute], 1
        label = f"kernel {self._handles[function].name}"
        self._timings.enqueue(label, stream, 0, "cuLaunchKernelEx", config, function, parameters, 0)

    def mgpuMemHostRegister(self, address: int, size: int) -> None:
        """Pin host memory and map it for the device; managed arguments need no mapping."""
        if not self._is_managed(address):
            self._pinned.register(address, size)

    def mgpuMemHostUnregister(self, address: int) -> None:
        """Unpin host memory."""
        if not self._is_managed(address):
            self._pinned.unregister(address)

    def mgpuMemHostRegisterMemRef(self, rank: int, descriptor: int, element: int) -> None:
        """Pin the memory of a memref."""
        words = (ctypes.c_int64 * (3 + 2 * rank)).from_address(descriptor)
        address = (words[1] & (2**64 - 1)) + words[2] * element
        count = words[3] * words[3 + rank] if rank else 1
        self.mgpuMemHostRegister(address, count * element)

    def mgpuMemHostUnregisterMemRef(self, rank: int, descriptor: int, element: int) -> None:
        """Unpin the memory of a memref."""
        words = (ctypes.c_int64 * 3).from_address(descriptor)
        self.mgpuMemHostUnregister((words[1] & (2**64 - 1)) + words[2] * element)

    def mgpuSetDefaultDevice(self, device: int) -> None:
        """Make the primary context of a device current; existing streams and kernels keep their device."""
        context = self._driver.value("cuDevicePrimaryCtxRetain", device)
        if context and self._driver.call("cuCtxSetCurrent", context):
            self._contexts[device] = context
            self._handles.device = device
            if self._driver.launch is not None:
                self._driver.launch.forget_kernels()

    def _is_managed(self, address: int) -> bool:
        return any(start <= address < start + size for start, size in self._managed.items())

    # Called by the other modules of the worker, not by lowered code.

    def synchronize(self) -> None:
        """Wait for all work on the current device."""
        self._driver.call("cuCtxSynchronize")

    @property
    def operations(self) -> list[Timed]:
        """Return the timed operations of the run."""
        return self._timings.operations

    @property
    def has_launched(self) -> bool:
        """Whether the run has launched a kernel; the first launch of each kernel is never a direct launch."""
        return self._driver.has_launched

    def launch_failed(self, error: int) -> None:
        """Report a direct launch that the driver rejected."""
        self._driver.failed("cuLaunchKernel", error)

    def end(self, idle: float) -> None:
        """Wait for all work, read the timings and report leaks, after the entry has returned.

        The entry returned `idle` seconds ago; the timeline omits this time."""
        self._timings.blocking("end", "cuCtxSynchronize")
        for device, context in self._contexts.items():
            # The program may have used other devices, including the first one.
            if device != self._handles.device and self._driver.call("cuCtxSetCurrent", context):
                self._driver.call("cuCtxSynchronize")
        self._timings.operations[-1].start -= idle
        self._handles.end()
        self._timings.end()
        self._handles.report_leaks()
        for size, site in self._buffers.values():
            message = f"these {size} bytes are never freed"
            self._driver.findings.add("leaked-buffer", "warning", site, message)
