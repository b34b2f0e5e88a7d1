"""Shadow memory: generated code that records the accesses of each cell, and finds unordered ones.

A cell has the size of the smallest access of a module's kernels, and holds three words: the last write (or
atomic update), and two reads since; an update leaves the reads, and the write that it replaced takes the
place of one of them, so that others' updates are compared with it. In global memory, the writes of all cells
come first, then the first reads, then the second, so that a read-only buffer only needs pages for a third of
its shadow. A word packs a stamp, the source site, the thread in its block, and whether the access was a
write, and atomic. Stamps count the events that order accesses: the start of a block, the release of a barrier
or of a synchronization of a warp, an atomic update. They increase through the whole run, so nothing is
cleared between launches: an access older than the launch is ordered before it.

Two accesses of one cell, at least one a write that changes it, not both atomic, are ordered if they belong to
one thread, or to one block with a barrier's release between them, or to one warp with a synchronization of
both lanes between them. Other pairs go to the callback `gpuasync_race`, which knows about order by atomics
(`findings.py`).
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.arena import Arena
from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, ENTRY, READ, WRITE
from gpuasync_lsp.exec.worker.cpu.kernels.copies import PENDING, copies_code
from gpuasync_lsp.exec.worker.cpu.kernels.shadow_ir import (
    CELLS,
    COMMON,
    DEVICE,
    IN_BLOCK,
    LOOP,
    SHARED,
    UNINITIALIZED,
    WRITTEN,
)

CELL = 24
"""Bytes of a cell."""

STAMP, LAUNCH, START, FLOOR, BLOCK, UNIT, PARTIAL, MUTED = range(8)
"""Words of the state: the current stamp; the first of the launch and of the block; the latest barrier's; the
block's number; the first since which nothing else runs (`together.py`); whether a part of a warp has
synchronized; the reports that are muted while blocks or kernels take turns (`ALONE`, `IN_TURNS`)."""

ALONE, SILENCED, IN_TURNS = range(3)
"""Values of `MUTED`: everything is reported, nothing is, or only races, with new stamps in each turn."""

WARPS = 8
TOGETHER = 40
"""Whether atomic accesses are reported to Python, since some kernel waits for others (`together.py`)."""

_WORDS = 64
SILENT = 1 << 31
"""Marks a write that changed nothing: concurrent reads get the same value with or without it."""

QUIET = 1 << 40
"""Added to a pair of sites with such a race: it is reported as a note, not as an error."""

SEEN = 4096
BLOCKS = 1 << 20
"""The most pairs of sites with a reported race, and the most recent blocks of a launch, that are recorded."""


@dataclass(frozen=True)
class Word:
    """An access as recorded in a cell."""

    stamp: int
    site: int
    thread: int
    kind: int

    @property
    def pending(self) -> bool:
        """Whether it is a copy that its thread has not waited for."""
        return self.stamp == PENDING

    @property
    def verb(self) -> str:
        """The access as a verb."""
        return {READ: "reads", WRITE: "writes", ATOMIC: "updates"}[self.kind]


def unpacked(word: int) -> Word:
    """Decode a word of a cell."""
    kind = ATOMIC if word & 1 else WRITE if word & 2 else READ
    return Word(word >> 32, (word >> 12 & 0x7FFFF) - 1, word >> 2 & 0x3FF, kind)


def packed(site: int, kind: int) -> int:
    """Return the part of a word that is known before the kernel runs."""
    return (site + 1 & 0x7FFFF) << 12 | {READ: 0, WRITE: 2, ATOMIC: 3}[kind]


class ShadowState:
    """State shared by generated code and Python: stamps, and the order by atomics."""

    def __init__(self) -> None:
        self.words = (ctypes.c_uint32 * _WORDS)()
        self.words[STAMP] = 1
        self.seen = (ctypes.c_uint64 * SEEN)()
        self.known = (ctypes.c_uint32 * (1024 * 32))()
        """For each thread the stamps up to which it is synchronized with each lane of its warp."""

        self.threads = (ctypes.c_uint64 * (1024 * 4))()
        """For each thread of the block: stamp and places of its releases, and of its acquires."""

        self.places = ctypes.c_uint64()
        """The places that the block has acquired, as a mask of hashes."""

        self.latest = ctypes.c_uint64()
        """The places that the running unit has acquired and not released since."""

        self.blocks = (ctypes.c_uint64 * 3)()
        """For the latest blocks of the launch: first stamp, the stamp and the places of the releases."""

        self.blocks_pointer = ctypes.c_uint64(ctypes.addressof(self.blocks))

    def begin(self, blocks: int) -> None:
        """Start a launch of `blocks` blocks."""
        self.words[STAMP] += 1
        self.words[LAUNCH] = self.words[START] = self.words[FLOOR] = self.words[UNIT] = self.words[STAMP]
        self.words[PARTIAL] = self.words[MUTED] = 0
        self.blocks = (ctypes.c_uint64 * (3 * min(blocks, BLOCKS)))()
        self.blocks_pointer.value = ctypes.addressof(self.blocks)


def shadow_code(
    state: ShadowState, arena: Arena, unit: int, shared_unit: int, shared_bytes: int, *, copies: bool
) -> str:
    """Return the IR of `gpuasync.shadow.{device,shared}.{read,write,atomic}` and of the functions that
    advance stamps.

    `unit` and `shared_unit` are the logarithms of the cell sizes in global and in workgroup memory;
    `copies` adds checks of asynchronous copies (`copies.py`).
    """
    base = ctypes.addressof(state.words)
    words = {
        name: f"inttoptr (i64 {base + 4 * place} to ptr)"
        for name, place in (
            ("STAMP", STAMP),
            ("LAUNCH", LAUNCH),
            ("START", START),
            ("FLOOR", FLOOR),
            ("BLOCK", BLOCK),
            ("UNIT", UNIT),
            ("PARTIAL", PARTIAL),
            ("MUTED", MUTED),
            ("WARPS", WARPS),
            ("TOGETHER", TOGETHER),
        )
    }
    for name, value in (
        ("SEEN", state.seen),
        ("KNOWN", state.known),
        ("THREADS", state.threads),
        ("PLACES", state.places),
        ("LATEST", state.latest),
        ("BLOCKS", state.blocks_pointer),
    ):
        words[name] = f"inttoptr (i64 {ctypes.addressof(value)} to ptr)"
    cells = (shared_bytes >> shared_unit) + 1
    text = COMMON
    for space, since, defined in (("device", "$LAUNCH", "true"), ("shared", "$START", "false")):
        cell = CELLS.replace("$SPACE", space).replace("$SINCE", since).replace("$DEFINED", defined)
        cell = cell.replace("$PLAIN", str(SILENT | 3))
        text += cell.replace("$SILENT", str(SILENT)).replace("$QUIET", str(QUIET))
    text += f"@gpuasync.cells = internal global [{cells} x {{ i64, i64, i64 }}] zeroinitializer\n"
    for kind, name in ((READ, "read"), (WRITE, "write"), (ATOMIC, "atomic")):
        uninitialized = UNINITIALIZED if kind != WRITE else ""
        text += DEVICE.format(
            kind=name,
            base=arena.base,
            size=arena.size,
            table=arena.page_table,
            regions=arena.region_tables[0],
            entry=ENTRY,
            rest=(1 << unit) - 1,
            log=unit,
            body=LOOP.format(
                log=unit,
                cell="i64",
                stride="%count",
                space="device",
                kind=name,
                check=uninitialized.format(known=WRITTEN) if uninitialized else "",
            ),
        )
        text += SHARED.format(
            kind=name,
            size=shared_bytes,
            body=LOOP.format(
                log=shared_unit,
                cell="{ i64, i64, i64 }",
                stride="1",
                space="shared",
                kind=name,
                check=uninitialized.format(known=IN_BLOCK) if uninitialized else "",
            ),
        )
    if copies:
        text += copies_code(shared_unit, shared_bytes)
    text = text.replace("$LASTBLOCK", str(BLOCKS - 1))
    return re.sub(r"\$([A-Z]+)", lambda name: words[name[1]], text)
