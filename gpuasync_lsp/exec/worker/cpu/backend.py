"""The CPU backend: arena, checked accesses, and kernels compiled to coroutines."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping

from gpuasync_lsp.exec.program import Program, RunOptions
from gpuasync_lsp.exec.worker.byte_counts import in_bytes
from gpuasync_lsp.exec.worker.callbacks import Callbacks
from gpuasync_lsp.exec.worker.cpu.arena import Arena, OutOfMemory, Region
from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, EARLY, READ, WRITE, decoded, encoded, host_check
from gpuasync_lsp.exec.worker.cpu.cores import Cores
from gpuasync_lsp.exec.worker.cpu.device import Device
from gpuasync_lsp.exec.worker.cpu.kernel import MAX_PRIVATE, CpuKernel
from gpuasync_lsp.exec.worker.cpu.kernels.clusters import Clusters
from gpuasync_lsp.exec.worker.cpu.kernels.compilation import compile_kernels, has_state
from gpuasync_lsp.exec.worker.cpu.kernels.findings import KernelChecks
from gpuasync_lsp.exec.worker.cpu.kernels.printf import formatted
from gpuasync_lsp.exec.worker.cpu.kernels.private_memory import ENDED
from gpuasync_lsp.exec.worker.cpu.mappings import Mappings
from gpuasync_lsp.exec.worker.cpu.modules import Modules
from gpuasync_lsp.exec.worker.cpu.runtime import CpuRuntime
from gpuasync_lsp.exec.worker.cpu.stack import HostStack
from gpuasync_lsp.exec.worker.cpu.streams import adversarial
from gpuasync_lsp.exec.worker.findings import NO_SITE, Findings
from gpuasync_lsp.exec.worker.host.library import I32, I64, HostLibrary, P, write
from gpuasync_lsp.exec.worker.host.variables import place_globals
from gpuasync_lsp.exec.worker.jit import CompileError, Jit
from gpuasync_lsp.exec.worker.rejection import RunRejected
from gpuasync_lsp.exec.worker.runtime_functions import body_functions
from gpuasync_lsp.exec.worker.session import kernel_text
from gpuasync_lsp.exec.worker.state import STATE
from gpuasync_lsp.exec.worker.timed import Timed
from gpuasync_lsp.exec.worker.unsupported import UnsupportedKernel
from gpuasync_lsp.exec.worker.untyped import Function

_WORD = (1 << 64) - 1
_VERBS = {READ: "reads", WRITE: "writes", ATOMIC: "updates"}


def _allowed(address: int, size: int, kind: int, site: int, who: str) -> bool:
    return True


class CpuBackend:
    """Implements `session.Backend`."""

    name = "cpu"
    checked = True
    note = ""

    def __init__(self, jit: Jit, program: Program, options: RunOptions) -> None:
        """Compile every kernel of `program`.

        Raises `RunRejected` for a kernel that cannot run on a CPU, or if the system limits the address space
        (`ulimit -v`)."""
        self._jit = jit
        self._program = program
        self._options = options
        try:
            self._arena = Arena(
                options.memory_limit, kernels_take_host_memory=program.kernels_take_host_memory
            )
        except OSError as error:
            raise RunRejected(str(error)) from error
        self._mappings = Mappings()
        self._callbacks = Callbacks(lock=threading.Lock())
        self._runtime: CpuRuntime | None = None
        self._checks = KernelChecks(
            self._arena, dict(program.accessed), lambda: self._device.findings, program.barriers
        )
        self._clusters = Clusters(self._arena, self._checks)
        self._globals: list[Region] = []
        """The global variables of the host program that are in the arena."""

        self._addresses = self._callbacks.bind(
            {
                "gpuasync_accessor": (None, (I64, I32), self._checks.accessing),
                "gpuasync_device_slow": (P, (P, I64, I32), self._device_slow),
                "gpuasync_device_block": (I64, (P, I64, I32), self._device_block),
                "gpuasync_early": (None, (P, I64, I32), self._early),
                "gpuasync_shared_slow": (P, (P, I64, I32), self._shared_slow),
                "gpuasync_division": (None, (I32,), self._division),
                "gpuasync_variable": (None, (I64, I32, I32), self._variable),
                "gpuasync_short": (None, (I32, I32, I32), self._checks.short_of),
                "gpuasync_stuck": (None, (), self._checks.stuck),
                "gpuasync_private_slow": (P, (I64, I64, I64, I32), self._private_slow),
                "gpuasync_private_unwritten": (None, (I64, I64, I64, I32, I32), self._private_unwritten),
                "gpuasync_race": (None, (I64, I64, I64, I64), self._race),
                "gpuasync_synchronized": (None, (I64, I32), self._checks.synchronized),
                "gpuasync_uninitialized": (None, (I64, I64), self._uninitialized),
                "gpuasync_window": (I64, (I32,), self._clusters.window),
                "gpuasync_mapa": (I64, (I64, I32, I32), self._clusters.mapped),
                "gpuasync_cluster": (I64, (), self._clusters.barrier),
                "gpuasync_divergent": (None, (I32, I32), self._checks.divergent_barrier),
                "gpuasync_divergent_warp": (None, (I32, I32, I32), self._divergent_warp),
                "gpuasync_assert": (None, (P, *[I32] * 7), self._assertion_failed),
                "vprintf": (I32, (P, P), self._printf),
            }
        )
        self._addresses[EARLY.removeprefix("@")] = STATE.early_address
        self._kernels: dict[str, dict[str, CpuKernel]] = {}
        self._stack = HostStack(self._arena, _allowed)

        self._compile()

    def begin(self, findings: Findings, order: str) -> CpuRuntime:
        """Start a run with new streams and reinitialized kernel variables."""
        if self._runtime is not None:
            self._compile(stateful_only=True)
        for region in self._globals:
            self._arena.register(region, False)
        device = Device(
            self._arena,
            findings,
            STATE.site,
            STATE.watch,
            self._checks,
            order,
            self._options.synchronous,
            running_at=STATE.set_launch,
            mapped=self._mappings.may,
        )
        self._runtime = CpuRuntime(
            device,
            Modules(device, self._kernels.__getitem__, Cores(), self._clusters, self._program.dependent),
        )
        self._checks.begin_run()
        self._stack = HostStack(self._arena, device.memory.host_access)
        STATE.watch(False)
        return self._runtime

    def orders(self) -> list[str]:
        """Return the stream orders that are most likely to expose a race of the previous run."""
        return adversarial(len(self._device.streams))

    def library(self, findings: Findings) -> HostLibrary:
        """Return the host functions; their malloc allocates in the arena."""
        return HostLibrary(STATE.site, self._device.memory.host_access, findings, self._arena)

    def extra_functions(self) -> Mapping[str, Function]:
        """Return the slow paths of host accesses, and the callbacks for the bodies of async.execute."""
        return {
            "gpuasync_host_slow": (P, (P, I64, I32), self._host_slow),
            "gpuasync_stack": (P, (P, I64, I32), self._stack.allocate),
            "gpuasync_stack_end": (None, (I64, I32), self._stack.release),
            "gpuasync_host_block": (I64, (P, I64, I32), self._host_block),
            **body_functions(
                {
                    "gpuasync_body_begin": self._device.begin_body,
                    "gpuasync_body_end": self._device.end_body,
                    "gpuasync_body_await": self._device.wait_for_body,
                    "gpuasync_group_create": self._device.host.create_group,
                    "gpuasync_group_add": self._device.host.add_to_group,
                    "gpuasync_group_await": self._device.wait_for_group,
                }
            ),
        }

    def host_code(self, text: str) -> str:
        """Return the access check for the host, followed by the host's IR with its variables in the arena."""
        text = place_globals(text, self._allocate_global)
        return host_check(self._arena, self._mappings, STATE.watch_address, self._checks.repeats) + text

    def allocate(self, site: int, size: int) -> int:
        """Return memory for an argument at `site`."""
        origin = "managed" if self._options.shares_arguments(self._program) else "argument"
        region = self._arena.allocate(size, origin, site)
        region.is_given = True
        return region.start

    def _allocate_global(self, size: int) -> int | None:
        try:
            region = self._arena.allocate(size, "host", NO_SITE)
        except OutOfMemory:
            return None
        self._globals.append(region)
        return region.start

    def settle(self) -> None:
        """Do nothing, because the host may read memory at any time."""

    def finish(self, idle: float) -> list[Timed]:
        """Finish pending work and report leaks; return the timeline."""
        self._device.idle(idle)
        self._current().end()
        self._checks.repeats.settle()
        if self._callbacks.error is not None:
            raise self._callbacks.error
        return self._device.operations

    def _current(self) -> CpuRuntime:
        assert self._runtime is not None
        return self._runtime

    @property
    def _device(self) -> Device:
        return self._current().device

    def _compile(self, stateful_only: bool = False) -> None:
        for kernel in self._program.kernels:
            ir = kernel_text(kernel)
            if stateful_only and not has_state(ir):
                continue
            try:
                self._kernels[kernel.name] = self._compiled(ir)
            except UnsupportedKernel as error:
                raise RunRejected(f"@{kernel.name} cannot run on the CPU: {error}", error.site) from error
            except CompileError as error:
                raise RunRejected(f"LLVM rejects the kernels of @{kernel.name}: {error}") from error

    def _compiled(self, ir: str) -> dict[str, CpuKernel]:
        return compile_kernels(
            self._jit,
            ir,
            self._arena,
            self._mappings,
            STATE.synchronization_address,
            self._addresses,
            self._checks,
            check=self._options.check,
        )

    def _device_slow(self, address: int, size: int, what: int) -> int:
        site, kind, alignment = decoded(what)
        who = self._checks.accessor()
        ok = self._device.memory.device_access(address, size, kind, site, alignment, who, self._checks.place)
        return address if ok else self._checks.repeats.reported(what, self._device.findings)

    def _early(self, address: int, size: int, what: int) -> None:
        self._device.memory.early_access(address, size, decoded(what)[1])

    def _shared_slow(self, address: int, size: int, what: int) -> int:
        site, kind, alignment = decoded(what)
        verb = _VERBS[kind]
        if address % alignment:
            self._device.findings.add(
                "misaligned-address",
                "error",
                site,
                f"{self._checks.accessor()} {verb} {in_bytes(size)} of shared memory at an address that "
                f"is not a multiple of {alignment} (CUDA_ERROR_MISALIGNED_ADDRESS on a GPU)",
                ((STATE.launch(), "launched here"),),
            )
            return self._checks.repeats.reported(what, self._device.findings)
        self._device.findings.add(
            "out-of-bounds",
            "error",
            site,
            f"{self._checks.accessor()} {verb} {self._checks.outside_shared(address, size, site)}",
            ((STATE.launch(), "launched here"),),
        )
        return self._checks.repeats.reported(what, self._device.findings)

    def _private_slow(self, offset: int, room: int, size: int, what: int) -> int:
        site, kind, _ = decoded(what)
        self._checks.outside_private(size, room, offset, site, _VERBS[kind])
        return self._checks.repeats.reported(what, self._device.findings)

    def _private_unwritten(self, offset: int, room: int, size: int, what: int, state: int) -> None:
        site, kind, _ = decoded(what)
        if state == ENDED:
            self._checks.ended_private(offset, room, site, _VERBS[kind])
        else:
            self._checks.unwritten_private(offset, room, site)
        self._checks.repeats.reported(what, self._device.findings)

    def _host_slow(self, address: int, size: int, what: int) -> int:
        site, kind, _ = decoded(what)
        ok = self._device.memory.host_access(address, size, kind, site)
        return address if ok else self._checks.repeats.reported(what, self._device.findings)

    def _host_block(self, address: int, size: int, what: int) -> int:
        """Return `size` if the host may access that many bytes, otherwise 0."""
        site, kind, _ = decoded(what)
        return size if size == 0 or self._device.memory.host_access(address, size, kind, site) else 0

    def _device_block(self, address: int, size: int, what: int) -> int:
        """Return `size` if a kernel may access that many bytes, otherwise 0."""
        site, kind, _ = decoded(what)
        return size if size == 0 or self._device.memory.device_access(address, size, kind, site) else 0

    def _division(self, site: int) -> None:
        self._device.findings.add(
            "division-without-quotient",
            "error",
            site,
            f"{self._checks.accessor()} divides an integer by zero, or the smallest by -1: on a GPU the "
            "result is undefined",
            ((STATE.launch(), "launched here"),),
        )
        self._checks.repeats.reported(encoded(site, READ), self._device.findings)

    def _variable(self, count: int, size: int, site: int) -> None:
        total, most = in_bytes((count & _WORD) * size), in_bytes(MAX_PRIVATE)
        self._device.findings.add(
            "invalid-launch",
            "error",
            site,
            f"this variable of a thread takes {total}, but at most {most} is available: accesses to it "
            "are skipped",
            ((STATE.launch(), "launched here"),),
        )
        self._checks.repeats.reported(encoded(site, READ), self._device.findings)

    def _race(self, address: int, old: int, new: int, quiet: int) -> None:
        self._checks.race(address & _WORD, old & _WORD, new & _WORD, quiet)

    def _uninitialized(self, address: int, word: int) -> None:
        self._checks.uninitialized(address & _WORD, word & _WORD)

    def _divergent_warp(self, site: int, warp: int, missing: int) -> None:
        self._checks.divergent_warp(site, warp, missing & 0xFFFFFFFF)

    def _assertion_failed(self, message: int, site: int, *indices: int) -> None:
        text = ctypes.string_at(message).decode("utf-8", "replace")
        self._device.findings.add(
            "assertion-failed",
            "error",
            site,
            f"the assertion {text!r} fails in thread {indices[3:]} of block {indices[:3]} "
            "(CUDA_ERROR_ASSERT on a GPU)",
            ((STATE.launch(), "launched here"),),
        )
        self._checks.repeats.reported(encoded(site, READ), self._device.findings)

    def _printf(self, format_address: int, arguments: int) -> int:
        text = formatted(ctypes.string_at(format_address).decode("utf-8", "replace"), arguments)
        write(text)
        return len(text)
