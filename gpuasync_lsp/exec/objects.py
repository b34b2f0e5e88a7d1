"""Compiles kernels to the objects of a gpu.binary (PTX or bitcode), in a worker because LLVM may abort."""

from __future__ import annotations

import base64
import re
from dataclasses import asdict, dataclass, replace
from typing import Literal

from gpuasync_lsp.exec.ptx import NoPTX, request_compilation

_TOO_OLD = re.compile(r"PTX version [\d.]+ does not support target")
_PTX_VERSION = re.compile(r"\+ptx\d+,?")


@dataclass(frozen=True)
class ObjectJob:
    """A kernel module to compile, with options."""

    ir: str
    """LLVM IR for NVPTX."""
    chip: str
    features: str
    """Target features for LLVM's backend, such as `+ptx80`."""
    level: int
    """The optimization level, 0 to 3."""
    form: Literal["ptx", "bitcode"]


def compile_object(job: ObjectJob, *, raises_ptx_version: bool = False) -> bytes:
    """Return the compiled object. Raises `NoPTX` with LLVM's message.

    With `raises_ptx_version`, a PTX version that is too old for the chip is ignored, as LLVM 21 and earlier
    do; otherwise LLVM rejects it."""
    try:
        return _compiled(job)
    except NoPTX as error:
        if not raises_ptx_version or not _TOO_OLD.search(str(error)):
            raise
    return _compiled(replace(job, features=_PTX_VERSION.sub("", job.features)))


def _compiled(job: ObjectJob) -> bytes:
    return base64.b64decode(request_compilation({"type": "object", **asdict(job)})["data"])
