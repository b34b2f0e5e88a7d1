"""What may go wrong at an op, to be looked for on a single path."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.function import Access, Dependent, Fault, Handle
from gpuasync_lsp.analysis.model.memory.buffers import Buffer


@dataclass(frozen=True)
class Goal:
    """Something that goes wrong at an op: a fault of a handle, a race of two accesses, a read of what nothing
    has written, or a buffer that is lost."""

    fault: Fault | None
    """None for a race."""
    op: Operation
    operand: int | None = None
    handle: Handle | None = None
    first_op: Operation | None = None
    """Of a race: the op of the earlier access."""
    freed: bool = False
    """Of a race: whether that frees the buffer."""
    buffer: Buffer | None = None
    """What nothing has written, or nothing has freed."""
    event: int = -1
    dependent: Dependent | None = None
    """Of a race of a dependent launch with a kernel before it: when it does what it does."""
    first: Access | None = field(default=None, compare=False)
    second: Access | None = field(default=None, compare=False)
    """Of a race: the two accesses; of a read of what nothing has written, the read alone."""
    site: int = field(default=0, compare=False)
    """Of a handle: the wait that has to be to blame, as its bit; 0 for any."""
