"""A program as LLVM IR, ready to be executed."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute


@dataclass(frozen=True)
class KernelText:
    """A gpu.module or gpu.binary of the program."""

    name: str
    ir: str | None
    """The LLVM IR for NVPTX; None for a gpu.binary, which has only objects."""

    targets: str
    """The target attributes as text."""

    objects: tuple[Attribute, ...] = ()
    """The objects of a gpu.binary."""

    gpu_ir: str | None = None
    """The LLVM IR for a GPU; None if it is `ir`."""


@dataclass(frozen=True)
class LLVMProgram:
    """A program as LLVM IR: the host, and the kernel modules."""

    host: str
    kernels: tuple[KernelText, ...]
