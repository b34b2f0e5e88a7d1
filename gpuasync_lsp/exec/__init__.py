"""Runs programs in a separate worker process, on a GPU or on the CPU.

    prepared = prepare(text, version=22, entry="main")     # raises NotRunnable, with the location
    run = Run(prepared.program, RunOptions(device="cpu"), prepared.place_of, on_progress=..., on_done=...)
    run.cancel()                                           # from any thread
    report = run.wait()                                    # RunReport, plain data

Only the worker imports llvmlite, numpy and cuda.
"""

from gpuasync_lsp.exec.client import Progress, Run, StartedWorker, WorkerCommand
from gpuasync_lsp.exec.objects import ObjectJob, compile_object
from gpuasync_lsp.exec.program import Device, Program, RunOptions
from gpuasync_lsp.exec.ptx import NoPTX, compile_ptx
from gpuasync_lsp.exec.report import (
    Operation,
    Place,
    RunFinding,
    RunRelated,
    RunReport,
    Value,
    report_to_json,
)

__all__ = [
    "Device",
    "NoPTX",
    "ObjectJob",
    "Operation",
    "Place",
    "Program",
    "Progress",
    "Run",
    "RunFinding",
    "RunOptions",
    "RunRelated",
    "RunReport",
    "StartedWorker",
    "Value",
    "WorkerCommand",
    "compile_object",
    "compile_ptx",
    "report_to_json",
]
