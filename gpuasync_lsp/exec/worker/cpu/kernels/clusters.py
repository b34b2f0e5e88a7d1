"""The barrier of a cluster of blocks, and workgroup memory that other blocks of the cluster access.

If a module maps addresses of other blocks (`nvvm.mapa`), its workgroup buffers are regions of the arena, one
for each block and buffer, which are checked like global memory. The blocks of a cluster begin together and
run in turns (`waiting.py`).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from gpuasync_lsp.exec.worker.cpu.arena import Arena, Region
from gpuasync_lsp.exec.worker.cpu.checks import Names
from gpuasync_lsp.exec.worker.cpu.kernels.findings import KernelChecks, Launched
from gpuasync_lsp.exec.worker.cpu.kernels.synchronization import WHERE, Synchronization
from gpuasync_lsp.exec.worker.cpu.waiting import cluster_of
from gpuasync_lsp.exec.worker.unsupported import UnsupportedKernel

MAPS = "@llvm.nvvm.mapa"
"""The intrinsics that map an address to the workgroup memory of a different block."""

BARRIER = "llvm.nvvm.barrier.cluster."
"""The name prefix of the intrinsics of a cluster's barrier."""

CLUSTER_BEGIN = [
    "  %gpuasync.cluster = call ptr @gpuasync_cluster()",
    "  %gpuasync.cluster.ticket = alloca i32",
    "  store i32 -1, ptr %gpuasync.cluster.ticket",
]
"""The code at the start of a thread that uses its cluster."""

ARRIVE = "  call void @gpuasync.cluster.arrive(ptr %gpuasync.cluster, ptr %gpuasync.cluster.ticket)"
"""The code that replaces an arrival at the cluster's barrier."""

_USE = re.compile(r"ptr addrspace\(3\) (@(?:\"[^\"]+\"|[\w.$-]+))")
_CONSTANT = re.compile(r"(?:getelementptr|addrspacecast|ptrtoint) (?:inbounds )?(?:nuw )?\(")

CLUSTER_FUNCTIONS = """
declare ptr @gpuasync_cluster()
declare i64 @gpuasync_mapa(i64, i32, i32)
declare void @gpuasync_synchronized(i64, i32)
define internal void @gpuasync.cluster.order(ptr %c, i32 %phase, i32 %how) {
  %a = ptrtoint ptr %c to i64
  %phase.w = zext i32 %phase to i64
  %high = shl i64 %phase.w, 48
  %place = xor i64 %a, %high
  call void @gpuasync_synchronized(i64 %place, i32 %how)
  ret void
}
define internal void @gpuasync.cluster.check(ptr %c) {
entry:
  %alive.p = getelementptr i32, ptr %c, i32 2
  %count = load i32, ptr %c
  %alive = load i32, ptr %alive.p
  %full = icmp uge i32 %count, %alive
  %some = icmp ne i32 %count, 0
  %all = and i1 %full, %some
  br i1 %all, label %release, label %done
release:
  store i32 0, ptr %c
  %generation.p = getelementptr i32, ptr %c, i32 1
  %generation = load i32, ptr %generation.p
  %next = add i32 %generation, 1
  store volatile i32 %next, ptr %generation.p
  call void @gpuasync.epoch()
  br label %done
done:
  ret void
}
define internal void @gpuasync.cluster.arrive(ptr %c, ptr %ticket) {
  call void @gpuasync.moved()
  %generation.p = getelementptr i32, ptr %c, i32 1
  %generation = load i32, ptr %generation.p
  store i32 %generation, ptr %ticket
  %count = load i32, ptr %c
  %more = add i32 %count, 1
  store i32 %more, ptr %c
  call void @gpuasync.cluster.order(ptr %c, i32 %generation, i32 1)
  call void @gpuasync.cluster.check(ptr %c)
  ret void
}
define internal void @gpuasync.cluster.waits(i32 %lane, i32 %site) {
  call void @gpuasync.moved()
  %where = getelementptr i32, ptr $WHERE, i32 %lane
  store i32 %site, ptr %where
  ret void
}
define internal void @gpuasync.cluster.waited(ptr %c, i32 %phase) {
  call void @gpuasync.moved()
  call void @gpuasync.cluster.order(ptr %c, i32 %phase, i32 2)
  ret void
}
define internal void @gpuasync.cluster.leave(ptr %c) {
  %alive.p = getelementptr i32, ptr %c, i32 2
  %alive = load i32, ptr %alive.p
  %fewer = sub i32 %alive, 1
  store i32 %fewer, ptr %alive.p
  %generation.p = getelementptr i32, ptr %c, i32 1
  %generation = load i32, ptr %generation.p
  call void @gpuasync.cluster.order(ptr %c, i32 %generation, i32 1)
  call void @gpuasync.cluster.check(ptr %c)
  ret void
}
""".replace("$WHERE", WHERE)
"""The functions of a cluster's barrier. Its state has three words: the numbers of arrived threads, of
completed phases, and of threads that have not exited (the PTX ISA does not expect exited ones to arrive)."""


def uses_cluster(line: str) -> bool:
    """Return whether an instruction accesses another block of its cluster, or waits for it."""
    return MAPS in line or f"@{BARRIER}" in line


def cluster_wait(number: int, site: int) -> Synchronization:
    """Return the code with which a thread waits at `site` for its cluster; `number` makes names unique."""
    generation, ticket = f"%gpuasync.gen{number}", f"%gpuasync.ticket{number}"
    return Synchronization(
        True,
        (
            f"  {ticket} = load i32, ptr %gpuasync.cluster.ticket",
            f"  {generation} = getelementptr i32, ptr %gpuasync.cluster, i32 1",
            f"  call void @gpuasync.cluster.waits(i32 %gpuasync.lane, i32 {site})",
        ),
        (f"  call void @gpuasync.cluster.waited(ptr %gpuasync.cluster, i32 {ticket})",),
        generation,
        ticket,
    )


def map_address(result: str, type: str, arguments: Sequence[str], names: Names, site: int) -> list[str]:
    """Return the code that sets `result`, a pointer of type `type`, to an address in a different block."""
    own, other = names.fresh(), names.fresh()
    return [
        f"  {own} = ptrtoint {arguments[0]} to i64",
        f"  {other} = call i64 @gpuasync_mapa(i64 {own}, {arguments[1]}, i32 {site})",
        f"  {result} = inttoptr i64 {other} to {type}",
    ]


def with_windows(ir: str, buffers: Mapping[str, int]) -> str:
    """Replace each use of a variable in workgroup memory with its address for the running block.

    `buffers` maps the variables to the numbers of their buffers. Raises `UnsupportedKernel`."""
    out: list[str] = []
    used: set[int] = set()
    begin = 0

    def window(found: re.Match[str]) -> str:
        number = buffers.get(found[1])
        if number is None:
            return found[0]
        if _CONSTANT.search(found.string) is not None:
            raise UnsupportedKernel("with mapa, constant workgroup addresses do not run on the CPU")
        used.add(number)
        return f"ptr addrspace(3) %gpuasync.window.{number}"

    for line in ir.splitlines():
        if line.startswith("define "):
            used.clear()
            begin = len(out) + 1
        elif len(out) == begin and not line.startswith(" "):
            begin += 1  # Skip the first block's label.
        out.append(_USE.sub(window, line) if line.startswith(" ") else line)
        if line == "}":
            out[begin:begin] = [
                f"  %gpuasync.window.{number} = call ptr addrspace(3) @gpuasync_window(i32 {number})"
                for number in sorted(used)
            ]
    return "\n".join([*out, "declare ptr addrspace(3) @gpuasync_window(i32)", ""])


@dataclass
class _Cluster:
    """A cluster with running blocks."""

    barrier: ctypes.Array[ctypes.c_uint32]
    """The state of its barrier; see `CLUSTER_FUNCTIONS`."""

    running: set[int]
    """The numbers of the blocks that have not ended."""

    windows: dict[tuple[int, int], Region] = field(default_factory=dict[tuple[int, int], Region])
    """Maps the numbers of a block and a workgroup buffer to the buffer's region."""


class Clusters:
    """The workgroup memory of a run's blocks, and their clusters' barriers."""

    def __init__(self, arena: Arena, checks: KernelChecks) -> None:
        self._arena = arena
        self._checks = checks
        self._running: dict[tuple[Launched, int], _Cluster] = {}
        """Maps a launch and the number of a cluster's first block to the cluster."""

    def window(self, buffer: int) -> int:
        """Return the address of a workgroup buffer of the running block."""
        return self._region(self._checks.block, buffer).start

    def mapped(self, address: int, rank: int, site: int) -> int:
        """Return the address that corresponds to `address` in block `rank` of the cluster."""
        launched, region = self._checks.launched, self._arena.find(address)
        windows = self._cluster().windows
        buffer = next((number for (_, number), each in windows.items() if each is region), None)
        size = prod(launched.cluster)
        if region is None or buffer is None or not 0 <= rank < size:
            wrong = "of a buffer that is not in workgroup memory"
            if buffer is not None:
                wrong = f"in block {rank} of a cluster of {size} block{'s' if size > 1 else ''}"
            self._checks.unmapped(site, wrong)
            return address
        block = cluster_of(self._checks.block, launched.grid, launched.cluster)[rank]
        return self._region(block, buffer).start + address - region.start

    def barrier(self) -> int:
        """Return the address of the state of the barrier of the running block's cluster."""
        return ctypes.addressof(self._cluster().barrier)

    def end(self, launched: Launched, block: int) -> None:
        """Free the workgroup memory of a block that has ended; report accesses not ordered before its end.

        The cluster is forgotten after its last block."""
        first = cluster_of(block, launched.grid, launched.cluster)[0]
        cluster = self._running.get((launched, first))
        if cluster is None:
            return
        for number in range(len(launched.shared)):
            region = cluster.windows.get((block, number))
            if region is not None:
                self._checks.ends(region)
                self._arena.free(region, launched.site)
        cluster.running.discard(block)
        if not cluster.running:
            del self._running[launched, first]

    def _cluster(self) -> _Cluster:
        """Return the cluster of the running block."""
        launched = self._checks.launched
        blocks = cluster_of(self._checks.block, launched.grid, launched.cluster)
        key = (launched, blocks[0])
        if key not in self._running:
            threads = prod(launched.block) * len(blocks)
            self._running[key] = _Cluster((ctypes.c_uint32 * 3)(0, 0, threads), set(blocks))
        return self._running[key]

    def _region(self, block: int, buffer: int) -> Region:
        launched, windows = self._checks.launched, self._cluster().windows
        if (block, buffer) not in windows:
            windows[block, buffer] = self._arena.allocate(
                launched.shared[buffer][1], "workgroup", launched.site
            )
        return windows[block, buffer]
