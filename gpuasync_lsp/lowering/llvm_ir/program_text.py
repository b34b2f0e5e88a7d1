"""A program in LLVM IR, the input of a run."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute


@dataclass(frozen=True)
class KernelText:
    """One gpu.module or gpu.binary."""

    name: str
    ir: str | None
    """LLVM IR for NVPTX; None for a gpu.binary."""

    targets: str
    """The target attributes as text."""

    objects: tuple[Attribute, ...] = ()
    """The objects of a gpu.binary."""


@dataclass(frozen=True)
class LLVMProgram:
    """A program in LLVM IR."""

    host: str
    kernels: tuple[KernelText, ...]
