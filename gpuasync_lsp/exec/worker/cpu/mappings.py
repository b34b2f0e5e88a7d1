"""The addresses outside the arena that a program may access: the process's memory mappings, including its
stack.

Generated code looks an address up in a table of recently used mappings, with one row for reads and one
for writes; if it is not there, the code calls the callbacks of `checks.py`, which use `Mappings`.
"""

from __future__ import annotations

import ctypes
import sys
from bisect import bisect_right
from pathlib import Path

KEPT = 4
"""The number of mappings in a row of the table."""

_MAPS = Path("/proc/self/maps")


class Mappings:
    """The memory mappings of this process, read from /proc/self/maps."""

    def __init__(self) -> None:
        self._table = (ctypes.c_uint64 * (2 * KEPT * 2))()
        self.address = ctypes.addressof(self._table)
        """The address of the table: two rows of (start, end) pairs."""

        self._next = [0, 0]
        self._starts: list[int] = []
        self._known: list[tuple[int, bool, bool]] = []
        self._absent: set[tuple[int, bool]] = set()
        """Pages known to be unmapped, since rereading the mappings for each of many bad accesses is slow."""

    def may(self, address: int, size: int, writes: bool) -> bool:
        """Return whether the process can access `size` bytes at `address`; always true except on Linux."""
        if not sys.platform.startswith("linux"):
            return True
        page = address >> 12, writes
        if page in self._absent:
            return False
        for fresh in (False, True):
            if fresh:
                self._read()
            found = self._holding(address, writes)
            if found is not None and address + size <= found[1]:
                self._keep(found, writes)
                return True
        self._absent.add(page)
        return False

    def _holding(self, address: int, writes: bool) -> tuple[int, int] | None:
        number = bisect_right(self._starts, address) - 1
        if number < 0:
            return None
        end, readable, writable = self._known[number]
        allowed = writable if writes else readable
        return (self._starts[number], end) if address < end and allowed else None

    def _keep(self, mapping: tuple[int, int], writes: bool) -> None:
        place = 2 * (KEPT * writes + self._next[writes])
        self._table[place : place + 2] = list(mapping)
        self._next[writes] = (self._next[writes] + 1) % KEPT

    def _read(self) -> None:
        self._starts, self._known = [], []
        for line in _MAPS.read_text("utf-8", "replace").splitlines():
            extent, permissions = line.split(maxsplit=2)[:2]
            start, end = (int(number, 16) for number in extent.split("-"))
            access = end, "r" in permissions, "w" in permissions
            if self._known and self._known[-1] == (start, *access[1:]):
                self._known[-1] = access  # Adjacent mappings are merged.
            else:
                self._starts.append(start)
                self._known.append(access)


def look_up(mappings: Mappings) -> str:
    """Return the IR of `gpuasync_mapped(address, bytes, what)`, which returns whether the table covers an
    access."""
    lines = [
        "define internal i1 @gpuasync_mapped(i64 %a, i64 %n, i32 %what) {",
        "  %kind = and i32 %what, 3",
        "  %writes = icmp ne i32 %kind, 0",
        "  %row = zext i1 %writes to i64",
        f"  %first = mul i64 %row, {16 * KEPT}",
        f"  %base = add i64 %first, {mappings.address}",
        "  %last = add i64 %a, %n",
    ]
    inside = "false"
    for number in range(KEPT):
        lines += [
            f"  %s{number}.a = add i64 %base, {16 * number}",
            f"  %s{number}.p = inttoptr i64 %s{number}.a to ptr",
            f"  %s{number} = load i64, ptr %s{number}.p",
            f"  %e{number}.a = add i64 %base, {16 * number + 8}",
            f"  %e{number}.p = inttoptr i64 %e{number}.a to ptr",
            f"  %e{number} = load i64, ptr %e{number}.p",
            f"  %after{number} = icmp uge i64 %a, %s{number}",
            f"  %before{number} = icmp ule i64 %last, %e{number}",
            f"  %both{number} = and i1 %after{number}, %before{number}",
            f"  %in{number} = or i1 {inside}, %both{number}",
        ]
        inside = f"%in{number}"
    return "\n".join([*lines, f"  ret i1 {inside}", "}", ""])
