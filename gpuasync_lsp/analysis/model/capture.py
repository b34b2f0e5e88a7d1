"""Host operations that are prohibited while a stream is captured into a CUDA graph.

Sources: the CUDA programming guide ("Creating a Graph Using Stream Capture", "Prohibited and Unhandled
Operations"); the driver API's page on stream management (cuThreadExchangeStreamCaptureMode: allocations and
queries are "potentially unsafe"); mlir/lib/ExecutionEngine/CudaRuntimeWrappers.cpp, whose mgpuMemAlloc and
mgpuMemFree ignore their stream in all releases and call cuMemAlloc and cuMemFree.
"""

from __future__ import annotations

import re
from enum import Enum

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp, LaunchOp, WaitOp


class Breaks(Enum):
    """A prohibited operation, worded as the predicate of a message."""

    LAUNCHES_ALONE = "creates a stream, makes the host wait for it, and destroys it"
    CREATES = "creates a stream that is not ordered with the caller's stream"
    WAITS = "makes the host wait for the device"
    ALLOCATES = "allocates memory outside of stream order"
    FREES = "frees memory outside of stream order"
    REGISTERS = "registers host memory outside of stream order"
    COPIES = "is a synchronous copy or set on the legacy stream"


_OPS = {
    "gpu.alloc": Breaks.ALLOCATES,
    "gpu.dealloc": Breaks.FREES,
    "gpu.host_register": Breaks.REGISTERS,
    "gpu.host_unregister": Breaks.REGISTERS,
}

_RUNTIME = r"(?:mgpu|cuda|cu|hip)"
_CALLS = (
    (
        re.compile(_RUNTIME + r"(?:(?:Stream|Event|Device|Ctx|Thread)Synchronize|(?:Stream|Event)Query)"),
        Breaks.WAITS,
    ),
    (re.compile(_RUNTIME + r"StreamCreate\w*"), Breaks.CREATES),
    (
        re.compile(r"(?:cuda|hip)(?:Malloc(?:Managed|Host|Pitch|3D|Array)?|HostAlloc|HostMalloc)"),
        Breaks.ALLOCATES,
    ),
    (
        re.compile(r"mgpuMemAlloc|cuMem(?:Alloc(?:Managed|Host|Pitch)?|HostAlloc)(?:_v\d)?"),
        Breaks.ALLOCATES,
    ),
    (
        re.compile(r"mgpuMemFree|(?:cuda|hip)Free(?:Host)?|hipHostFree|cuMemFree(?:Host)?(?:_v\d)?"),
        Breaks.FREES,
    ),
    (
        re.compile(
            r"mgpuMemHost(?:Unr|R)egister\w*|(?:cuda|hip)Host(?:Unr|R)egister|cuMemHost(?:Unr|R)egister(?:_v\d)?"
        ),
        Breaks.REGISTERS,
    ),
    (re.compile(r"(?:cuda|hip)Mem(?:cpy|set)(?:2D|3D)?(?:ToSymbol|FromSymbol)?"), Breaks.COPIES),
    (re.compile(r"cuMem(?:cpy(?:HtoD|DtoH|DtoD|2D|3D)?|setD(?:8|16|32))(?:_v\d)?"), Breaks.COPIES),
)
"""Patterns for whole names of prohibited runtime functions; names that end in `Async` work on a stream."""


def breaks_capture(op: Operation) -> Breaks | None:
    """Return how `op` breaks the capture of a stream; None if it is permitted or unknown."""
    match op:
        case LaunchFuncOp() | LaunchOp():
            if op.async_dependencies or op.async_object is not None:
                return None
            return Breaks.LAUNCHES_ALONE if op.async_token is None else Breaks.CREATES
        case WaitOp():
            if op.async_token is None:
                return Breaks.WAITS if op.async_dependencies else None
            return None if op.async_dependencies else Breaks.CREATES
        case _:
            known = _OPS.get(op.name)
            return known if known is not None else _called(callee_of(op))


def _called(callee: str | None) -> Breaks | None:
    if callee is None:
        return None
    return next((breaks for names, breaks in _CALLS if names.fullmatch(callee)), None)
