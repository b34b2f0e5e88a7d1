"""Shared terms: kinds of tokens, and modes of memory access."""

from __future__ import annotations

from enum import Enum

NEXT_ITERATION = "in the next iteration"
"""The beginning of a path's description if the path takes a loop's back edge."""


class Origin(Enum):
    """The kind of object that a token from another function refers to."""

    STREAM = "stream"
    EVENT = "event"
    UNKNOWN = "unknown"


class Side(Enum):
    """The side that accesses memory by its instructions; copies and sets are made by the driver."""

    HOST = "the host"
    KERNEL = "a kernel"


class Mode(Enum):
    """How an op accesses a buffer."""

    READ = "reads"
    WRITE = "writes"
    BOTH = "may read and write"
    MAY = "may read or write"
    """Access by an op with unknown effects.

    It conflicts with a write, and maybe not with a read; the operands may be written."""
    ATOMIC = "atomically updates"
    """Access by an atomic op: two such accesses need no order."""
    FREE = "frees"
    RETURN = "returns"
    """The buffer is returned to the caller, or yielded to the op around a region; it must not be freed."""
    REGISTER = "registers"
    """gpu.host_register: the driver maps host memory for the device."""
    UNREGISTER = "unregisters"


TOUCHING = frozenset({Mode.READ, Mode.WRITE, Mode.BOTH, Mode.MAY, Mode.ATOMIC})
"""Modes that read or write, or may do so."""
REGISTERING = frozenset({Mode.REGISTER, Mode.UNREGISTER})
