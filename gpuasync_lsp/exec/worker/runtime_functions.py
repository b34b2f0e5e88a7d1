"""The C signatures of the `mgpu*` runtime, which the CPU and the CUDA runtime implement by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpuasync_lsp.exec.worker.host.library import I8, I16, I32, I64, P
from gpuasync_lsp.exec.worker.untyped import Function, Signature

SIGNATURES: dict[str, Signature] = {
    "mgpuStreamCreate": (P, ()),
    "mgpuStreamDestroy": (None, (P,)),
    "mgpuStreamSynchronize": (None, (P,)),
    "mgpuStreamWaitEvent": (None, (P, P)),
    "mgpuEventCreate": (P, ()),
    "mgpuEventDestroy": (None, (P,)),
    "mgpuEventSynchronize": (None, (P,)),
    "mgpuEventRecord": (None, (P, P)),
    "mgpuMemAlloc": (P, (I64, P, I8)),
    "mgpuMemFree": (None, (P, P)),
    "mgpuMemcpy": (None, (P, P, I64, P)),
    "mgpuMemset32": (None, (P, I32, I64, P)),
    "mgpuMemset16": (None, (P, I16, I64, P)),
    "mgpuModuleLoad": (P, (P, I64)),
    "mgpuModuleLoadJIT": (P, (P, I32, I64)),
    "mgpuModuleUnload": (None, (P,)),
    "mgpuModuleGetFunction": (P, (P, P)),
    "mgpuLaunchKernel": (None, (P, *[I64] * 6, I32, P, P, P, I64)),
    "mgpuLaunchClusterKernel": (None, (P, *[I64] * 9, I32, P, P, P, I64)),
    "mgpuMemHostRegister": (None, (P, I64)),
    "mgpuMemHostUnregister": (None, (P,)),
    "mgpuMemHostRegisterMemRef": (None, (I64, P, I64)),
    "mgpuMemHostUnregisterMemRef": (None, (I64, P, I64)),
    "mgpuSetDefaultDevice": (None, (I32,)),
}

BODIES: dict[str, Signature] = {
    "gpuasync_body_begin": (None, ()),
    "gpuasync_body_end": (P, ()),
    "gpuasync_body_await": (None, (P,)),
    "gpuasync_group_create": (P, ()),
    "gpuasync_group_add": (None, (P, P)),
    "gpuasync_group_await": (None, (P,)),
}
"""Maps functions that mark bodies of async.execute (given by number) and async.groups to their signatures.
`lowering/llvm_ir/ops/tasks.py` inserts calls of them."""


def runtime_functions(runtime: object) -> dict[str, Function]:
    """Return the runtime's functions with their signatures."""
    return {
        name: (result, parameters, getattr(runtime, name))
        for name, (result, parameters) in SIGNATURES.items()
    }


def body_functions(bound: Mapping[str, Callable[..., int | None]]) -> dict[str, Function]:
    """Return the functions of `BODIES` by name: those in `bound`, and functions that do nothing for the
    others."""
    return {
        name: (result, parameters, bound.get(name, _nothing)) for name, (result, parameters) in BODIES.items()
    }


def _nothing(*_: int) -> int:
    return 0
