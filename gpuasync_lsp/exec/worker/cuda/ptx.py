"""Kernels to PTX by LLVM's NVPTX backend, with libdevice linked in where it is called.

LLVM can end the process on IR that it cannot select, so this runs in the worker only.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from gpuasync_lsp.exec.worker.jit import CompileError
from gpuasync_lsp.exec.worker.untyped import llvm_binding
from gpuasync_lsp.text.files import read_file

llvm = llvm_binding()

TRIPLE = "nvptx64-nvidia-cuda"
DEFAULT_CHIP = "sm_80"
NEWEST_CHIP = 90
"""The newest architecture asked for; PTX made for it runs on newer ones too."""
_MOST_OF_LIBRARY = 64 * 2**20
"""Bytes of libdevice, which has half a million."""
CLUSTERS = 90
"""The first architecture with thread block clusters: for older ones LLVM cannot select their registers."""


class NoLibdevice(Exception):
    """A kernel calls libdevice, and it is not on this machine."""


def to_ptx(ir: str, chip: str = DEFAULT_CHIP) -> str:
    """Return the PTX of a kernel module's IR for `chip` (`sm_90`).

    Raises `CompileError` for IR that LLVM does not take, `NoLibdevice` where libdevice is needed and missing.
    """
    if _architecture(chip) < CLUSTERS and "@llvm.nvvm.read.ptx.sreg.cluster" in ir:
        raise CompileError(f"clusters need sm_{CLUSTERS} or newer, and this is for {chip}")
    machine = _machine(chip)
    try:
        module: Any = llvm.parse_assembly(ir)
        module.triple = TRIPLE
        module.data_layout = str(machine.target_data)
        module.verify()
        if "@__nv_" in ir:
            _link_libdevice(module, machine)
        builder: Any = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
        builder.getModulePassManager().run(module, builder)
        return str(machine.emit_assembly(module))
    except RuntimeError as error:
        raise CompileError(str(error)) from error


_OF_HOPPER = ("cp.async.bulk.", "fence.mbarrier", "fence.proxy.", "griddepcontrol.", "setmaxnreg.", "wgmma.")
"""Intrinsics that LLVM selects for `sm_90a` alone, or for the PTX version that comes with it."""


def own_chip(ir: str, chip: str) -> str:
    """Return the chip that kernels are compiled for to run on `chip` itself: `sm_90a` where they need it.

    PTX for it runs on no other chip."""
    needs = chip == "sm_90" and any(f"@llvm.nvvm.{name}" in ir for name in _OF_HOPPER)
    return f"{chip}a" if needs else chip


def find_libdevice() -> Path | None:
    """Return libdevice: from the wheel nvidia-nvvm or nvidia-cuda-nvcc, else from a CUDA toolkit."""
    return next((path for path in _candidates() if path.is_file()), None)


def _candidates() -> Iterator[Path]:
    name = "libdevice.10.bc"
    for folder in sys.path:
        root = Path(folder) / "nvidia"
        for package in ("cu13", "cu12", "cuda_nvcc"):
            yield root / package / "nvvm" / "libdevice" / name
    homes = [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda", "/opt/cuda"]
    for home in filter(None, homes):
        yield Path(home) / "nvvm" / "libdevice" / name
    yield Path("/usr/lib/nvidia-cuda-toolkit/libdevice") / name


@cache
def _machine(chip: str) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    cpu = chip if _architecture(chip) <= NEWEST_CHIP else f"sm_{NEWEST_CHIP}"
    return llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=cpu, features="", opt=3)


def _architecture(chip: str) -> int:
    return int(re.sub(r"\D", "", chip) or "80")


def _link_libdevice(module: Any, machine: Any) -> None:
    path = find_libdevice()
    if path is None:
        raise NoLibdevice(
            "the kernels call libdevice, which is not here: pip install nvidia-nvvm, or set CUDA_HOME"
        )
    link_library(module, machine, path)


def link_library(module: Any, machine: Any, path: Path) -> None:
    """Link the functions of a library of bitcode into `module`, whose own alone stay visible."""
    own = {function.name for function in module.functions if not function.is_declaration}
    library: Any = llvm.parse_bitcode(read_file(path, _MOST_OF_LIBRARY))
    library.triple = TRIPLE
    library.data_layout = str(machine.target_data)
    module.link_in(library)
    for function in module.functions:
        if not function.is_declaration and function.name not in own:
            function.linkage = "internal"
