"""Shared terms: kinds of tokens, and modes of memory access."""

from __future__ import annotations

from enum import Enum

NEXT_ITERATION = "in the next iteration"
"""The beginning of a path description that takes a loop's back edge."""


class Origin(Enum):
    """The kind of a value from another function, as far as known."""

    STREAM = "stream"
    EVENT = "event"
    UNKNOWN = "unknown"


class Side(Enum):
    """The side whose instructions access memory; copies and sets are driver calls."""

    HOST = "the host"
    KERNEL = "a kernel"


class Mode(Enum):
    """How an op accesses a buffer."""

    READ = "reads"
    WRITE = "writes"
    BOTH = "may read and write"
    MAY = "may read or write"
    """By ops with unknown effects: conflicts with a write, maybe not with a read; the operands may be
    written."""
    ATOMIC = "atomically updates"
    """By atomic ops only: two such ops need no order between them."""
    FREE = "frees"
    RETURN = "returns"
    """Returned to the caller, or to the op around a region; must not be freed."""
    REGISTER = "registers"
    """By gpu.host_register: the driver maps host memory for the device."""
    UNREGISTER = "unregisters"


TOUCHING = frozenset({Mode.READ, Mode.WRITE, Mode.BOTH, Mode.MAY, Mode.ATOMIC})
"""Modes that read or write, or may."""
REGISTERING = frozenset({Mode.REGISTER, Mode.UNREGISTER})
