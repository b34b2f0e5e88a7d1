"""The `mgpu*` runtime on an NVIDIA GPU, over the driver API as cuda-python has it.

Meaning: libmlir_cuda_runtime. Its wrappers print an error and go on; here the error becomes a finding at the
source line of the operation, with what it means. Handles are checked before the driver sees them, since the
driver may do anything with a bad one.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpuasync_lsp.exec.worker.cuda.errors import explain, is_sticky
from gpuasync_lsp.exec.worker.cuda.launch import DirectLaunch
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings
from gpuasync_lsp.exec.worker.timed import Timed
from gpuasync_lsp.exec.worker.untyped import cuda_driver

LOG_BYTES = 8192
"""Room for what the driver's compiler says of PTX that it does not take."""

USUAL_SHARED = 48 * 1024
"""Shared memory above this, static and dynamic together, must be asked for."""

QUARANTINE = 256
"""Destroyed streams and events that are kept from the driver, which would give their handles out again: a
late use would then look like a use of the new one."""


@dataclass
class Handle:
    """A stream, event, module or function; what it is, and where it came from and went."""

    kind: str
    site: int
    name: str = ""
    device: int = 0
    destroyed_at: int | None = None


@dataclass
class Span:
    """Two events around an operation, to be read at the end."""

    label: str
    lane: str
    site: int
    bytes: int
    begin: Any
    end: Any


@dataclass
class CudaRuntime:
    """State of one run. `here()` gives the current source site."""

    driver: Any
    """The module `cuda.bindings.driver`."""

    findings: Findings
    here: Callable[[], int]
    images: Callable[[str], bytes | None]
    """PTX, cubin or fatbin of a kernel module; None for one that the run cannot reach."""

    synchronous: bool = False
    profile: bool = False
    module_sites: Mapping[str, int] = field(default_factory=dict[str, int])
    """Where the code of each kernel module begins: modules are loaded before any line of the host runs."""

    launch: DirectLaunch | None = None
    """Told what it may launch without asking again; None to be asked each time."""

    operations: list[Timed] = field(default_factory=list[Timed])
    handles: dict[int, Handle] = field(default_factory=dict[int, Handle])
    _buffers: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    _streams: int = 0
    _spans: list[Span] = field(default_factory=list[Span])
    _last_launch: int = NO_SITE
    _dead: bool = False
    _functions: dict[tuple[int, str], int] = field(default_factory=dict[tuple[int, str], int])
    _shared: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """By kernel: its static shared memory, and how much dynamic memory a launch may have."""

    _device: int = 0
    _quarantine: deque[tuple[str, int]] = field(default_factory=deque[tuple[str, int]])
    """What is still to be destroyed: the driver's function, and the handle."""

    def __post_init__(self) -> None:
        self._origin = time.perf_counter()
        self._origin_event: Any = None
        if self.profile:
            self._origin_event = self._new_event()
            self.driver.cuEventRecord(self._origin_event, 0)
            self.driver.cuEventSynchronize(self._origin_event)
            self._origin = time.perf_counter()

    # The runtime's functions, under their own names.

    def mgpuStreamCreate(self) -> int:
        """Return a new non-blocking stream."""
        stream = self._value("cuStreamCreate", self.driver.CUstream_flags.CU_STREAM_NON_BLOCKING)
        self._streams += 1
        return self._own(stream, "stream", f"stream {self._streams - 1}")

    def mgpuStreamDestroy(self, stream: int) -> None:
        """Destroy a stream."""
        if self._is(stream, "stream", "mgpuStreamDestroy"):
            if self.launch is not None:
                self.launch.forget_stream(stream)
            self._destroy("cuStreamDestroy", stream)

    def mgpuStreamSynchronize(self, stream: int) -> None:
        """Wait for a stream."""
        if self._is(stream, "stream", "mgpuStreamSynchronize", null=True):
            self._blocking(f"wait for {self._lane(stream)}", "cuStreamSynchronize", stream)

    def mgpuStreamWaitEvent(self, stream: int, event: int) -> None:
        """Let a stream wait for an event."""
        ok = self._is(stream, "stream", "mgpuStreamWaitEvent", null=True)
        if self._is(event, "event", "mgpuStreamWaitEvent") and ok:
            self._call("cuStreamWaitEvent", stream, event, 0)

    def mgpuEventCreate(self) -> int:
        """Return a new event without timing."""
        return self._own(
            self._value("cuEventCreate", self.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING), "event"
        )

    def mgpuEventDestroy(self, event: int) -> None:
        """Destroy an event."""
        if self._is(event, "event", "mgpuEventDestroy"):
            self._destroy("cuEventDestroy", event)

    def mgpuEventSynchronize(self, event: int) -> None:
        """Wait for an event."""
        if self._is(event, "event", "mgpuEventSynchronize"):
            self._blocking("wait for an event", "cuEventSynchronize", event)

    def mgpuEventRecord(self, event: int, stream: int) -> None:
        """Record an event on a stream."""
        ok = self._is(event, "event", "mgpuEventRecord")
        if self._is(stream, "stream", "mgpuEventRecord", null=True) and ok:
            self._call("cuEventRecord", event, stream)

    def mgpuMemAlloc(self, size: int, stream: int, host_shared: int) -> int:
        """Allocate device or managed memory; null when the driver has none."""
        if size == 0:
            return 0
        if host_shared:
            flag = self.driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL
            address = self._value("cuMemAllocManaged", size, flag)
        else:
            address = self._value("cuMemAlloc", size)
        if address:
            self._buffers[address] = (size, self.here())
        return address

    def mgpuMemFree(self, address: int, stream: int) -> None:
        """Free device memory."""
        if address and self._blocking("cuMemFree", "cuMemFree", address):
            self._buffers.pop(address, None)

    def mgpuMemcpy(self, target: int, source: int, size: int, stream: int) -> None:
        """Copy on a stream."""
        if self._is(stream, "stream", "mgpuMemcpy", null=True):
            self._work("copy", stream, size, "cuMemcpyAsync", target, source, size, stream)

    def mgpuMemset32(self, target: int, value: int, count: int, stream: int) -> None:
        """Set words of 32 bits on a stream."""
        if self._is(stream, "stream", "mgpuMemset32", null=True):
            self._work(
                "memset", stream, 4 * count, "cuMemsetD32Async", target, value & 0xFFFFFFFF, count, stream
            )

    def mgpuMemset16(self, target: int, value: int, count: int, stream: int) -> None:
        """Set words of 16 bits on a stream."""
        if self._is(stream, "stream", "mgpuMemset16", null=True):
            self._work("memset", stream, 2 * count, "cuMemsetD16Async", target, value & 0xFFFF, count, stream)

    def mgpuModuleLoad(self, blob: int, size: int) -> int:
        """Load the module that a blob names."""
        name = ctypes.string_at(blob).decode().removeprefix("gpuasync:")
        image = self.images(name)
        if image is None:
            return 0  # no launch that this run can reach is in it
        log = bytearray(LOG_BYTES)
        options = self.driver.CUjit_option
        wanted = [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        error, module = self.driver.cuModuleLoadDataEx(image, len(wanted), wanted, [log, len(log)])
        if error:
            said = log.split(b"\0")[0].decode("utf-8", "replace").strip()
            site = self.module_sites.get(name, NO_SITE) if self.here() == NO_SITE else self.here()
            self._failed("cuModuleLoadDataEx", error, f" (@{name}): {said}" if said else f" (@{name})", site)
            return 0
        return self._own(int(module), "module", name)

    def mgpuModuleLoadJIT(self, blob: int, level: int, size: int) -> int:
        """Load the module that a blob names."""
        return self.mgpuModuleLoad(blob, size)

    def mgpuModuleUnload(self, module: int) -> None:
        """Unload a module."""
        if module and self._is(module, "module", "mgpuModuleUnload"):
            if self.launch is not None:
                self.launch.forget_kernels()
            self._call("cuModuleUnload", module)
            self.handles[module].destroyed_at = self.here()
            for key in [key for key in self._functions if key[0] == module]:
                function = self._functions.pop(key)
                self._shared.pop(function, None)
                if function:
                    self.handles[function].destroyed_at = self.here()

    def mgpuModuleGetFunction(self, module: int, name: int) -> int:
        """Return a kernel of a module."""
        entry = ctypes.string_at(name)
        key = (module, entry.decode())
        if key not in self._functions:
            if not self._is(module, "module", "mgpuModuleGetFunction"):
                return 0
            function = self._value("cuModuleGetFunction", module, entry)
            owner = self.handles[module]
            self._functions[key] = self._own(function, "function", f"@{owner.name}::@{key[1]}", owner.device)
        if self.launch is not None:
            self.launch.name(module, name, self._functions[key])
        return self._functions[key]

    def mgpuLaunchKernel(
        self, function: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int,
        parameters: int, extra: int, count: int,
    ) -> None:  # fmt: skip
        """Launch a kernel on a stream; the host's parameter array is passed on as it is."""
        if not self._may_launch(function, shared, stream, "mgpuLaunchKernel"):
            return
        self._note_launch()
        if self.profile or self.synchronous:
            self._work(
                f"kernel {self.handles[function].name}", stream, 0, "cuLaunchKernel",
                function, gx, gy, gz, bx, by, bz, shared, stream, parameters, 0,
            )  # fmt: skip
            return
        if self.launch is not None:
            self.launch.allow(function, stream, self._shared[function][1])
        (error,) = self.driver.cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, 0)
        if error:
            self._failed("cuLaunchKernel", error)

    def mgpuLaunchClusterKernel(
        self, function: int, cx: int, cy: int, cz: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int,
        shared: int, stream: int, parameters: int, extra: int, count: int,
    ) -> None:  # fmt: skip
        """Launch a kernel of clusters on a stream."""
        if not self._may_launch(function, shared, stream, "mgpuLaunchClusterKernel"):
            return
        self._note_launch()
        config = self.driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = gx, gy, gz
        config.blockDimX, config.blockDimY, config.blockDimZ = bx, by, bz
        config.sharedMemBytes, config.hStream = shared, stream
        attribute = self.driver.CUlaunchAttribute()
        attribute.id = self.driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z = cx, cy, cz
        config.attrs, config.numAttrs = [attribute], 1
        label = f"kernel {self.handles[function].name}"
        self._work(label, stream, 0, "cuLaunchKernelEx", config, function, parameters, 0)

    def mgpuMemHostRegister(self, address: int, size: int) -> None:
        """Pin host memory and map it for the device."""
        self._call("cuMemHostRegister", address, size, 0)

    def mgpuMemHostUnregister(self, address: int) -> None:
        """Unpin host memory."""
        self._call("cuMemHostUnregister", address)

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
        """Make the primary context of a device current; streams and kernels stay with theirs."""
        context = self._value("cuDevicePrimaryCtxRetain", device)
        if context and self._call("cuCtxSetCurrent", context):
            self._device = device
            if self.launch is not None:
                self.launch.forget_kernels()

    # What the rest of the worker asks.

    def launch_failed(self, error: int) -> None:
        """Tell of a launch that was made without this object and that the driver refused."""
        self._failed("cuLaunchKernel", error)

    def end(self) -> None:
        """After the entry returned: wait for everything, read the timings, report what was left behind."""
        self._blocking("end", "cuCtxSynchronize")
        while self._quarantine:
            self._call(*self._quarantine.popleft())
        self._read_spans()
        for handle in self.handles.values():
            if handle.destroyed_at is None and handle.kind in ("stream", "event"):
                self.findings.add(
                    f"leaked-{handle.kind}", "warning", handle.site, f"this {handle.kind} is never destroyed"
                )
        for size, site in self._buffers.values():
            self.findings.add("leaked-buffer", "warning", site, f"these {size} bytes are never freed")

    # How it works.

    def _value(self, name: str, *arguments: Any) -> int:
        error, *values = getattr(self.driver, name)(*arguments)
        if error:
            self._failed(name, error)
            return 0
        return int(values[0])

    def _call(self, name: str, *arguments: Any) -> bool:
        (error,) = getattr(self.driver, name)(*arguments)
        if error:
            self._failed(name, error)
        return not error

    def _blocking(self, label: str, name: str, *arguments: Any) -> bool:
        start = time.perf_counter()
        ok = self._call(name, *arguments)
        self.operations.append(Timed(label, "host", start, time.perf_counter() - start, self.here()))
        return ok

    def _work(self, label: str, stream: int, size: int, name: str, *arguments: Any) -> None:
        if not self.profile:
            ok = self._call(name, *arguments)
        else:
            begin, end = self._new_event(), self._new_event()
            self.driver.cuEventRecord(begin, stream)
            ok = self._call(name, *arguments)
            self.driver.cuEventRecord(end, stream)
            self._spans.append(Span(label, self._lane(stream), self.here(), size, begin, end))
        if self.synchronous and ok:
            self._blocking("wait (--sync)", "cuStreamSynchronize", stream)

    def _note_launch(self) -> None:
        self._last_launch = self.here()
        if self.launch is not None:
            self.launch.last_site = self._last_launch

    def _new_event(self) -> Any:
        error, event = self.driver.cuEventCreate(0)
        if error:
            self._failed("cuEventCreate", error)
        return event

    def _read_spans(self) -> None:
        for span in self._spans:
            error, start = self.driver.cuEventElapsedTime(self._origin_event, span.begin)
            error_end, duration = self.driver.cuEventElapsedTime(span.begin, span.end)
            if not error and not error_end:
                self.operations.append(
                    Timed(
                        span.label,
                        span.lane,
                        self._origin + start / 1e3,
                        duration / 1e3,
                        span.site,
                        span.bytes,
                    )
                )
            self.driver.cuEventDestroy(span.begin)
            self.driver.cuEventDestroy(span.end)

    def _own(self, value: int, kind: str, name: str = "", device: int | None = None) -> int:
        if value:
            self.handles[value] = Handle(kind, self.here(), name, self._device if device is None else device)
        return value

    def _lane(self, stream: int) -> str:
        handle = self.handles.get(stream)
        return handle.name if handle is not None else "the null stream"

    def _is(self, value: int, kind: str, function: str, null: bool = False) -> bool:
        handle = self.handles.get(value)
        if handle is not None and handle.kind == kind and handle.destroyed_at is None:
            return True
        if value == 0 and null:
            return True
        if handle is not None and handle.kind == kind:
            site = handle.destroyed_at
            assert site is not None
            twice = function.endswith("Destroy")
            name = f"{kind}-destroyed-twice" if twice else f"use-after-{kind}-destroy"
            self.findings.add(
                name,
                "error",
                self.here(),
                f"{function}: the {kind} has been destroyed",
                ((site, "destroyed here"), (handle.site, "created here")),
            )
            return False
        got = f"a {handle.kind}" if handle is not None else "null" if value == 0 else f"{value:#x}"
        name = (
            f"{handle.kind}-taken-for-{kind}"
            if handle is not None
            else "null-token"
            if value == 0
            else "invalid-handle"
        )
        related = ((handle.site, "created here"),) if handle is not None else ()
        self.findings.add(
            name,
            "error",
            self.here(),
            f"{function} wants a {kind} and gets {got}: the call is not made (CUDA_ERROR_INVALID_HANDLE)",
            related,
        )
        return False

    def _destroy(self, name: str, handle: int) -> None:
        self.handles[handle].destroyed_at = self.here()
        self._quarantine.append((name, handle))
        if len(self._quarantine) > QUARANTINE:
            self._call(*self._quarantine.popleft())

    def _may_launch(self, function: int, shared: int, stream: int, name: str) -> bool:
        """Check the handles of a launch, and ask for its shared memory where that is more than usual."""
        ok = self._is(stream, "stream", name, null=True)
        if not self._is(function, "function", name) or not ok:
            return False
        kernel, lane = self.handles[function], self.handles.get(stream)
        device = lane.device if lane is not None else self._device
        if kernel.device != device:
            self.findings.add(
                "invalid-device",
                "error",
                self.here(),
                f"{name}: {kernel.name} was loaded on device {kernel.device}, and {self._lane(stream)} is of "
                f"device {device}: the launch is not made (CUDA_ERROR_INVALID_HANDLE)",
            )
            return False
        if function not in self._shared:
            size = self.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
            static = self._value("cuFuncGetAttribute", size, function)
            self._shared[function] = static, max(USUAL_SHARED - static, 0)
        static, allowed = self._shared[function]
        if shared > allowed:
            most = self.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            if self._call("cuFuncSetAttribute", function, most, shared):
                self._shared[function] = static, shared
        return True

    def _failed(self, function: str, error: Any, detail: str = "", site: int | None = None) -> None:
        if self._dead:
            return
        if self.launch is not None and self.launch.last_site != NO_SITE:
            self._last_launch = self.launch.last_site
        code = int(error)
        message = f"{function} failed with {explain(code)}{detail}"
        related: tuple[tuple[int, str], ...] = ()
        if is_sticky(code):
            self._dead = True
            if self._last_launch != NO_SITE and not self.synchronous:
                related = ((self._last_launch, "the latest launch before it"),)
                message += "; a kernel failed earlier: run once with --sync to see which"
        self.findings.add("cuda-error", "error", self.here() if site is None else site, message, related)

    @property
    def dead(self) -> bool:
        """Whether the context is lost: every later call fails."""
        return self._dead


NO_BINDINGS = "cuda-python, of the extra `cuda` of gpuasync-lsp, is not installed"


def open_driver() -> tuple[Any, str]:
    """Return the driver module and an empty string, or None and one sentence that says what is missing."""
    try:
        module = cuda_driver()
    except ImportError:
        return None, NO_BINDINGS
    # Kernels are loaded with their module, not at their first launch, which would count as its time.
    os.environ.setdefault("CUDA_MODULE_LOADING", "EAGER")
    try:
        (error,) = module.cuInit(0)
    except RuntimeError:
        return None, "there is no NVIDIA driver on this machine"
    if error:
        return None, f"the NVIDIA driver does not start: {explain(int(error))}"
    error, count = module.cuDeviceGetCount()
    if error or not count:
        return None, "there is no NVIDIA GPU on this machine"
    return module, ""
