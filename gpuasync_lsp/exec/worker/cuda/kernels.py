"""Kernel modules of a run, their functions, and checks of launches."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping

from gpuasync_lsp.exec.worker.cuda.driver import Driver, driver_version
from gpuasync_lsp.exec.worker.cuda.handles import Handles
from gpuasync_lsp.exec.worker.findings import NO_SITE

LOG_BYTES = 8192
"""Size of the buffer for the driver's error log about rejected PTX."""

UNSUPPORTED_PTX = 222
"""CUDA_ERROR_UNSUPPORTED_PTX_VERSION."""
_VERSION = re.compile(rb"^\.version ([\d.]+)", re.M)

USUAL_SHARED = 48 * 1024
"""Bytes of shared memory, static and dynamic together, that a kernel may use without an opt-in."""


class Kernels:
    """Loads modules and finds their functions."""

    def __init__(
        self,
        driver: Driver,
        handles: Handles,
        images: Callable[[str], bytes | None],
        sites: Mapping[str, int],
    ) -> None:
        """`images` returns the PTX, cubin or fatbin of a module; None for a module that the run cannot reach.

        `sites` maps each module to its first source site, for errors in loading it before the host program
        starts."""
        self._driver = driver
        self._handles = handles
        self._images = images
        self._sites = sites
        self._functions: dict[tuple[int, str], int] = {}
        self._has_failed = False
        """Whether loading a module has failed; if so, missing functions are not reported."""
        self._shared: dict[int, tuple[int, int]] = {}
        """Maps each kernel to its static shared memory and the maximum dynamic shared memory of its launches,
        in bytes."""

    def load(self, name: str) -> int:
        """Return the handle of a loaded module, or 0."""
        image = self._images(name)
        if image is None:
            return 0  # The run reaches no launch of its kernels.
        log = bytearray(LOG_BYTES)
        options = self._driver.api.CUjit_option
        wanted = [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        error, module = self._driver.api.cuModuleLoadDataEx(image, len(wanted), wanted, [log, len(log)])
        if error:
            message = log.split(b"\0")[0].decode("utf-8", "replace").strip()
            here = self._driver.here()
            site = self._sites.get(name, NO_SITE) if here == NO_SITE else here
            detail = f" (@{name}): {message}" if message else f" (@{name})"
            if int(error) == UNSUPPORTED_PTX and (ptx := _VERSION.search(image)) is not None:
                detail = f" (@{name}): PTX {ptx[1].decode()}, and a driver for CUDA {driver_version()}"
            self._driver.failed("cuModuleLoadDataEx", error, detail, site)
            self._has_failed = True
            return 0
        return self._handles.own(int(module), "module", name)

    def unload(self, module: int) -> None:
        """Unload a module together with its functions."""
        if self._driver.launch is not None:
            self._driver.launch.forget_kernels()
        self._driver.call("cuModuleUnload", module)
        self._handles.forget(module)
        for key in [key for key in self._functions if key[0] == module]:
            function = self._functions.pop(key)
            self._shared.pop(function, None)
            if function:
                self._handles.forget(function)

    def function(self, module: int, name: int) -> int:
        """Return the handle of a kernel in `module`, or 0; `name` is the address of the kernel's name."""
        if not module and self._has_failed:
            return 0
        entry = ctypes.string_at(name)
        key = (module, entry.decode())
        if key not in self._functions:
            if not self._handles.check(module, "module", "mgpuModuleGetFunction"):
                return 0
            function = self._driver.value("cuModuleGetFunction", module, entry)
            owner = self._handles[module]
            self._functions[key] = self._handles.own(
                function, "function", f"@{owner.name}::@{key[1]}", owner.device
            )
        if self._driver.launch is not None:
            self._driver.launch.name(module, name, self._functions[key])
        return self._functions[key]

    def may_launch(self, function: int, shared: int, stream: int, caller: str) -> bool:
        """Check the handles of a launch, and opt in to more shared memory if needed; return whether they
        are valid.

        `shared` is the dynamic shared memory of the launch, in bytes; `caller` is the name of the
        runtime function."""
        if not function and self._has_failed:
            return False
        ok = self._handles.check(stream, "stream", caller, null=True)
        if not self._handles.check(function, "function", caller) or not ok:
            return False
        kernel, device = self._handles[function], self._handles.device_of(stream)
        if kernel.device != device:
            lane = self._handles.lane(stream)
            self._driver.findings.add(
                "invalid-device",
                "error",
                self._driver.here(),
                f"{caller}: {kernel.name} was loaded on device {kernel.device}, and {lane} belongs to "
                f"device {device}: the launch is not made (CUDA_ERROR_INVALID_HANDLE)",
            )
            return False
        attributes = self._driver.api.CUfunction_attribute
        if function not in self._shared:
            size = attributes.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
            static = self._driver.value("cuFuncGetAttribute", size, function)
            self._shared[function] = static, max(USUAL_SHARED - static, 0)
        static, allowed = self._shared[function]
        if shared > allowed:
            most = attributes.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            if self._driver.call("cuFuncSetAttribute", function, most, shared):
                self._shared[function] = static, shared
        return True

    def allow(self, function: int, stream: int) -> None:
        """Let later launches of a kernel on a stream bypass Python; call only after `may_launch` succeeds."""
        if self._driver.launch is not None:
            self._driver.launch.allow(function, stream, self._shared[function][1])
