"""Repeated bad accesses: compiled code counts those that are like the previous one of the same op.

Only the first is reported through Python, since a program may contain millions of them.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

from gpuasync_lsp.exec.worker.findings import Findings, Key

_ROWS = 4096
_WIDTH = 4
"""Words of a row: the packed argument of the op's check, what the access reached, and the count."""


@dataclass
class Repeats:
    """The table of the last bad access of each op, and the findings that it was reported as."""

    _table: ctypes.Array[ctypes.c_uint32] = field(
        default_factory=lambda: (ctypes.c_uint32 * (_ROWS * _WIDTH))()
    )
    _sink: ctypes.Array[ctypes.c_char] = field(default_factory=lambda: ctypes.create_string_buffer(4096))
    _reported: dict[int, tuple[Findings, Key]] = field(default_factory=dict[int, tuple[Findings, Key]])

    @property
    def sink(self) -> int:
        """The address of the dummy buffer that bad accesses use instead of their own address."""
        return ctypes.addressof(self._sink)

    def reported(self, what: int, findings: Findings) -> int:
        """Record that the latest finding is the bad access `what` (`checks.encoded`); return the sink."""
        row = what >> 6 & _ROWS - 1
        self._settle(row)
        if findings.latest is not None:
            self._reported[row] = findings, findings.latest
        return self.sink

    def settle(self) -> None:
        """Add the counts of compiled code to the findings: at the end of a run, and before a launch, since
        findings of different launches differ."""
        if not self._reported:
            return
        for row in self._reported:
            self._settle(row)
        self._reported.clear()
        ctypes.memset(self._table, 0, ctypes.sizeof(self._table))

    def _settle(self, row: int) -> None:
        place = row * _WIDTH + 2
        if row in self._reported and self._table[place]:
            findings, key = self._reported[row]
            findings.repeat(key, self._table[place])
        self._table[place] = 0

    def code(self) -> str:
        """Return the IR of `gpuasync.again(what, key)`, which returns the sink for an access like the op's
        last one, and null for any other.

        `key` is nonzero, and identifies what the access reached: two bad accesses of an op with the same
        key have the same finding."""
        table = f"ptr inttoptr (i64 {ctypes.addressof(self._table)} to ptr)"
        return f"""
define internal ptr @gpuasync.again(i32 %what, i32 %key) noinline cold {{
  %site = lshr i32 %what, 6
  %number = and i32 %site, {_ROWS - 1}
  %row = getelementptr [{_WIDTH} x i32], {table}, i32 %number
  %key.p = getelementptr i32, ptr %row, i32 1
  %last.what = load i32, ptr %row
  %last.key = load i32, ptr %key.p
  %same.what = icmp eq i32 %last.what, %what
  %same.key = icmp eq i32 %last.key, %key
  %same = and i1 %same.what, %same.key
  br i1 %same, label %repeated, label %other
repeated:
  %count.p = getelementptr i32, ptr %row, i32 2
  %before = atomicrmw add ptr %count.p, i32 1 monotonic
  ret ptr inttoptr (i64 {self.sink} to ptr)
other:
  store i32 %what, ptr %row
  store i32 %key, ptr %key.p
  ret ptr null
}}
"""
