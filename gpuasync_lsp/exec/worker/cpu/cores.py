"""Blocks of a launch on several cores: a copy of the kernel for each, with variables of its own.

Generated code keeps what a block needs (workgroup memory, who has arrived where) in variables of its module,
so a module runs one block at a time, and each further core has a copy. A kernel has copies only where blocks
cannot see each other: no atomic access of global memory, no variable that lasts, no output (`kernels/`).

A first share of the blocks runs alone and says if more cores are worth their start. The rest is dealt out
in shares of neighbouring blocks; a core whose copy is still being linked takes none yet. What is found is
put in the order of the blocks, so it is the same as on one core; only of blocks that race, results are those
of any order.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable

from gpuasync_lsp.exec.worker.cpu.kernel import CpuKernel, Entry
from gpuasync_lsp.exec.worker.cpu.parts import Part, enter
from gpuasync_lsp.exec.worker.findings import Findings
from gpuasync_lsp.processes import cores as available_cores

WORTH = 0.05
"""Seconds that the rest of a launch must take on one core before others help."""

_FIRST = 64
"""The part of the blocks that is run alone."""

_SHARES = 16
"""Shares of the rest for each core: one that is slow gets fewer."""

MOST = 16
"""Cores at most: each takes a copy and bit maps of what is touched."""


class Cores:
    """Runs launches; further cores start when one is long enough."""

    def __init__(self, count: int | None = None) -> None:
        """`count` is how many cores to use; None: all that this process may."""
        self.count = min(count if count is not None else available_cores(), MOST)
        self._parts = [Part(number) for number in range(self.count)]
        self._linking = threading.Lock()

    def run(
        self,
        kernel: CpuKernel,
        parameters: int,
        geometry: ctypes.Array[ctypes.c_int64],
        findings: Findings,
    ) -> None:
        """Run a launch: `geometry` is that of `CpuKernel.call`, whose range of blocks is the whole grid."""
        blocks = geometry[11]
        if kernel.copy is None or self.count < 2 or blocks < 2:
            kernel.call(parameters, ctypes.addressof(geometry))
            return
        first = max(blocks // _FIRST, 1)
        begun = time.perf_counter()
        _call(kernel.call, parameters, geometry, 0, first)
        if (time.perf_counter() - begun) * (blocks - first) / first < WORTH:
            _call(kernel.call, parameters, geometry, first, blocks)
            return
        copy = kernel.copy
        size = max((blocks - first) // (self.count * _SHARES), 1)
        begins = range(first, blocks, size)
        found = [Findings(findings.limit) for _ in begins]
        numbers = iter(range(len(begins)))
        errors: list[BaseException] = []

        def linked(part: Part) -> Entry:
            with self._linking:
                return copy(part)

        def work(part: Part, code: Callable[[Part], Entry]) -> None:
            enter(part)
            try:
                call = code(part)
                for number in numbers:  # next() of an iterator over a range is one step under the lock
                    part.findings = found[number]
                    begin = begins[number]
                    _call(call, parameters, geometry, begin, min(begin + size, blocks))
            except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
                errors.append(error)
            finally:
                part.findings = None
                enter(None)

        others = self._parts[1:]
        threads = [threading.Thread(target=work, args=(part, linked), daemon=True) for part in others]
        for thread in threads:
            thread.start()
        work(self._parts[0], lambda part: kernel.call)
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        for share in found:
            findings.take(share)


def _call(
    call: Callable[[int, int], None],
    parameters: int,
    geometry: ctypes.Array[ctypes.c_int64],
    first: int,
    behind: int,
) -> None:
    mine = type(geometry)(*geometry)
    mine[10], mine[11] = first, behind
    call(parameters, ctypes.addressof(mine))
