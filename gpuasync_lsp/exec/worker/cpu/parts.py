"""Which part of a launch a thread of this process runs, where blocks run on several cores."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass, field

from gpuasync_lsp.exec.worker.findings import Findings


@dataclass
class Part:
    """What one core has of its own; number 0 is the thread that runs everything else."""

    number: int = 0
    where: ctypes.Array[ctypes.c_int32] = field(default_factory=lambda: (ctypes.c_int32 * 1024)())
    """For each thread of the block the site of its latest meeting."""

    accessor: tuple[int, int] = (0, 0)
    """The block and the thread in it whose access is looked at."""

    meeting: ctypes.c_int32 = field(default_factory=lambda: ctypes.c_int32(-1))
    """The site of the latest meeting."""

    findings: Findings | None = None
    """Takes the findings of the blocks that this core runs now; None: the run's own does."""


class _Local(threading.local):
    part: Part | None = None


_LOCAL = _Local()


def current_part() -> Part | None:
    """Return the part that the calling thread runs; None outside a launch on several cores."""
    return _LOCAL.part


def part_findings() -> Findings | None:
    """Return what takes the findings of the calling thread, where it runs a part."""
    return _LOCAL.part.findings if _LOCAL.part is not None else None


def enter(part: Part | None) -> None:
    """Let the calling thread run a part."""
    _LOCAL.part = part
