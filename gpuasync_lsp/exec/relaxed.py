"""Notes loops that wait for atomic updates in releases that compile every update as relaxed."""

from __future__ import annotations

from collections.abc import Iterable

from gpuasync_lsp.exec.program import KernelModule

_UPDATE = " atomicrmw "
_WORKGROUP = "addrspace(3)"


def relaxed_updates(kernels: Iterable[KernelModule], version: int) -> str:
    """Return a note for a run if a loop of a kernel waits for an update of global memory, else "".

    Such a loop is a flag or a barrier of the grid, which usually guards other accesses; LLVM 22 ignores the
    ordering of updates (`Kernels.atomics_order`)."""
    if not any(_UPDATE in (kernel.ir or "") and _waits(kernel.ir or "") for kernel in kernels):
        return ""
    return (
        f"a loop waits for atomic updates, which LLVM {version} compiles as relaxed for NVIDIA GPUs: there "
        "they order no other accesses (from LLVM 23 on they do)"
    )


def _waits(ir: str) -> bool:
    from gpuasync_lsp.exec.worker.cpu.kernels.spinning import spinning

    for function in ir.split("\n}")[:-1]:
        body = function.partition("\ndefine ")[2].splitlines()[1:]
        updates = [line.split()[0] for line in body if _UPDATE in line and _WORKGROUP not in line]
        if updates and not spinning(body).isdisjoint(updates):
            return True
    return False
