"""Shared terms: kinds of tokens, and modes of memory access."""

from __future__ import annotations

from enum import Enum

from gpuasync_lsp.syntax.effects import Mode

LATER_ITERATION = "in a later iteration"
"""The beginning of the description of a path that takes a loop's back edge to a fault that is no leak."""


class Origin(Enum):
    """The kind of object that a token from another function refers to."""

    STREAM = "stream"
    EVENT = "event"
    UNKNOWN = "unknown"


class Side(Enum):
    """Who executes the instructions that access memory; None in its place means the driver."""

    HOST = "the host"
    KERNEL = "a kernel"


TOUCHING = frozenset({Mode.READ, Mode.WRITE, Mode.BOTH, Mode.MAY, Mode.ATOMIC})
"""Modes that read or write, or may do so."""
REGISTERING = frozenset({Mode.REGISTER, Mode.UNREGISTER})
