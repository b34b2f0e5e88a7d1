"""An NVIDIA GPU as a device."""

from __future__ import annotations

import base64
import ctypes
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from gpuasync_lsp.exec.program import KernelModule, Program, RunOptions
from gpuasync_lsp.exec.worker.cuda.driver import Driver, Unavailable, ask, bindings_version, driver_version
from gpuasync_lsp.exec.worker.cuda.errors import explain
from gpuasync_lsp.exec.worker.cuda.handles import Handles
from gpuasync_lsp.exec.worker.cuda.kernels import Kernels
from gpuasync_lsp.exec.worker.cuda.launch import FAILED, DirectLaunch
from gpuasync_lsp.exec.worker.cuda.ptx import NoLibdevice, to_ptx, undefined_function
from gpuasync_lsp.exec.worker.cuda.runtime import CudaRuntime
from gpuasync_lsp.exec.worker.cuda.timings import Timings
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings
from gpuasync_lsp.exec.worker.host.library import I32, HostLibrary
from gpuasync_lsp.exec.worker.jit import CompileError
from gpuasync_lsp.exec.worker.rejection import RunRejected
from gpuasync_lsp.exec.worker.runtime_functions import body_functions
from gpuasync_lsp.exec.worker.state import STATE
from gpuasync_lsp.exec.worker.timed import Timed
from gpuasync_lsp.exec.worker.untyped import Function

PAGE = 4096
EVENT_TIMES = 12080
"""The first driver version with `cuEventElapsedTime_v2`, which cuda-bindings 13 calls."""


class CudaBackend:
    """Implements `session.Backend`."""

    checked = False
    note = ""

    def __init__(self, driver: ModuleType, program: Program, options: RunOptions) -> None:
        """Open device 0 and compile every kernel of `program`. Raises `RunRejected`."""
        self._driver = driver
        self._options = options
        self._kept: list[object] = []
        self._managed: dict[int, int] = {}
        """Maps the address of each argument in managed memory to its size."""
        self._runtime: CudaRuntime | None = None
        self._launch = _direct_launch()
        self._reject_old_driver()
        device = self._value("cuDeviceGet", 0)
        self._context = self._value("cuDevicePrimaryCtxRetain", device)
        self._value("cuCtxSetCurrent", self._context)
        attributes = driver.CUdevice_attribute
        major = self._value(
            "cuDeviceGetAttribute", attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device
        )
        minor = self._value(
            "cuDeviceGetAttribute", attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device
        )
        chip = f"sm_{int(major)}{int(minor)}"
        managed = self._value("cuDeviceGetAttribute", attributes.CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, device)
        self._shares = options.shares_arguments(program)
        if self._shares and not managed:
            raise RunRejected(
                "this GPU has no managed memory (MIG instances may lack it): run without shared-args"
            )
        self._host_may_look = self._value(
            "cuDeviceGetAttribute", attributes.CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, device
        )
        name = self._value("cuDeviceGetName", 100, device)
        self.name = f"cuda ({bytes(name).split(bytes(1))[0].decode()}, {chip})"
        self._sites = {kernel.name: _first_site(kernel.ir or "") for kernel in program.kernels}
        self._images = {kernel.name: self._image(kernel, chip) for kernel in program.kernels}

    def begin(self, findings: Findings, order: str) -> CudaRuntime:
        """Start a run; the device itself orders the streams."""
        driver = Driver(
            self._driver, findings, STATE.site, self._launch, is_synchronous=self._options.synchronous
        )
        handles = Handles(driver)
        kernels = Kernels(driver, handles, self._images.get, self._sites)
        timings = Timings(driver, handles, profile=self._options.profile)
        self._runtime = CudaRuntime(driver, handles, kernels, timings, self._managed, self._context)
        return self._runtime

    def orders(self) -> list[str]:
        """Return an empty list, since the stream order of a GPU cannot be chosen."""
        return []

    def library(self, findings: Findings) -> HostLibrary:
        """Return host functions that use the C library's memory."""
        return HostLibrary(STATE.site, _always, findings, None)

    def extra_functions(self) -> Mapping[str, Function]:
        """Return the callbacks of generated code: for launches that the driver rejects, and for
        async.execute."""
        return {FAILED: (None, (I32,), self._launch_failed), **body_functions({})}

    def host_code(self, text: str) -> str:
        """Return the host's IR, with direct launches if cuLaunchKernel can be found."""
        text += "define void @gpuasync_begin() {\n  ret void\n}\n"
        return text if self._launch is None else self._launch.host_code(text)

    def allocate(self, site: int, size: int) -> int:
        """Return memory for an argument: managed if arguments are shared, otherwise page-aligned for
        pinning."""
        if self._shares:
            flag = self._driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL
            address = int(self._value("cuMemAllocManaged", size, flag))
            self._managed[address] = size
            return address
        buffer = ctypes.create_string_buffer(size + PAGE)
        self._kept.append(buffer)
        return (ctypes.addressof(buffer) + PAGE - 1) // PAGE * PAGE

    def settle(self) -> None:
        """Wait for the device if the host must not access managed memory while a kernel runs."""
        if self._managed and not self._host_may_look:
            assert self._runtime is not None
            self._runtime.synchronize()

    def finish(self, idle: float) -> list[Timed]:
        """Wait for all work and report leaks; return the timeline."""
        assert self._runtime is not None
        self._runtime.end(idle)
        return self._runtime.operations

    def _launch_failed(self, error: int) -> None:
        assert self._runtime is not None
        self._runtime.launch_failed(error)

    def _image(self, kernel: KernelModule, chip: str) -> bytes:
        if kernel.ir is None:
            return _best(kernel)
        try:
            text = to_ptx(kernel.gpu_ir or kernel.ir, chip)
        except NoLibdevice as error:
            raise RunRejected(str(error)) from error
        except CompileError as error:
            raise RunRejected(f"LLVM rejects the kernels of @{kernel.name}: {error}") from error
        if missing := undefined_function(text):
            raise RunRejected(f"a kernel of @{kernel.name} calls @{missing}, which is not defined")
        return text.encode() + b"\0"

    def _reject_old_driver(self) -> None:
        """Reject profiling if cuda-bindings 13 is used with a driver that lacks its timing function."""
        bindings = bindings_version()
        driver = self._value("cuDriverGetVersion")
        if self._options.profile and driver < EVENT_TIMES and int(bindings.partition(".")[0]) >= 13:
            raise RunRejected(
                f"with cuda-bindings {bindings}, profiling needs a driver for CUDA 12.8, and this one is "
                f"for CUDA {driver_version()}: install 'cuda-python<13', or run "
                "without profiling"
            )

    def _value(self, function: str, *arguments: object) -> Any:
        error, *values = ask(self._driver, function, *arguments)
        if error:
            raise Unavailable(f"{function} failed with {explain(int(error), function)}")
        return values[0] if values else None


def _first_site(ir: str) -> int:
    """Return the first source site of a kernel module's IR, or `NO_SITE`."""
    return min((int(number) for number in re.findall(r"^!\d+ = !\{i32 (\d+)\}", ir, re.M)), default=NO_SITE)


def _direct_launch() -> DirectLaunch | None:
    """Return the direct launch path, or None if libcuda.so.1 cannot be loaded."""
    try:
        function = ctypes.CDLL("libcuda.so.1").cuLaunchKernel
    except (OSError, AttributeError):
        return None
    return DirectLaunch(ctypes.cast(function, ctypes.c_void_p).value or 0)


def _best(kernel: KernelModule) -> bytes:
    """Return the object closest to machine code; PTX gets the terminating zero that the driver expects."""
    for form in ("cubin", "fatbin", "ptx"):
        for each in kernel.objects:
            if each.format == form:
                return base64.b64decode(each.data) + (b"\0" if form == "ptx" else b"")
    raise RunRejected(f"@{kernel.name} contains no object that can be loaded")


def _always(*_: object) -> bool:
    return True
