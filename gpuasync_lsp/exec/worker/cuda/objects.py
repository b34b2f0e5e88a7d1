"""Compiles a kernel module's IR to the object that gpu-module-to-binary creates: optimized PTX or bitcode.

As in MLIR's NVVM target, LLVM's whole pipeline runs, including vectorizers. libdevice is linked if an
environment variable names a CUDA toolkit; otherwise its functions remain declarations. LLVM can abort the
process on IR that it cannot select, so this runs in the worker only.
"""

from __future__ import annotations

import os
from pathlib import Path

from gpuasync_lsp.exec.worker.cuda.ptx import TRIPLE, link_library
from gpuasync_lsp.exec.worker.jit import CompileError
from gpuasync_lsp.exec.worker.untyped import Machine, Module, llvm_binding

llvm = llvm_binding()

TOOLKITS = ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH")
"""Environment variables that locate a toolkit in MLIR (`NVVM::getCUDAToolkitPath`), in order."""


def to_object(ir: str, chip: str, features: str, level: int, form: str) -> bytes:
    """Compile the IR of a kernel module to `ptx` or `bitcode`. Raises `CompileError`."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        target = llvm.Target.from_triple(TRIPLE)
        machine: Machine = target.create_target_machine(
            cpu=chip, features=features, opt=level, codemodel="default"
        )
        module: Module = llvm.parse_assembly(ir)
        module.triple = TRIPLE
        module.data_layout = str(machine.target_data)
        module.verify()
        library = _library()
        if library is not None and "@__nv_" in ir:
            link_library(module, machine, library)
        tuning = llvm.create_pipeline_tuning_options(speed_level=level)
        tuning.loop_vectorization = tuning.slp_vectorization = True
        tuning.loop_unrolling = tuning.loop_interleaving = True
        builder = llvm.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
        if form == "bitcode":
            return bytes(module.as_bitcode())
        return str(machine.emit_assembly(module)).encode()
    except RuntimeError as error:
        raise CompileError(str(error)) from error


def _library() -> Path | None:
    named = next((os.environ[name] for name in TOOLKITS if os.environ.get(name)), None)
    path = None if named is None else Path(named) / "nvvm" / "libdevice" / "libdevice.10.bc"
    return path if path is not None and path.is_file() else None
