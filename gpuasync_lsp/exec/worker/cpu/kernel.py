"""A kernel compiled for the CPU, and the launch limits that a GPU would apply to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from gpuasync_lsp.exec.worker.byte_counts import in_bytes
from gpuasync_lsp.exec.worker.cpu.parts import Part
from gpuasync_lsp.exec.worker.cpu.waiting import Steps

Extents = tuple[int, int, int]

Entry = Callable[[int, int], None]
"""Runs blocks, given the addresses of the parameter array and of the geometry.

The geometry has nine i64, the bytes of dynamic shared memory, and the range of blocks (first, end)."""

MAX_THREADS = 1024
MAX_SHARED = 227 * 1024
MAX_STATIC_SHARED = 48 * 1024
"""The limit of ptxas for static shared memory, in bytes."""

MAX_PRIVATE = 512 * 1024
"""The maximum local memory per thread in bytes (CUDA C++ Programming Guide, technical specifications)."""

MAX_CLUSTER = 8
"""The maximum number of blocks per cluster that every GPU with clusters supports."""


_DECLARED = re.compile(r'^define [^@\n]*@"?([^"(\n]+)"?\(([^\n]*)', re.MULTILINE)
_SIZES = re.compile(r'"nvvm\.(\w+)"="([\d,]+)"')


def declared_sizes(ir: str) -> dict[str, dict[str, Extents]]:
    """Return the launch sizes that each function declares in attributes `"nvvm.NAME"="x,y,z"`."""
    found: dict[str, dict[str, Extents]] = {}
    for name, attributes in _DECLARED.findall(ir):
        for kind, text in _SIZES.findall(attributes):
            x, y, z = [*map(int, text.split(",")), 1, 1][:3]
            found.setdefault(name, {})[kind] = (x, y, z)
    return found


@dataclass(frozen=True)
class CpuKernel:
    """A compiled kernel."""

    name: str
    call: Entry

    parameter_sizes: tuple[int, ...]
    shared_bytes: int
    """Static shared memory in bytes."""

    buffers: tuple[tuple[int, int], ...] = ()
    """Address and size of each workgroup buffer of the kernel's module."""

    unit: int | None = None
    """The base-2 logarithm of the size of a shadow memory cell; None without shadow memory."""

    copy: Callable[[Part], Entry] | None = None
    """Links another copy of the kernel, for one more core; None if the kernel's blocks must run in order."""

    private_bytes: int = 0
    """The total size of a thread's static variables, in bytes."""

    steps: Steps | None = None
    """Replaces `call` for a kernel whose threads wait for other threads."""

    waits_for_last: bool = False
    """Whether the kernel contains a `griddepcontrol.wait`."""

    triggers_early: bool = False
    """Whether dependent launches may begin before this kernel waits for the previous one."""

    declared: Mapping[str, Extents] = field(default_factory=dict[str, Extents])
    """Maps the names `reqntid`, `maxntid` and `cluster_dim` to the launch sizes that the kernel declares."""


def launch_problem(
    kernel: CpuKernel, cluster: Extents, grid: Extents, block: Extents, shared: int
) -> str | None:
    """Return the error of a launch with `shared` bytes of dynamic memory; None if a GPU accepts it."""
    error = "CUDA_ERROR_INVALID_VALUE"
    threads = prod(block)
    required, most = kernel.declared.get("reqntid", block), kernel.declared.get("maxntid", block)
    if min(*grid, *block) < 1:
        problem = f"a grid of {grid} blocks of {block} threads has no threads"
    elif threads > MAX_THREADS or block[2] > 64:
        problem = f"a block of {block} threads is over the limit of {MAX_THREADS} threads (z: 64)"
    elif grid[0] >= 2**31 or max(grid[1:]) > 65535:
        problem = f"a grid of {grid} blocks is over the limit of (2147483647, 65535, 65535)"
    elif kernel.shared_bytes > MAX_STATIC_SHARED:
        size, limit = in_bytes(kernel.shared_bytes), in_bytes(MAX_STATIC_SHARED)
        problem = f"@{kernel.name} declares {size} of shared memory, but ptxas accepts at most {limit}"
    elif kernel.private_bytes > MAX_PRIVATE:
        size, limit = in_bytes(kernel.private_bytes), in_bytes(MAX_PRIVATE)
        problem = f"the variables of a thread of @{kernel.name} take {size}, but the limit is {limit}"
    elif block != required:
        problem = f"@{kernel.name} declares blocks of {required} threads, and the launch has {block}"
    elif threads > prod(most):
        problem = f"@{kernel.name} declares blocks of at most {most} threads, and the launch has {block}"
    elif min(cluster) < 1 or any(n % c for n, c in zip(grid, cluster, strict=True)):
        error = "CUDA_ERROR_INVALID_CLUSTER_SIZE"
        problem = f"a grid of {grid} blocks cannot be divided into clusters of {cluster}"
    elif prod(cluster) > MAX_CLUSTER:
        error = "CUDA_ERROR_INVALID_CLUSTER_SIZE"
        problem = f"a cluster of {cluster} blocks is over the limit of {MAX_CLUSTER} blocks"
    elif shared < 0 or shared + kernel.shared_bytes > MAX_SHARED:
        size, limit = in_bytes(shared + kernel.shared_bytes), in_bytes(MAX_SHARED)
        problem = f"{size} of shared memory are over the limit of {limit}"
    else:
        return None
    return f"{error}: {problem}"
