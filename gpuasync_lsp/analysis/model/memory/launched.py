"""A kernel with the sizes and arguments of a launch, and the bytes that its threads touch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from gpuasync_lsp.analysis.model.memory.every_thread import NotKnown, Run, Size
from gpuasync_lsp.analysis.model.memory.footprints import Footprint
from gpuasync_lsp.analysis.model.memory.programs import Program
from gpuasync_lsp.analysis.model.memory.thread_groups import Given, Shown

LAUNCHED = tuple(
    f"{kind} {axis}" for kind in ("block", "thread", "grid size", "block size") for axis in "xyz"
)
"""The names of a launch's ids and sizes, such as `thread x`, in the order of gpu.launch's arguments."""


class Running(NamedTuple):
    """A kernel with the sizes and arguments of a launch; equal launches are run once."""

    program: Program
    grid: Size
    block: Size
    given: tuple[Given, ...]
    """Per argument of the kernel, a number, a memref or pointer, or a name in `LAUNCHED`; None if unknown."""

    def footprint(self, root: int) -> Footprint | None:
        """Return the bytes that the launch touches in its argument `root`; None if unknown."""
        found = _run(self)
        return found.get(root, Footprint()) if found is not None else None


class Touching(NamedTuple):
    """The accesses of a launch to one of its arguments."""

    running: Running
    root: int
    begins: int = 0
    """Start of the accessed region, in bytes from the argument's first element."""

    @property
    def footprint(self) -> Footprint | None:
        """The touched bytes, counted from the argument's first element; None if unknown."""
        return self.running.footprint(self.root)


def launched(
    program: Program, grid: Sequence[int | None], block: Sequence[int | None], numbers: Sequence[int | None]
) -> Running | None:
    """Return a kernel with the sizes and arguments of a launch; None if a size is unknown."""
    sizes = [tuple(size for size in each if size is not None) for each in (grid, block)]
    if [len(each) for each in sizes] != [3, 3] or len(numbers) > len(program.parameters):
        return None
    given: list[Given] = [
        number if parameter is None else Shown(at, 0, *parameter)
        for at, (number, parameter) in enumerate(zip(numbers, program.parameters, strict=False))
    ]
    return Running(program, cast("Size", sizes[0]), cast("Size", sizes[1]), tuple(given))


@lru_cache(maxsize=256)
def _run(launch: Running) -> dict[int, Footprint | None] | None:
    run = Run(launch.program, launch.grid, launch.block, launch.given)
    try:
        run.start()
    except NotKnown:
        return None
    return run.found()
