"""Checks handles in a sequence of driver calls against the documentation of CUDA's driver API.

Source: CUDA Driver API, stream, event, memory and module management: a handle must be returned by a
call of its kind, is not used after its destruction, and is destroyed once.
"""

from __future__ import annotations

from collections.abc import Sequence

TAKES = {
    "cuStreamDestroy": ("stream",),
    "cuStreamSynchronize": ("stream",),
    "cuStreamWaitEvent": ("stream", "event"),
    "cuEventRecord": ("event", "stream"),
    "cuEventSynchronize": ("event",),
    "cuEventDestroy": ("event",),
    "cuMemFree": ("buffer",),
    "cuMemcpyAsync": ("", "", "", "stream"),
    "cuMemsetD32Async": ("", "", "", "stream"),
    "cuMemsetD16Async": ("", "", "", "stream"),
    "cuModuleUnload": ("module",),
    "cuModuleGetFunction": ("", "module"),
    "cuFuncSetAttribute": ("function",),
    "cuLaunchKernel": ("function", *[""] * 7, "stream"),
    "cuLaunchKernelEx": ("function",),
    "cuMemHostUnregister": ("host memory",),
}
"""The kinds of the handles among the arguments of a call, in order."""

MAKES = {
    "cuStreamCreate": "stream",
    "cuEventCreate": "event",
    "cuMemAlloc": "buffer",
    "cuMemAllocManaged": "managed buffer",
    "cuModuleLoadData": "module",
    "cuModuleLoadDataEx": "module",
    "cuModuleGetFunction": "function",
    "cuMemHostRegister": "host memory",
}
ENDS = {"cuStreamDestroy", "cuEventDestroy", "cuMemFree", "cuModuleUnload", "cuMemHostUnregister"}
DEFAULT_STREAM = "0"


def misuses(log: Sequence[str]) -> tuple[list[str], set[tuple[str, str]]]:
    """Return the calls with an invalid handle, and the handles that are still alive at the end.

    Managed buffers are a separate kind: a run stores its arguments in them until its process ends."""
    alive: set[tuple[str, str]] = set()
    wrong: list[str] = []
    for line in log:
        name, *arguments = line.split()
        taken = [
            (kind, argument.removeprefix("0x"))
            for kind, argument in zip(TAKES.get(name, ()), arguments, strict=False)
            if kind and (kind, argument) != ("stream", DEFAULT_STREAM)
        ]
        taken = [
            ("managed buffer", handle)
            if kind == "buffer" and ("managed buffer", handle) in alive
            else (kind, handle)
            for kind, handle in taken
        ]
        wrong += [f"{line}: no such {kind}" for kind, argument in taken if (kind, argument) not in alive]
        if name in ENDS:
            alive.difference_update(taken)
        if name in MAKES:
            alive.add((MAKES[name], arguments[0].removeprefix("0x")))
    return wrong, alive
