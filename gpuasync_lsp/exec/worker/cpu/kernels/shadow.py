"""Shadow memory: generated code that records the accesses of each cell, and finds unordered ones.

A cell has the size of the smallest access of a module's kernels, and contains three words: the last write (or
atomic update), and two reads since then. An update does not clear the reads; the write that the update
replaces is stored over one of the reads, so that updates by others are compared with this write. In global
memory, the writes of all cells are stored first, then the first reads, then the second reads, so that a
read-only buffer needs pages for only a third of its shadow. A word packs a stamp, the source site, the
thread's number in its block, and the kind of access (write, atomic). Stamps count the events that order
accesses: the start of a block, the release of a barrier or of a warp synchronization, an atomic update.
Stamps increase through the whole run, so nothing is cleared between launches: an access older than the launch
is ordered before it.

Two accesses to one cell must be ordered if one is a write that changes the cell, and not both are atomic.
They are ordered if they belong to one thread, or to one block with a barrier's release between them, or
to one warp with a synchronization of both lanes between them. Other pairs are passed to the callback
`gpuasync_race`, which also considers the order that atomics establish (`findings.py`).
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
    OF_BLOCK,
    OF_LAUNCH,
    SHARED,
    UNINITIALIZED,
    WRITTEN,
)

STAMP, LAUNCH, START, FLOOR, BLOCK, UNIT, PARTIAL, MUTED = range(8)
"""Indices of the state's words.

STAMP is the current stamp. LAUNCH, START and FLOOR are the first stamps of the launch, of the block,
and after the latest barrier. BLOCK is the block's number. UNIT is the stamp since which no other unit has run
(`together.py`). PARTIAL is set once a part of a warp has synchronized. MUTED selects
reports while blocks or kernels are interleaved (`ALONE`, `SILENCED`, `IN_TURNS`)."""

ALONE, SILENCED, IN_TURNS = range(3)
"""Values of `MUTED`: report everything; nothing; only races, with new stamps each time a block is resumed."""

WARPS = 8
TOGETHER = 40
"""Index of the word that enables reports of atomic accesses to Python, for `together.py`."""

_WORDS = 64
SILENT = 1 << 31
"""Bit of a write that left the value unchanged, so that concurrent reads return the same value anyway."""

QUIET = 1 << 40
"""Bit of a pair of sites whose races all involve `SILENT` writes; these races are notes, not errors."""

SEEN = 4096
BLOCKS = 1 << 20
"""The maximum number of recorded blocks of a launch, and of recorded site pairs with a reported race."""


@dataclass(frozen=True)
class Word:
    """An access, as recorded in a word of a cell."""

    stamp: int
    site: int
    thread: int
    kind: int

    @property
    def pending(self) -> bool:
        """Whether the access is the write of a copy that its thread has not waited for."""
        return self.stamp == PENDING

    @property
    def verb(self) -> str:
        """The kind of access as a verb."""
        return {READ: "reads", WRITE: "writes", ATOMIC: "updates"}[self.kind]


def unpacked(word: int) -> Word:
    """Decode a word of a cell."""
    kind = ATOMIC if word & 1 else WRITE if word & 2 else READ
    return Word(word >> 32, (word >> 12 & 0x7FFFF) - 1, word >> 2 & 0x3FF, kind)


def packed(site: int, kind: int) -> int:
    """Encode the site and kind of an access, the part of a word that is constant in generated code."""
    return (site + 1 & 0x7FFFF) << 12 | {READ: 0, WRITE: 2, ATOMIC: 3}[kind]


class ShadowState:
    """State shared by generated code and Python: stamps, and the synchronization through atomic updates."""

    def __init__(self) -> None:
        self.words = (ctypes.c_uint32 * _WORDS)()
        self.words[STAMP] = 1
        self.seen = (ctypes.c_uint64 * SEEN)()
        self.known = (ctypes.c_uint32 * (1024 * 32))()
        """For each thread, the stamps up to which the thread is synchronized with each lane of its warp."""

        self.threads = (ctypes.c_uint64 * (1024 * 4))()
        """For each thread of the block: the stamp of its latest release, the addresses of its releases, and
        likewise for acquires. Sets of addresses are masks of hashes."""

        self.places = ctypes.c_uint64()
        """The addresses that the block has acquired, as a mask of hashes."""

        self.latest = ctypes.c_uint64()
        """The addresses acquired by the running unit (`together.py`) since its last release, as a mask."""

        self.blocks = (ctypes.c_uint64 * 3)()
        """For the latest blocks of the launch: the first stamp, the stamp of the latest release, and the
        addresses of the releases as a mask."""

        self.blocks_pointer = ctypes.c_uint64(ctypes.addressof(self.blocks))

    def begin(self, blocks: int) -> None:
        """Reset the state for a launch with `blocks` blocks."""
        self.words[STAMP] += 1
        self.words[LAUNCH] = self.words[START] = self.words[FLOOR] = self.words[UNIT] = self.words[STAMP]
        self.words[PARTIAL] = self.words[MUTED] = 0
        self.blocks = (ctypes.c_uint64 * (3 * min(blocks, BLOCKS)))()
        self.blocks_pointer.value = ctypes.addressof(self.blocks)


def shadow_code(
    state: ShadowState, arena: Arena, unit: int, shared_unit: int, shared_bytes: int, *, copies: bool
) -> str:
    """Return the IR of the functions `gpuasync.shadow.{device,shared}.{read,write,atomic}`.

    The IR includes the functions that advance stamps. `unit` and `shared_unit` are the base-2
    logarithms of the cell sizes in global and workgroup memory; `copies` adds checks of asynchronous
    copies (`copies.py`)."""
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
    for space, earlier, since, defined in (
        ("device", OF_LAUNCH, "$LAUNCH", "true"),
        ("shared", OF_BLOCK, "$START", "false"),
    ):
        cell = CELLS.replace("$EARLIER", earlier)
        cell = cell.replace("$SPACE", space).replace("$SINCE", since).replace("$DEFINED", defined)
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
