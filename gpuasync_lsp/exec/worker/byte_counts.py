"""Byte counts in messages."""

from __future__ import annotations


def in_bytes(count: int) -> str:
    """Format a number of bytes in readable units."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return "1 byte" if count == 1 else f"{count} bytes"


def outside(address: int, size: int, start: int, room: int) -> str:
    """Describe the position of an access of `size` bytes that does not fit into the `room` bytes at `start`.

    The description names the edge of these bytes last: `4 bytes just past the end`."""
    end = start + room
    if address == end:
        return f"{in_bytes(size)} just past the end"
    if address > end:
        return f"{in_bytes(size)}, {in_bytes(address - end)} past the end"
    if address < start:
        return f"{in_bytes(size)}, {in_bytes(start - address)} before the start"
    outer = address + size - end
    return f"{in_bytes(size)}, of which {outer} {'is' if outer == 1 else 'are'} past the end"
