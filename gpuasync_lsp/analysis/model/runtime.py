"""Effects on streams and events of calls to MLIR's runtime, CUDA and HIP in host code.

Sources: mlir/lib/ExecutionEngine/CudaRuntimeWrappers.cpp, and the API references of CUDA and HIP.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, MemRefType, UnrankedMemRefType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType, LaunchFuncOp


class Does(Enum):
    """The effect of a runtime function on streams and events."""

    CREATE = "creates a stream or an event"
    WAIT = "waits for one on the host"
    RECORD = "records an event on a stream"
    FOLLOW = "lets a stream wait for an event"
    NOTHING = "orders no work"


class Runtime(NamedTuple):
    """The effect of a runtime call, with the stream and event that it affects."""

    does: Does
    first: SSAValue | None = None
    """The object that the call creates, awaits or records, or the stream that waits for an event."""
    other: SSAValue | None = None
    """The stream on which an event is recorded, or the event that a stream waits for."""


_OF_ALL = {
    "StreamSynchronize": Does.WAIT,
    "EventSynchronize": Does.WAIT,
    "EventRecord": Does.RECORD,
    "StreamWaitEvent": Does.FOLLOW,
}
"""The effects of functions that exist with each of the prefixes in `_PREFIXES`."""
_PREFIXES = ("mgpu", "cu", "cuda", "hip")
_FUNCTIONS = {
    **{prefix + name: does for prefix in _PREFIXES for name, does in _OF_ALL.items()},
    "mgpuStreamCreate": Does.CREATE,
    "mgpuEventCreate": Does.CREATE,
    "mgpuStreamDestroy": Does.NOTHING,
    "mgpuEventDestroy": Does.NOTHING,
    "mgpuMemAlloc": Does.NOTHING,
    "mgpuSetDefaultDevice": Does.NOTHING,
}


def runtime_call(op: Operation) -> Runtime | None:
    """Return the effect of a call to a runtime function on streams and events; None for any other op."""
    callee = callee_of(op)
    does = _FUNCTIONS.get(callee) if callee is not None else None
    if does is None:
        return None
    given = list(op.operands)
    if does is Does.CREATE:
        return Runtime(does, op.results[0]) if len(op.results) == 1 else None
    if does is Does.NOTHING:
        return Runtime(does)
    if len(given) < (1 if does is Does.WAIT else 2):
        return None
    return Runtime(does, given[0], given[1] if len(given) > 1 else None)


def stream_object(op: Operation) -> SSAValue | None:
    """Return the explicit stream of a launch; None if there is none, or if gpu-to-llvm drops it."""
    if not isinstance(op, LaunchFuncOp) or op.async_object is None or op.async_token is not None:
        return None
    return None if any(needs_conversion(operand.type) for operand in op.operands) else op.async_object


def needs_conversion(kind: object) -> bool:
    """Return whether gpu-to-llvm converts values of this type, and so recreates launches that use them."""
    return isinstance(kind, IndexType | MemRefType | UnrankedMemRefType | AsyncTokenType)
