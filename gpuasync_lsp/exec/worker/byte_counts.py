"""Byte counts in messages."""

from __future__ import annotations


def in_bytes(count: int) -> str:
    """Format a number of bytes in readable units."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
