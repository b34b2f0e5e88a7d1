"""Plain data: buffers, their parts, and memrefs that may refer to one of several buffers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.memory.regions import Region


@dataclass(eq=False, slots=True)
class Buffer:
    """An allocation, argument, global or op result.

    It can also be a *name*: a memref that may refer to one of several buffers, such as a block argument."""

    value: SSAValue
    index: int
    """Position in the function's list of buffers, or of names."""
    op: Operation | None
    device: bool
    """Whether gpu.alloc allocates the buffer, here or in a callee."""
    host_shared: bool = False
    escapes: list[Operation] = field(default_factory=list[Operation])
    """Ops through which the buffer escapes from the function: returns, calls, stores, unknown ops."""
    frees: list[Operation] = field(default_factory=list[Operation])
    registered: bool = False
    """Whether gpu.host_register registers the buffer with the driver."""
    is_name: bool = False
    may_be: tuple[Buffer, ...] = ()
    """The buffers that a name may refer to, on any path; empty for any other buffer."""
    earlier: Buffer | None = None
    """The buffer that represents this allocation in earlier iterations of a loop.

    None unless the allocation may run again while names still refer to the previous buffer."""
    again: Buffer | None = None
    """The inverse of `earlier`: the buffer that represents the allocation in the current iteration."""

    @property
    def all(self) -> tuple[Buffer, ...]:
        """The buffers that this one may stand for if it is an alias (`is_name`); otherwise only itself."""
        return self.may_be if self.is_name else (self,)


class Place(NamedTuple):
    """A buffer, and a region of it."""

    buffer: Buffer
    region: Region
