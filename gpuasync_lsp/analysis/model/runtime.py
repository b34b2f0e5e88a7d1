"""What functions of MLIR's runtime, CUDA and HIP do with the streams and events that host code gives them.

From mlir/lib/ExecutionEngine/CudaRuntimeWrappers.cpp and the API references of CUDA and HIP.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, MemRefType, UnrankedMemRefType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType, LaunchFuncOp


class Does(Enum):
    """What a function does."""

    CREATE = "creates a stream or an event"
    WAIT = "waits for one on the host"
    RECORD = "records an event on a stream"
    FOLLOW = "lets a stream wait for an event"
    NOTHING = "orders no work"


class Runtime(NamedTuple):
    """What a call does, to what."""

    does: Does
    first: SSAValue | None = None
    """What is created, waited for, recorded, or waits."""
    other: SSAValue | None = None
    """What an event is recorded on, or a stream waits for."""


_OF_ALL = {
    "StreamSynchronize": Does.WAIT,
    "EventSynchronize": Does.WAIT,
    "EventRecord": Does.RECORD,
    "StreamWaitEvent": Does.FOLLOW,
}
"""What each of `_PREFIXES` has."""
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
    """Return what `op` does if it calls one of these functions; None for another op."""
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
    """Return the stream that a launch names and keeps; None where it has none, or gpu-to-llvm drops it."""
    if not isinstance(op, LaunchFuncOp) or op.async_object is None or op.async_token is not None:
        return None
    return None if any(needs_conversion(operand.type) for operand in op.operands) else op.async_object


def needs_conversion(kind: object) -> bool:
    """Return whether gpu-to-llvm converts a value of this type, and so builds a launch again that
    takes it."""
    return isinstance(kind, IndexType | MemRefType | UnrankedMemRefType | AsyncTokenType)
