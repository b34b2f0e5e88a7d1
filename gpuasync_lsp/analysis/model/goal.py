"""Goals: possible problems at an op, to be confirmed on a single path."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import Access, Dependent, Fault, Handle
from gpuasync_lsp.analysis.model.memory.buffers import Buffer


@dataclass(frozen=True)
class Goal:
    """A possible problem at an op: a fault of a handle, a race, a read of unwritten memory, or a leaked
    buffer."""

    fault: Fault | None
    """None for a race."""
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
    """The phase of the dependent launch in a race with a previous kernel."""
    first: Access | None = field(default=None, compare=False)
    second: Access | None = field(default=None, compare=False)
    """The accesses of a race; for a read of unwritten memory, only `second` is set."""
    site: int = field(default=0, compare=False)
    """The bit of the wait that must have destroyed the handle; 0 for any."""
