"""Buffers, names that may refer to them, and parts of them: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.memory.regions import Region


@dataclass(eq=False, slots=True)
class Buffer:
    """A piece of memory: an allocation, argument, global or op result; or a name for one of several."""

    value: SSAValue
    index: int
    """Number among the buffers, or among the names, of the function."""
    op: Operation | None
    device: bool
    """Allocated by gpu.alloc."""
    host_shared: bool = False
    escapes: list[Operation] = field(default_factory=list[Operation])
    """Ops through which it escapes from the function: returns, calls, stores, unknown ops."""
    frees: list[Operation] = field(default_factory=list[Operation])
    registered: bool = False
    """Registered with the driver by gpu.host_register."""
    is_name: bool = False
    may_be: tuple[Buffer, ...] = ()
    """For a name: the buffers that it may refer to, on any path."""
    earlier: Buffer | None = None
    """The buffer of an earlier iteration, if a loop allocates this one again while names refer to it."""
    again: Buffer | None = None
    """The inverse of `earlier`: the buffer of the current iteration."""

    @property
    def all(self) -> tuple[Buffer, ...]:
        """The buffers that a name may refer to, or the buffer itself."""
        return self.may_be if self.is_name else (self,)


class Place(NamedTuple):
    """A part of a buffer."""

    buffer: Buffer
    region: Region
