"""Shadow memory: generated code that remembers who accessed each cell, and finds what nothing orders.

A cell stands for the smallest unit that a module's kernels access at once, and holds three words: the last
write (or atomic update), and two reads since; an update leaves the reads, and the write that it replaced
stands for one of them, so that the updates of others are compared with it. In global memory, the writes of
all cells come first, then the first reads, then the second, so that a buffer that is read only needs pages
for a third of its shadow. A word packs a stamp, the source site, the thread in its block, and whether the
access was a write, and atomic. Stamps count what orders accesses: the start of a block, the release of a
barrier or of a meeting of a warp, an atomic update. They grow through the whole run, so nothing is cleared
between launches: what is older than the launch is ordered before it.

Two accesses of one cell, at least one a write that changes it, not both atomic, are ordered if they belong to
one thread, or to one block with a barrier's release between them, or to one warp with a meeting of both lanes
between them. What is left goes to the callback `gpuasync_race`, which knows about order by atomics
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
block's number; the first since when nothing else runs (`together.py`); whether a part of a warp has met; what
is not reported where blocks or kernels take turns (`ALONE`, `IN_TURNS`)."""

ALONE, SILENCED, IN_TURNS = range(3)
"""What `MUTED` may be: all is reported, nothing is, or races alone, of which the stamps of a turn begin
again."""

WARPS = 8
TOGETHER = 40
"""Whether atomic accesses are reported to Python, since some kernel waits for others (`together.py`)."""

_WORDS = 64
SILENT = 1 << 31
"""Marks a write that changed nothing: reads next to it see the same with or without it."""

QUIET = 1 << 40
"""Added to a pair of sites whose race this is: it is reported, and no alarm."""

SEEN = 4096
BLOCKS = 1 << 20
"""The most pairs of sites with a reported race, and the most recent blocks of a launch, that are kept."""


@dataclass(frozen=True)
class Word:
    """An access as a cell remembers it."""

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
        """What the thread does."""
        return {READ: "reads", WRITE: "writes", ATOMIC: "updates"}[self.kind]


def unpacked(word: int) -> Word:
    """Return what a word of a cell says."""
    kind = ATOMIC if word & 1 else WRITE if word & 2 else READ
    return Word(word >> 32, (word >> 12 & 0x7FFFF) - 1, word >> 2 & 0x3FF, kind)


def packed(site: int, kind: int) -> int:
    """Return what of a word is known before the kernel runs."""
    return (site + 1 & 0x7FFFF) << 12 | {READ: 0, WRITE: 2, ATOMIC: 3}[kind]


class ShadowState:
    """What generated code and Python share: stamps, and what atomics order."""

    def __init__(self) -> None:
        self.words = (ctypes.c_uint32 * _WORDS)()
        self.words[STAMP] = 1
        self.seen = (ctypes.c_uint64 * SEEN)()
        self.known = (ctypes.c_uint32 * (1024 * 32))()
        """For each thread the stamps until which it knows what the lanes of its warp did."""

        self.threads = (ctypes.c_uint64 * (1024 * 4))()
        """For each thread of the block: stamp and places of its releases, and of its acquires."""

        self.places = ctypes.c_uint64()
        """Where the block has acquired, a bit for each place's hash."""

        self.latest = ctypes.c_uint64()
        """Where the unit that runs has acquired last, and not released since."""

        self.blocks = (ctypes.c_uint64 * 3)()
        """For the latest blocks of the launch: first stamp, the stamp and the places of the releases."""

        self.blocks_pointer = ctypes.c_uint64(ctypes.addressof(self.blocks))

    def begin(self, blocks: int) -> None:
        """Start a launch of so many blocks."""
        self.words[STAMP] += 1
        self.words[LAUNCH] = self.words[START] = self.words[FLOOR] = self.words[UNIT] = self.words[STAMP]
        self.words[PARTIAL] = self.words[MUTED] = 0
        self.blocks = (ctypes.c_uint64 * (3 * min(blocks, BLOCKS)))()
        self.blocks_pointer.value = ctypes.addressof(self.blocks)


def shadow_code(
    state: ShadowState, arena: Arena, unit: int, shared_unit: int, shared_bytes: int, *, copies: bool
) -> str:
    """Return the IR of `gpuasync.shadow.{device,shared}.{read,write,atomic}` and of what moves the stamps.

    `unit` and `shared_unit` are the logarithms of the cells' sizes in global and in workgroup memory;
    `copies` adds what follows copies that go on next to a thread (`copies.py`).
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
