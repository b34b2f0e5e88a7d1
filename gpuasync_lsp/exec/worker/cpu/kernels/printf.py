"""printf in kernels: formats the arguments of the device's `vprintf`, a format and a packed buffer."""

from __future__ import annotations

import ctypes
import re

_SPEC = re.compile(r"%([-+ #0]*)([1-9][0-9]*)?(?:\.([0-9]+))?(hh|h|ll|l|z|j|t)?([diouxXcspeEfFgGaA%])")

MOST = 100_000
"""The maximum padded width and number of digits of a conversion. The device's print buffer has room for a
million characters (CUDA C++ Programming Guide, Formatted Output)."""


def formatted(text: str, arguments: int) -> str:
    """Return `text` with its conversions replaced by values from the buffer at address `arguments`."""
    offset = 0

    def take(size: int) -> bytes:
        nonlocal offset
        offset = (offset + size - 1) // size * size
        data = ctypes.string_at(arguments + offset, size)
        offset += size
        return data

    def fill(spec: re.Match[str]) -> str:
        flags, width, precision, length, kind = spec.groups()
        if kind == "%":
            return "%"
        head = f"%{flags}{_limited(width)}" + (f".{_limited(precision)}" if precision else "")
        if kind in "di":
            return (head + "d") % int.from_bytes(take(_size(length)), "little", signed=True)
        if kind in "ouxX":
            return (head + kind.replace("u", "d")) % int.from_bytes(take(_size(length)), "little")
        if kind == "c":
            return (head + "c") % int.from_bytes(take(4), "little")
        if kind == "s":
            pointer = int.from_bytes(take(8), "little")
            return (head + "s") % ctypes.string_at(pointer).decode("utf-8", "replace")
        if kind == "p":
            return f"{int.from_bytes(take(8), 'little'):#x}"
        value = ctypes.c_double.from_buffer_copy(take(8)).value
        return value.hex() if kind in "aA" else (head + kind) % value

    return _SPEC.sub(fill, text)


def _limited(number: str | None) -> str:
    if number is None:
        return ""
    return str(MOST) if len(number) > len(str(MOST)) else str(min(int(number), MOST))


def _size(length: str | None) -> int:
    return 8 if length in ("l", "ll", "z", "j", "t") else 4
