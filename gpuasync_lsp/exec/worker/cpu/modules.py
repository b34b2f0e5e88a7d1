"""Loads kernel modules on the CPU, finds kernels in them, and launches the kernels."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection
from math import prod

from gpuasync_lsp.exec.worker.cpu.cores import Cores
from gpuasync_lsp.exec.worker.cpu.device import Device
from gpuasync_lsp.exec.worker.cpu.kernel import MAX_SHARED, CpuKernel, launch_problem
from gpuasync_lsp.exec.worker.cpu.kernels.clusters import Clusters
from gpuasync_lsp.exec.worker.cpu.kernels.findings import Launched
from gpuasync_lsp.exec.worker.cpu.races import Actor
from gpuasync_lsp.exec.worker.cpu.waiting import Grid
from gpuasync_lsp.exec.worker.state import STATE


class Modules:
    """The modules of one run. `load_kernels` returns a module's kernels, given the module's name."""

    def __init__(
        self,
        device: Device,
        load_kernels: Callable[[str], dict[str, CpuKernel]],
        cores: Cores,
        clusters: Clusters,
        dependent: Collection[int] = (),
    ) -> None:
        """`dependent` contains the sites of launches with `use_pdl`."""
        self.device = device
        self._load = load_kernels
        self._cores = cores
        self._clusters = clusters
        self._dependent = frozenset(dependent)
        self.has_launched = False
        self._functions: dict[int, CpuKernel] = {}

    def load(self, blob: int) -> int:
        """Load the kernel module whose name is in a blob."""
        name = ctypes.string_at(blob).decode().removeprefix("gpuasync:")
        return self.device.handles.new_module(name).handle

    def unload(self, handle: int) -> None:
        """Unload a module."""
        module = self.device.handles.module(handle)
        if module is None or module.unloaded_at is not None:
            self.device.findings.add(
                "invalid-handle",
                "error",
                self.device.here(),
                f"unloads {self.device.handles.describe(handle)}",
            )
            return
        module.unloaded_at = self.device.here()
        pending = [
            t for s in self.device.streams for t in s.queue if t.label.startswith(f"kernel @{module.name}::")
        ]
        if pending:
            self.device.findings.add(
                "unloaded-module",
                "warning",
                self.device.here(),
                "the kernel's module is unloaded while the launch may still be running",
                ((pending[0].site, "launched here"),),
            )

    def function(self, handle: int, name: int) -> int:
        """Return the handle of a kernel of a module, by its name."""
        module = self.device.handles.module(handle)
        if module is None or module.unloaded_at is not None:
            self.device.findings.add(
                "invalid-handle",
                "error",
                self.device.here(),
                f"uses {self.device.handles.describe(handle)} as a module",
            )
            return 0
        entry = ctypes.string_at(name).decode()
        kernels = self._load(module.name)
        if any(each.steps is not None for each in kernels.values()):
            self.device.checks.expect_company()
        kernel = kernels.get(entry)
        if kernel is None:
            self.device.findings.add(
                "unknown-kernel", "error", self.device.here(), f"module @{module.name} has no kernel @{entry}"
            )
            return 0
        for known, function in self._functions.items():
            if function is kernel and self.device.handles.module(known) is module:
                return known
        result = self.device.handles.new_function(module)
        self._functions[result] = kernel
        return result

    def launch(
        self,
        function: int,
        cluster: tuple[int, int, int],
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: int,
        handle: int,
        parameters: int,
    ) -> None:
        """Launch a kernel on a stream; report a call that CUDA rejects, and do nothing else for it."""
        kernel = self._functions.get(function)
        if kernel is None:
            self.device.findings.add(
                "invalid-handle",
                "error",
                self.device.here(),
                f"launches {self.device.handles.describe(function)} as a kernel",
            )
            return
        stream = self.device.stream(handle, "mgpuLaunchKernel")
        module = self.device.handles.module(function)
        assert module is not None
        if module.unloaded_at is not None:
            self.device.findings.add(
                "invalid-handle",
                "error",
                self.device.here(),
                f"launches @{kernel.name} of a module that has been unloaded: the call does nothing",
                ((module.unloaded_at, "unloaded here"),),
            )
            return
        if stream is None:
            return
        if prod(cluster) == 1:
            cluster = kernel.declared.get("cluster_dim", cluster)
        problem = launch_problem(kernel, cluster, grid, block, shared)
        if problem is not None:
            self.device.findings.add("invalid-launch", "error", self.device.here(), problem)
            return
        pointers = (ctypes.c_uint64 * max(len(kernel.parameter_sizes), 1)).from_address(parameters)
        offsets: list[int] = []
        total = 0
        for size in kernel.parameter_sizes:
            total = (total + 15) & ~15
            offsets.append(total)
            total += size
        values = ctypes.create_string_buffer(max(total, 1))
        array = (ctypes.c_uint64 * max(len(offsets), 1))()
        for number, (size, offset) in enumerate(zip(kernel.parameter_sizes, offsets, strict=True)):
            ctypes.memmove(ctypes.addressof(values) + offset, pointers[number], size)
            array[number] = ctypes.addressof(values) + offset
        # The launch determines the size of dynamic shared memory, up to MAX_SHARED.
        buffers = tuple((start, shared if size == MAX_SHARED else size) for start, size in kernel.buffers)
        geometry = (ctypes.c_int64 * 12)(*grid, *block, *cluster, shared, 0, prod(grid))

        def run(actor: Actor) -> None:
            STATE.set_early(actor.early is not None)
            self.device.memory.begin_kernel(kernel.unit)
            self.device.checks.begin(
                Launched(grid, block, actor.site, buffers, name=actor.label, actor=actor)
            )
            self._cores.run(kernel, ctypes.addressof(array), geometry, self.device.findings)
            _ = values  # Keeps the values alive: the parameter array points to them.
            self.device.memory.note_kernel(actor)

        self.has_launched = True
        label = f"kernel @{module.name}::@{kernel.name}"
        if kernel.steps is None:
            is_dependent = self.device.here() in self._dependent
            self.device.work(stream, label, run, kernel=kernel, is_dependent=is_dependent)
            return
        launched = Launched(grid, block, self.device.here(), buffers, waits=True, cluster=cluster)
        waiting = Grid(
            kernel.steps,
            ctypes.addressof(array),
            ctypes.addressof(geometry),
            grid,
            cluster,
            prod(block),
            kernel.unit,
            self.device.checks.mute,
            lambda number: self.device.checks.turn(launched, number),
            lambda number: self._clusters.end(launched, number),
        )
        self.device.work_in_steps(
            stream,
            label,
            waiting,
            launched,
            (values, array, geometry),
        )
