"""Calls the driver API through cuda-python; errors become findings at the calling line."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from gpuasync_lsp.exec.worker.cuda.errors import explain, is_sticky
from gpuasync_lsp.exec.worker.cuda.launch import DirectLaunch
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings
from gpuasync_lsp.exec.worker.rejection import RunRejected
from gpuasync_lsp.exec.worker.untyped import cuda_driver

NO_DEVICE = 100
"""CUDA_ERROR_NO_DEVICE: cuInit finds no GPU."""
NO_BINDINGS = "cuda-python, of the extra `cuda` of gpuasync-lsp, is not installed"


class Driver:
    """Calls driver functions by name, and records the latest launch as the possible cause of an error."""

    def __init__(
        self,
        api: ModuleType,
        findings: Findings,
        here: Callable[[], int],
        launch: DirectLaunch | None = None,
        *,
        is_synchronous: bool = False,
    ) -> None:
        """`api` is the module `cuda.bindings.driver`; `here()` returns the current source site.

        `launch` handles launches that need no further checks. With `is_synchronous`, the host waits
        after each op, so that an error belongs to the current op."""
        self.api = api
        self.findings = findings
        self.here = here
        self.launch = launch
        self.is_synchronous = is_synchronous
        self.has_launched = False
        self._last_launch = NO_SITE
        self._is_lost = False

    def value(self, name: str, *arguments: object) -> int:
        """Call a function that returns one number or handle; return it, or 0 on failure."""
        error, *values = ask(self.api, name, *arguments)
        if error:
            self.failed(name, error)
            return 0
        return int(values[0])

    def call(self, name: str, *arguments: object) -> bool:
        """Call a function without results; return whether it succeeds."""
        (error, *_) = ask(self.api, name, *arguments)
        if error:
            self.failed(name, error)
        return not error

    def note_launch(self) -> None:
        """Record the current launch as a possible cause of later errors."""
        self.has_launched = True
        self._last_launch = self.here()
        if self.launch is not None:
            self.launch.last_site = self._last_launch

    def failed(self, function: str, error: int, detail: str = "", site: int | None = None) -> None:
        """Report an error at `site` or the current site; ignore it if the context is already lost."""
        if self._is_lost:
            return
        if self.launch is not None and self.launch.last_site != NO_SITE:
            self._last_launch = self.launch.last_site
        code = int(error)
        message = f"{function} failed with {explain(code, function)}{detail}"
        related: tuple[tuple[int, str], ...] = ()
        if is_sticky(code):
            self._is_lost = True
            if self._last_launch != NO_SITE and not self.is_synchronous:
                related = ((self._last_launch, "the latest launch before it"),)
                message += (
                    "; a kernel failed earlier: run with sync, which waits after each operation, to find it"
                )
        self.findings.add("cuda-error", "error", self.here() if site is None else site, message, related)


class Unavailable(RunRejected):
    """The GPU or its driver cannot be used; a run on any device takes the CPU instead."""


def ask(api: ModuleType, name: str, *arguments: object) -> tuple[Any, ...]:
    """Call a driver function; return its code and results. Raises `Unavailable` if the driver lacks it."""
    try:
        return getattr(api, name)(*arguments)
    except ValueError as error:
        # A code that is newer than cuda-python, which has no name for it.
        found = re.match(r"(\d+) is not a valid CUresult", str(error))
        if found is None:
            raise
        return int(found[1]), 0
    except RuntimeError as error:
        version = driver_version()
        given = f"for CUDA {version} " if version else ""
        why = f"the NVIDIA driver {given}is too old for cuda-python {bindings_version()}: {error}"
        raise Unavailable(why) from error


def open_driver() -> tuple[ModuleType | None, str]:
    """Return the driver module and an empty string, or None and a sentence about what is missing."""
    try:
        module = cuda_driver()
    except ImportError:
        return None, NO_BINDINGS
    if problem := _library_problem():
        return None, problem
    # Load kernels with their module, not at their first launch, where loading would be timed too.
    os.environ.setdefault("CUDA_MODULE_LOADING", "EAGER")
    try:
        (error, *_) = ask(module, "cuInit", 0)
        if not error:
            error, count = ask(module, "cuDeviceGetCount")
            if error:
                return None, f"the NVIDIA driver lists no GPUs: {explain(int(error))}"
            return (module, "") if count else (None, _NO_GPU)
    except Unavailable as error:
        return None, error.message
    if int(error) == NO_DEVICE:
        hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
        return None, _NO_GPU if hidden is None else f"CUDA_VISIBLE_DEVICES={hidden} shows no NVIDIA GPU"
    return None, f"the NVIDIA driver cannot be initialized: {explain(int(error))}"


_NO_GPU = "there is no NVIDIA GPU on this machine"
_ELSEWHERE = ("/usr/lib/wsl/lib", "/run/opengl-driver/lib")
"""Folders of WSL and NixOS for the driver, which the dynamic loader may not search."""


def _library_problem() -> str:
    """Return why the dynamic loader does not load the driver's library; empty if it does."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        if "No such file" not in str(error):
            return f"the NVIDIA driver cannot be loaded: {error}"
        folder = next((each for each in _ELSEWHERE if os.path.exists(f"{each}/libcuda.so.1")), None)
        if folder is not None:
            return f"the NVIDIA driver is not found: add {folder} to LD_LIBRARY_PATH"
        if os.path.exists("/dev/nvidiactl"):
            return "libcuda.so.1 of the NVIDIA driver is not found, although /dev/nvidiactl exists"
        return "there is no NVIDIA driver on this machine"
    return ""


def driver_version() -> str:
    """Return the CUDA release of the driver, such as `12.4`; empty if the driver does not report it."""
    number = ctypes.c_int()
    try:
        failed = ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
    except (OSError, AttributeError):
        return ""
    return "" if failed else f"{number.value // 1000}.{number.value % 1000 // 10}"


def bindings_version() -> str:
    """Return the version of the installed cuda-bindings."""
    from importlib.metadata import version

    return version("cuda-bindings")
