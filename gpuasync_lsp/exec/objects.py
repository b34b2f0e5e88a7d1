"""Kernels as a gpu.binary holds them, PTX or bitcode: a worker compiles, as LLVM may end its process."""

from __future__ import annotations

import base64
import re
from dataclasses import asdict, dataclass, replace
from typing import Literal

from gpuasync_lsp.exec.ptx import NoPTX, asked

_TOO_OLD = re.compile(r"PTX version [\d.]+ does not support target")
_PTX_VERSION = re.compile(r"\+ptx\d+,?")


@dataclass(frozen=True)
class ObjectJob:
    """What is compiled, and how."""

    ir: str
    """LLVM IR for NVPTX."""
    chip: str
    features: str
    """Of LLVM's backend: `+ptx80`."""
    level: int
    """The optimization level, 0 to 3."""
    form: Literal["ptx", "bitcode"]


def compile_object(job: ObjectJob, *, raises_ptx_version: bool = False) -> bytes:
    """Return the object. With `raises_ptx_version` a version of PTX that is too old for the chip is not asked
    for, as by LLVM up to 21; else LLVM rejects it. Raises `NoPTX`, with LLVM's words."""
    try:
        return _compiled(job)
    except NoPTX as error:
        if not raises_ptx_version or not _TOO_OLD.search(str(error)):
            raise
    return _compiled(replace(job, features=_PTX_VERSION.sub("", job.features)))


def _compiled(job: ObjectJob) -> bytes:
    return base64.b64decode(asked({"type": "object", **asdict(job)})["data"])
