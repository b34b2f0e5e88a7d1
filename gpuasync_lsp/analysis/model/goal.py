"""A possible problem at an op, which becomes a finding if a search finds a path to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import Access, Dependent, Fault, Handle
from gpuasync_lsp.analysis.model.memory.buffers import Buffer


@dataclass(frozen=True)
class Goal:
    """A possible problem at an op: a fault of a handle, a race, an uninitialized read, or a leaked buffer."""

    fault: Fault | None
    """The kind of a handle's fault; None for a race and for a problem with a buffer."""
    op: Operation
    operand: int | None = None
    handle: Handle | None = None
    first_op: Operation | None = None
    """The op of the earlier access; set for races only."""
    freed: bool = False
    """Whether the earlier access frees the buffer; for races only."""
    buffer: Buffer | None = None
    """The buffer that is unwritten or leaked."""
    event: int = -1
    dependent: Dependent | None = None
    """The phase of the dependent launch that races with the previous kernel; None for other problems."""
    first: Access | None = field(default=None, compare=False)
    second: Access | None = field(default=None, compare=False)
    """The later access of a race, or the read of unwritten memory."""
    site: int = field(default=0, compare=False)
    """The bit of the wait that must have destroyed the handle; 0 for any."""
