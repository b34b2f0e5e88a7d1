"""Buffers, names for them, and parts of them: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.memory.regions import Region


@dataclass(eq=False, slots=True)
class Buffer:
    """One piece of memory: an allocation, an argument, a global, what an op returns; or a name for one.

    A name is a value that control flow gives one of several buffers: an argument of a block, the result of a
    loop, a branch or a select.
    """

    value: SSAValue
    index: int
    """Number among the buffers, or among the names, of the function."""
    op: Operation | None
    device: bool
    """Allocated by gpu.alloc."""
    host_shared: bool = False
    escapes: list[Operation] = field(default_factory=list[Operation])
    """Ops that hand it to somewhere this function cannot see: returns, calls, stores, unknown ops."""
    frees: list[Operation] = field(default_factory=list[Operation])
    registered: bool = False
    """Made known to the driver by gpu.host_register."""
    is_name: bool = False
    may_be: tuple[Buffer, ...] = ()
    """For a name: the buffers that it may refer to, on any path."""
    earlier: Buffer | None = None
    """For a buffer that a loop allocates again while names hold the one of an earlier iteration: that one."""
    again: Buffer | None = None
    """Of an earlier one: the buffer that it is one of."""

    @property
    def all(self) -> tuple[Buffer, ...]:
        """The buffers that this is, or may be."""
        return self.may_be if self.is_name else (self,)


class Place(NamedTuple):
    """A part of a buffer."""

    buffer: Buffer
    region: Region
