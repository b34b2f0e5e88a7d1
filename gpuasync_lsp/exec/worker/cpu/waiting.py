"""Runs kernels whose threads wait for writes by other blocks or kernels, and interleaves their blocks.

A sweep resumes each thread of a block once. If a sweep makes no progress, other blocks and kernels run.
The module's variables that all its blocks share are saved for each suspended block.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.kernels.drivers import ENDED, MOVED

STEP_FUNCTIONS = ("gpuasync.sweep", "gpuasync.end", "gpuasync.save", "gpuasync.restore")

MOST_THREADS = 1024
"""The maximum number of threads in a block, and the length of `WHERE` and `POLLED`, the first parts of a
block's state."""

RESIDENT = 256
"""The maximum number of concurrent blocks of a grid; a GPU cannot run all blocks of a large grid at once."""

PATIENCE = 64
"""The maximum number of consecutive sweeps of one block."""

Extents = tuple[int, int, int]

Start = Callable[[int, int, int, int], None]


def start_function(address: int) -> Start:
    """Return the function that starts a block, given its parameters, geometry, number and thread handles."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p)(address)


def cluster_of(block: int, grid: Extents, cluster: Extents) -> list[int]:
    """Return the numbers of the blocks in the cluster of a block, by rank."""
    x, y, z = block % grid[0], block // grid[0] % grid[1], block // (grid[0] * grid[1])
    x, y, z = x - x % cluster[0], y - y % cluster[1], z - z % cluster[2]
    return [
        x + dx + grid[0] * (y + dy + grid[1] * (z + dz))
        for dz in range(cluster[2])
        for dy in range(cluster[1])
        for dx in range(cluster[0])
    ]


@dataclass(eq=False)
class Block:
    """A block that has begun."""

    handles: ctypes.Array[ctypes.c_void_p]
    threads: int
    number: int
    state: ctypes.Array[ctypes.c_char] | None = None
    """The block's shared state while it is suspended."""


class Switch:
    """Switches between blocks, of which a kernel module can run only one at a time."""

    def __init__(self, addresses: Mapping[str, int], size: int) -> None:
        """`addresses` maps `STEP_FUNCTIONS` to their addresses; `size` is the size of a block's state."""
        pointer, number = ctypes.c_void_p, ctypes.c_int32
        self.sweep = ctypes.CFUNCTYPE(number, pointer, number)(addresses["gpuasync.sweep"])
        self.end = ctypes.CFUNCTYPE(None, pointer, number)(addresses["gpuasync.end"])
        self._save = ctypes.CFUNCTYPE(None, pointer)(addresses["gpuasync.save"])
        self._restore = ctypes.CFUNCTYPE(None, pointer)(addresses["gpuasync.restore"])
        self._size = size
        self._running: Block | None = None

    def enter(self, block: Block) -> bool:
        """Make `block` the running block; return False if it already is."""
        if self._running is block:
            return False
        self.leave()
        if block.state is not None:
            self._restore(ctypes.addressof(block.state))
        self._running = block
        return True

    def leave(self) -> None:
        """Save the state of the running block, since other code may change it."""
        block, self._running = self._running, None
        if block is not None:
            if block.state is None:
                block.state = (ctypes.c_char * self._size)()
            self._save(ctypes.addressof(block.state))

    def drop(self) -> None:
        """Forget the running block, which has ended."""
        self._running = None


@dataclass(frozen=True)
class Steps:
    """The functions that run a kernel in steps."""

    start: Start
    switch: Switch


class Grid:
    """A launch that runs in steps."""

    def __init__(
        self,
        steps: Steps,
        parameters: int,
        geometry: int,
        grid: Extents,
        cluster: Extents,
        threads: int,
        unit: int | None,
        on_company: Callable[[], None],
        on_turn: Callable[[int], None],
        on_end: Callable[[int], None],
    ) -> None:
        """`unit` has the same meaning as in `CpuKernel`.

        `on_company` is called before a block begins while others are suspended, `on_turn` with a block's
        number when the block begins, or continues after other blocks, and `on_end` when it has ended."""
        self.unit = unit
        self._on_company = on_company
        self._on_turn = on_turn
        self._on_end = on_end
        self._steps = steps
        self._parameters = parameters
        self._geometry = geometry
        self._left = (
            cluster_of(x + grid[0] * (y + grid[1] * z), grid, cluster)
            for z in range(0, grid[2], cluster[2])
            for y in range(0, grid[1], cluster[1])
            for x in range(0, grid[0], cluster[0])
        )
        """The clusters that have not begun."""

        self._threads = threads
        self._active: list[Block] = []
        self.done = False

    def step(self) -> bool:
        """Run each active block until it stops making progress; if none does, begin another cluster.

        Return whether there was any progress."""
        switch = self._steps.switch
        moved = False
        for block in list(self._active):
            if switch.enter(block):
                self._on_turn(block.number)
            came = MOVED
            for _ in range(PATIENCE):
                came = switch.sweep(ctypes.addressof(block.handles), block.threads)
                if came != MOVED:
                    break
                moved = True
            if came == ENDED:
                switch.end(ctypes.addressof(block.handles), block.threads)
                switch.drop()
                self._active.remove(block)
                self._on_end(block.number)
                moved = True
        if not moved and len(self._active) < RESIDENT:
            moved = self._begin()
        return moved

    def pause(self) -> None:
        """Suspend the running block, so that other code of the module can run."""
        self._steps.switch.leave()

    def places(self) -> list[tuple[int, int]]:
        """Return, for each thread in active blocks, the source site and the last 64-bit value read."""
        self._steps.switch.leave()
        found: list[tuple[int, int]] = []
        for block in self._active:
            assert block.state is not None
            where = (ctypes.c_int32 * MOST_THREADS).from_buffer(block.state)
            polled = (ctypes.c_uint64 * MOST_THREADS).from_buffer(block.state, ctypes.sizeof(where))
            pairs = zip(where[: block.threads], polled[: block.threads], strict=True)
            found += [(site, value) for site, value in pairs if site >= 0]
        return found

    def give_up(self) -> None:
        """Abort the launch."""
        for block in self._active:
            self._steps.switch.end(ctypes.addressof(block.handles), block.threads)
        self._steps.switch.drop()
        self._active.clear()
        self.done = True

    def _begin(self) -> bool:
        numbers = next(self._left, None)
        if numbers is None:
            self.done = not self._active
            return False
        for number in numbers:
            self._steps.switch.leave()
            if self._active:
                self._on_company()
            block = Block((ctypes.c_void_p * self._threads)(), self._threads, number)
            self._steps.switch.enter(block)
            self._on_turn(number)
            self._steps.start(self._parameters, self._geometry, number, ctypes.addressof(block.handles))
            self._active.append(block)
        return True
