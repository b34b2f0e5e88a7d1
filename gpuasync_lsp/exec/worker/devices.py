"""Choice of the device for a job."""

from __future__ import annotations

from gpuasync_lsp.exec.program import Program, RunOptions
from gpuasync_lsp.exec.worker.cuda.driver import NO_BINDINGS, Unavailable, open_driver
from gpuasync_lsp.exec.worker.jit import Jit
from gpuasync_lsp.exec.worker.rejection import RunRejected
from gpuasync_lsp.exec.worker.session import Backend


def open_backend(jit: Jit, program: Program, options: RunOptions) -> Backend:
    """Return the device that `options` select; `auto` is a GPU if there is one, else the CPU.

    Raises `RunRejected` if the device does not exist or cannot run the program."""
    if options.device == "cuda" and program.kernels_take_host_memory:
        raise RunRejected(
            "the module has spirv.target_env: its launches copy host buffers, which those of CUDA do not: "
            "run on the device cpu"
        )
    if options.device != "cpu" and not program.kernels_take_host_memory:
        driver, missing = open_driver()
        if driver is not None:
            from gpuasync_lsp.exec.worker.cuda.backend import CudaBackend

            try:
                return CudaBackend(driver, program, options)
            except Unavailable as error:
                missing = error.message
        if options.device == "cuda":
            raise RunRejected(
                f"{missing}: run on the device cpu, or start the worker on a machine that has a GPU "
                "('ssh HOST')",
                lacks="cuda" if missing == NO_BINDINGS else "",
            )
        note = f"it ran on the CPU because {missing}"
    else:
        note = ""
    from gpuasync_lsp.exec.worker.cpu.backend import CpuBackend

    backend = CpuBackend(jit, program, options)
    backend.note = note
    return backend
