"""The barrier of a cluster of blocks, and workgroup memory that other blocks of the cluster access.

If a module maps addresses of other blocks (`nvvm.mapa`), its workgroup buffers are regions of the arena, one
for each block and buffer, which are checked like global memory. The blocks of a cluster begin together and
run in turns (`waiting.py`).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
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


class Clusters:
    """The workgroup memory of a run's blocks, and their clusters' barriers."""

    def __init__(self, arena: Arena, checks: KernelChecks) -> None:
        self._arena = arena
        self._checks = checks
        self._windows: dict[tuple[Launched, int, int], Region] = {}
        """Maps a launch, the number of a block, and the number of a buffer to the buffer's region."""

        self._owners: dict[int, tuple[Launched, int, int]] = {}
        """Maps the number of a region to its launch, block and buffer."""

        self._barriers: dict[tuple[Launched, int], ctypes.Array[ctypes.c_uint32]] = {}
        """Maps a launch and the number of a cluster's first block to the state of the cluster's barrier."""

    def window(self, buffer: int) -> int:
        """Return the address of a workgroup buffer of the running block."""
        return self._region(self._checks.launched, self._checks.block, buffer).start

    def mapped(self, address: int, rank: int, site: int) -> int:
        """Return the address that corresponds to `address` in block `rank` of the cluster."""
        launched, region = self._checks.launched, self._arena.find(address)
        owner = self._owners.get(region.number) if region is not None else None
        size = prod(launched.cluster)
        if region is None or owner is None or not 0 <= rank < size:
            wrong = "of a buffer that is not in workgroup memory"
            if owner is not None:
                wrong = f"in block {rank} of a cluster of {size} block{'s' if size > 1 else ''}"
            self._checks.unmapped(site, wrong)
            return address
        block = cluster_of(self._checks.block, launched.grid, launched.cluster)[rank]
        return self._region(launched, block, owner[2]).start + address - region.start

    def barrier(self) -> int:
        """Return the address of the state of the barrier of the running block's cluster."""
        launched = self._checks.launched
        key = (launched, cluster_of(self._checks.block, launched.grid, launched.cluster)[0])
        if key not in self._barriers:
            self._barriers[key] = (ctypes.c_uint32 * 3)(0, 0, prod(launched.block) * prod(launched.cluster))
        return ctypes.addressof(self._barriers[key])

    def end(self, launched: Launched, block: int) -> None:
        """Free the workgroup memory of a block that has ended; report accesses not ordered before its end."""
        for number in range(len(launched.shared)):
            region = self._windows.get((launched, block, number))
            if region is not None:
                self._checks.ends(region)
                self._arena.free(region, launched.site)

    def _region(self, launched: Launched, block: int, buffer: int) -> Region:
        key = (launched, block, buffer)
        if key not in self._windows:
            region = self._arena.allocate(launched.shared[buffer][1], "workgroup", launched.site)
            self._windows[key] = region
            self._owners[region.number] = key
        return self._windows[key]
