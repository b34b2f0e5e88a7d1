"""The part of a launch that the current thread runs, when the blocks run on several cores."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass, field

from gpuasync_lsp.exec.worker.findings import Findings


@dataclass
class Part:
    """The state of one core; core 0 is the main thread."""

    number: int = 0
    where: ctypes.Array[ctypes.c_int32] = field(default_factory=lambda: (ctypes.c_int32 * 1024)())
    """The site of the latest synchronization of each thread of the block."""

    accessor: tuple[int, int] = (0, 0)
    """The block and thread numbers of the access that is being checked."""

    synchronization: ctypes.c_int32 = field(default_factory=lambda: ctypes.c_int32(-1))
    """The site of the latest synchronization."""

    findings: Findings | None = None
    """The collection for findings of this core's blocks; None for the run's own."""


class _Local(threading.local):
    part: Part | None = None


_LOCAL = _Local()


def current_part() -> Part | None:
    """Return the part that the calling thread runs; None outside a launch on several cores."""
    return _LOCAL.part


def part_findings() -> Findings | None:
    """Return the findings collection of the part that the calling thread runs, or None."""
    return _LOCAL.part.findings if _LOCAL.part is not None else None


def enter(part: Part | None) -> None:
    """Record that the calling thread runs `part`."""
    _LOCAL.part = part
