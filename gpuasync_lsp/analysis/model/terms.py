"""Words that everything here shares: what a token may be, how memory is touched."""

from __future__ import annotations

from enum import Enum

NEXT_ITERATION = "in the next iteration"
"""How a description of a path begins that takes a loop's back edge."""


class Origin(Enum):
    """What a value from another function really is, as far as is known."""

    STREAM = "stream"
    EVENT = "event"
    UNKNOWN = "unknown"


class Side(Enum):
    """What touches memory with instructions of its own: copies and sets are calls of the driver."""

    HOST = "the host"
    KERNEL = "a kernel"


class Mode(Enum):
    """How an op touches a buffer."""

    READ = "reads"
    WRITE = "writes"
    BOTH = "may read and write"
    MAY = "may read or write"
    """By ops with unknown effects: against a write this is a conflict, against a read it may be
    none, and what they were given may be written."""
    ATOMIC = "atomically updates"
    """By atomic ops only: two such ops need no order between them."""
    FREE = "frees"
    RETURN = "returns"
    """It is handed to the caller, or to what is around an op with a region, and must not be freed."""
    REGISTER = "registers"
    """By gpu.host_register: the driver makes host memory known to the device."""
    UNREGISTER = "unregisters"


TOUCHING = frozenset({Mode.READ, Mode.WRITE, Mode.BOTH, Mode.MAY, Mode.ATOMIC})
"""What reads or writes, or may."""
REGISTERING = frozenset({Mode.REGISTER, Mode.UNREGISTER})
