"""The memory of a CPU run: one reserved address range that contains every allocation.

Each allocation, by the host or for the device, has its own pages, followed by a guard page; it ends at the
end of its last page, except for up to 15 bytes of alignment. With a page table and a region table at fixed
addresses, generated code checks an access in a few instructions (`checks.py`). Freed addresses are not
reused, so that a late use is detected. Handles of streams, events and modules are addresses in the first part
of the range, which is never readable, so an access through a handle is distinguished from one through a wild
pointer.
"""

from __future__ import annotations

import bisect
import ctypes
import mmap
import sys
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpuasync_lsp.exec.worker.untyped import memory

PAGE = 4096
ARENA_SIZE = 1 << 38
"""The maximum size in bytes of the address range that an arena reserves."""
_LEAST = 1 << 34
_ROOM = 32
"""Bytes of reserved addresses per byte of the memory limit, because freed addresses are not reused."""
HANDLE_PAGES = 1 << 12
ENTRY_BYTES = 72
MAX_REGIONS = 1 << 20
CELL_BYTES = 24
SHADOW_LIMIT = 3 << 29
"""The maximum size of shadow memory in bytes; further buffers are not checked for races inside kernels."""

HOST_MAY = 1
DEVICE_MAY = 2
"""Flags of a region in the region table: whether the host and the device may access the region."""

Origin = Literal["device", "managed", "host", "argument", "stack", "workgroup"]
_OF_DEVICE = ("device", "managed", "workgroup")
Bits = NDArray[np.uint8]


def mark(bits: Bits, start: int, size: int) -> None:
    """Set the bits of `size` bytes, beginning with byte `start`."""
    first, last = (start + 7) // 8, (start + size) // 8
    if first <= last:
        bits[first:last] = 0xFF
    for offset in (*range(start, min(first * 8, start + size)), *range(max(last * 8, start), start + size)):
        bits[offset // 8] |= 1 << (offset % 8)


class OutOfMemory(Exception):
    """An allocation exceeds the run's memory limit."""


@dataclass
class Region:
    """One allocation."""

    number: int
    start: int
    size: int
    origin: Origin
    site: int
    freed_at: int | None = None
    """The source site of the free; None before it."""

    is_given: bool = False
    """Whether the region is an argument of the run."""

    registered: bool = False
    touched: dict[tuple[int, int], Bits] = field(default_factory=dict[tuple[int, int], Bits])
    """Maps the core and the kind of access (0 read, 1 write, 2 atomic update) to a bit map of the bytes
    that the running kernel has accessed."""

    written: Bits | None = None
    """Bit map of the initialized bytes; None for memory that is not device memory."""

    shadow: NDArray[np.uint64] | None = None
    """The latest accesses of each cell (`shadow.py`); None until a kernel accesses the region."""

    shadow_unit: int = 0
    """The base-2 logarithm of a cell's size in bytes."""

    @property
    def shadowed(self) -> int:
        """The number of bytes, from the start of the region, that shadow memory covers."""
        return 0 if self.shadow is None else min((len(self.shadow) // 3) << self.shadow_unit, self.size)

    @property
    def end(self) -> int:
        """The address after the last byte."""
        return self.start + self.size

    @property
    def made(self) -> tuple[int, str]:
        """The allocation of the region, as a related location of a finding."""
        if self.origin == "workgroup":
            return self.site, "launched here"
        return self.site, "passed by the caller here" if self.is_given else "allocated here"


class Arena:
    """Allocates memory, and finds regions by address."""

    def __init__(self, limit: int, *, kernels_take_host_memory: bool = False) -> None:
        """Reserve the address range; `limit` is the maximum number of allocated bytes. Raises OSError."""
        self._kernels_take_host_memory = kernels_take_host_memory
        self._libc = _libc()
        self.size = min(max(limit * _ROOM, _LEAST), ARENA_SIZE)
        """The size of the reserved range. A process's address space fits 500 arenas of the maximum size."""
        self.base = self._map(self.size, 0)
        self.page_table = self._map(self.size // PAGE * 4, mmap.PROT_READ | mmap.PROT_WRITE)
        self.region_tables = [self._table()]
        """The region table of each core, which contains the bit maps of the core's kernel accesses."""
        self.limit = limit
        self.used = 0
        self.regions: list[Region | None] = [None]
        self._starts: list[int] = []
        self._next = self.base + HANDLE_PAGES * PAGE
        self._handles = 0
        self._shadow_room = SHADOW_LIMIT

    def handle(self) -> int:
        """Return a new address for use as a handle; it is not backed by memory."""
        self._handles += 1
        return self.base + self._handles * 16

    def allocate(self, size: int, origin: Origin, site: int) -> Region:
        """Return a new region. Raises `OutOfMemory` if the limit would be exceeded."""
        if size < 0 or self.used + size > self.limit or len(self.regions) >= MAX_REGIONS:
            raise OutOfMemory
        pages = max((size + PAGE - 1) // PAGE, 1)
        first = self._next
        if first + (pages + 2) * PAGE > self.base + self.size:
            raise OutOfMemory
        if self._libc.mprotect(first, pages * PAGE, mmap.PROT_READ | mmap.PROT_WRITE) != 0:
            raise OutOfMemory
        self._next += (pages + 1) * PAGE
        self.used += size
        start = first + ((pages * PAGE - size) & ~15)
        number = len(self.regions)
        region = Region(number, start, size, origin, site)
        self.regions.append(region)
        self._starts.append(start)
        table = memory(self.page_table + (first - self.base) // PAGE * 4, pages * 4)
        np.frombuffer(table, dtype=np.uint32)[:] = number
        self._write_entry(region)
        if origin == "device":
            region.written = np.zeros(size // 8 + 1, np.uint8)
            self._write_entry(region)
            ctypes.memset(start, 0xFF, min(size, 1 << 26))
        return region

    def free(self, region: Region, site: int) -> None:
        """Free a region; its pages are returned to the system, its addresses are not reused."""
        region.freed_at = site
        self.used -= region.size
        self._forget_shadow(region)
        self._write_entry(region)
        first = region.start & ~(PAGE - 1)
        length = (region.end - first + PAGE - 1) & ~(PAGE - 1)
        if length:
            self._libc.madvise(first, length, 4)  # 4 is MADV_DONTNEED.

    def register(self, region: Region, registered: bool) -> None:
        """Allow or forbid device access to host memory."""
        region.registered = registered
        self._write_entry(region)

    def find(self, address: int) -> Region | None:
        """Return the region, allocated or freed, that contains `address` or ends directly before it."""
        index = bisect.bisect_right(self._starts, address) - 1
        return self.regions[index + 1] if index >= 0 else None

    def holding(self, address: int) -> Region | None:
        """Return the region, allocated or freed, that contains `address`."""
        region = self.find(address)
        return region if region is not None and address < max(region.end, region.start + 1) else None

    def at(self, address: int) -> Region | None:
        """Return the region that begins at `address`."""
        region = self.find(address)
        return region if region is not None and region.start == address else None

    def owns(self, address: int) -> bool:
        """Return whether an address is in the reserved range."""
        return self.base <= address < self.base + self.size

    def is_handle(self, address: int) -> bool:
        """Return whether an address is in the range of handles."""
        return self.base <= address < self.base + HANDLE_PAGES * PAGE

    def table(self, core: int) -> int:
        """Return the address of a core's region table."""
        if core >= len(self.region_tables):
            self.region_tables += [self._table() for _ in range(core + 1 - len(self.region_tables))]
            for region in self.regions[1:]:
                if region is not None:
                    self._write_entry(region)
        return self.region_tables[core]

    def track(self, region: Region, kind: int, core: int = 0) -> None:
        """Create the bit map for one core's accesses of a kind to a region."""
        bits = np.zeros(region.size // 8 + 16, np.uint8)
        region.touched[core, kind] = bits
        self._write_entry(region)

    def take_touched(self, region: Region) -> dict[int, Bits]:
        """Remove the finished kernel's bit maps from a region; return them by kind, merged over the cores."""
        parts, region.touched = region.touched, {}
        self._write_entry(region)
        touched: dict[int, Bits] = {}
        for (_, kind), bits in sorted(parts.items(), key=lambda part: part[0]):
            if kind in touched:
                touched[kind] |= bits
            else:
                touched[kind] = bits
        return touched

    def shadow(self, region: Region, unit: int) -> None:
        """Give a region shadow memory with cells of 2**unit bytes, for as many bytes as `SHADOW_LIMIT`
        allows."""
        if region.shadow is not None and region.shadow_unit == unit:
            return
        self._forget_shadow(region)
        cells = min((region.size + (1 << unit) - 1) >> unit, self._shadow_room // CELL_BYTES)
        region.shadow, region.shadow_unit = np.zeros(3 * cells, np.uint64), unit
        self._shadow_room -= region.shadow.nbytes
        self._write_entry(region)

    def _forget_shadow(self, region: Region) -> None:
        if region.shadow is not None:
            self._shadow_room += region.shadow.nbytes
            region.shadow = None

    def is_for_device(self, region: Region) -> bool:
        """Return whether kernels may access a region."""
        return self._kernels_take_host_memory or region.registered or region.origin in _OF_DEVICE

    def _write_entry(self, region: Region) -> None:
        flags = 0
        if region.freed_at is None:
            if region.origin not in ("device", "workgroup"):
                flags |= HOST_MAY
            if self.is_for_device(region):
                flags |= DEVICE_MAY
        for core, table in enumerate(self.region_tables):
            entry = (ctypes.c_uint64 * 9).from_address(table + region.number * ENTRY_BYTES)
            entry[0], entry[1], entry[5] = region.start, region.end, flags
            for kind in range(3):
                bits = region.touched.get((core, kind))
                entry[2 + kind] = bits.ctypes.data if bits is not None else 0
            entry[6] = region.shadow.ctypes.data if region.shadow is not None else 0
            entry[7] = region.shadowed
            entry[8] = region.written.ctypes.data if region.written is not None else 0

    def _table(self) -> int:
        return self._map(MAX_REGIONS * ENTRY_BYTES, mmap.PROT_READ | mmap.PROT_WRITE)

    def _map(self, size: int, protection: int) -> int:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | (0x4000 if sys.platform == "linux" else 0x40)
        address = self._libc.mmap(None, size, protection, flags, -1, 0)
        if address in (None, ctypes.c_void_p(-1).value):
            raise OSError(
                f"a run on the CPU reserves {self.size >> 30} GiB of addresses, most of which are never "
                "backed by memory, and this system does not allow that: `ulimit -v unlimited` removes such "
                "a limit"
            )
        return int(address)


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_long,
    ]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return libc
