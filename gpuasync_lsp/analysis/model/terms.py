"""Words that everything here shares: what a token may be, how memory is touched."""

from __future__ import annotations

from enum import Enum


class Origin(Enum):
    """What a value from elsewhere really is, where something tells."""

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
    ATOMIC = "atomically updates"
    """By atomic ops only: two such ops need no order between them."""
    FREE = "frees"
