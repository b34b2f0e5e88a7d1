"""Compiles kernels for the CPU: converts LLVM IR for NVPTX to machine code of the host.

Special registers become arguments (`registers.py`). If a block's threads synchronize (barriers, shuffles,
votes), a thread is an LLVM coroutine that suspends (`suspensions.py`), and a driver in IR resumes the threads
of a block one after another (`drivers.py`); otherwise a thread is a plain call. Device functions are inlined
first. Loads, stores and atomics on global and shared memory are checked (`memory_code.py`). Shared memory
consists of `addrspace(3)` globals, because a module runs one block at a time; for each additional core the
same code is linked again (`cores.py`).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from functools import partial

from gpuasync_lsp.exec.worker.cpu.arena import Arena
from gpuasync_lsp.exec.worker.cpu.checks import (
    BLOCK_NOW,
    DYNAMIC_SHARED,
    DYNAMIC_SIZE,
    PRIVATE_CHECK,
    device_check,
    shared_check,
)
from gpuasync_lsp.exec.worker.cpu.kernel import MAX_SHARED, CpuKernel, Entry, declared_sizes
from gpuasync_lsp.exec.worker.cpu.kernels.clusters import CLUSTER_FUNCTIONS, MAPS, with_windows
from gpuasync_lsp.exec.worker.cpu.kernels.drivers import steps
from gpuasync_lsp.exec.worker.cpu.kernels.findings import KernelChecks
from gpuasync_lsp.exec.worker.cpu.kernels.private_memory import PRIVATE_FUNCTIONS
from gpuasync_lsp.exec.worker.cpu.kernels.rewriter import Rewriter, declared_name
from gpuasync_lsp.exec.worker.cpu.kernels.shadow import shadow_code
from gpuasync_lsp.exec.worker.cpu.kernels.shadow_ir import UNCHECKED
from gpuasync_lsp.exec.worker.cpu.kernels.shared_memory import SharedPlaces
from gpuasync_lsp.exec.worker.cpu.kernels.synchronization import (
    POLLED,
    SYNCHRONIZATION_SITE,
    SYNCHRONIZATION_STATE,
    WHERE,
    synchronization_functions,
)
from gpuasync_lsp.exec.worker.cpu.mappings import Mappings
from gpuasync_lsp.exec.worker.cpu.parts import Part
from gpuasync_lsp.exec.worker.cpu.waiting import STEP_FUNCTIONS, Steps, Switch, start_function
from gpuasync_lsp.exec.worker.jit import Jit, host_machine, inline_marked, optimize, parse, to_object

Callbacks = Mapping[str, int]
"""The addresses of callbacks for generated code: `gpuasync_device_slow`, ..., and `vprintf`."""

_REGIONS = "@gpuasync.regions"
"""The symbol of the region table (`checks.py`) of the core that runs the code."""

_OF_A_CORE = "".join(f"{name} = external global i8\n" for name in (SYNCHRONIZATION_SITE, WHERE, _REGIONS))


def compile_kernels(
    jit: Jit,
    ir: str,
    arena: Arena,
    mappings: Mappings,
    synchronization_address: int,
    callbacks: Callbacks,
    checks: KernelChecks,
    *,
    check: bool,
) -> dict[str, CpuKernel]:
    """Compile the kernels of one module; return them by name. `check` adds shadow memory (`shadow.py`).

    Raises `UnsupportedKernel` with the missing feature, or `CompileError` with LLVM's message."""
    module = parse(_host_flavor(ir))
    layout = host_machine().target_data
    shared = {
        str(g).split(" ", 1)[0]: layout.get_abi_size(g.global_value_type)
        for g in module.global_variables
        if "addrspace(3)" in str(g)
    }
    places = SharedPlaces(shared)
    windows = MAPS in ir
    if windows:
        numbers = list(places.offsets)
        own = {name: numbers.index(name if size else DYNAMIC_SHARED) for name, size in shared.items()}
        module = parse(with_windows(_host_flavor(ir), own))
    inline_marked(module)
    rewritten = Rewriter(str(module), places, check=check, windows=windows)
    units = rewritten.units
    moves = UNCHECKED
    if check:
        moves = shadow_code(
            checks.state, arena, units.device, units.shared, places.size, copies=rewritten.copies
        )
    code = (
        rewritten.text()
        + synchronization_functions()
        + CLUSTER_FUNCTIONS
        + _OF_A_CORE
        + moves
        + places.definition()
        + PRIVATE_CHECK
        + (PRIVATE_FUNCTIONS if check else "")
        + device_check(arena, mappings, _REGIONS, checks.repeats)
        + shared_check(shared)
    )
    waits = any(kernel.waits for kernel in rewritten.kernels)
    state = {
        WHERE: ctypes.sizeof(checks.where),
        POLLED: 8 * len(checks.where),
        **SYNCHRONIZATION_STATE,
        DYNAMIC_SIZE: 8,
        BLOCK_NOW: 8,
        "addrspacecast (ptr addrspace(3) @gpuasync.shared to ptr)": places.size,
    }
    if waits:
        code += steps(state)
    optimized = parse(_once_declared(code))
    optimize(optimized)
    exports = [f"gpuasync.{'start' if k.waits else 'run'}.{k.name}" for k in rewritten.kernels]
    exports += ["gpuasync.shared.address", *(STEP_FUNCTIONS if waits else ())]
    machine_code = to_object(optimized)

    def link(core: int, synchronization: int, where: int) -> dict[str, int]:
        of_core = {SYNCHRONIZATION_SITE: synchronization, WHERE: where, _REGIONS: arena.table(core)}
        own = {name.removeprefix("@"): address for name, address in of_core.items()}
        return jit.link_object(machine_code, exports, {**callbacks, **own})

    addresses = link(0, synchronization_address, ctypes.addressof(checks.where))
    of_parts: dict[int, dict[str, int]] = {}

    def copy(export: str, part: Part) -> Entry:
        if part.number not in of_parts:
            synchronization, where = ctypes.addressof(part.synchronization), ctypes.addressof(part.where)
            of_parts[part.number] = link(part.number, synchronization, where)
        return _entry(of_parts[part.number][export])

    begin = ctypes.CFUNCTYPE(ctypes.c_uint64)(addresses["gpuasync.shared.address"])()
    buffers = tuple((begin + place, shared.get(name, MAX_SHARED)) for name, place in places.offsets.items())
    switch = Switch(addresses, sum(state.values())) if waits else None
    apart = not check and _blocks_are_apart(ir)
    declared = declared_sizes(ir)
    kernels: dict[str, CpuKernel] = {}
    for kernel, export in zip(rewritten.kernels, exports, strict=False):
        function = module.get_function(kernel.name)
        sizes = tuple(layout.get_abi_size(a.type) for a in function.arguments)
        used = sum(size for name, size in shared.items() if windows or name in kernel.mentions)
        unit = units.device if check else None
        waiting = Steps(start_function(addresses[export]), switch) if kernel.waits and switch else None
        kernels[kernel.name] = CpuKernel(
            kernel.name,
            _entry(addresses[export]) if not kernel.waits else _never,
            sizes,
            used,
            buffers,
            unit,
            copy=partial(copy, export) if apart else None,
            private_bytes=kernel.private_bytes,
            steps=waiting,
            waits_for_last=kernel.waits_for_last,
            triggers_early=kernel.triggers_early,
            declared=declared.get(kernel.name, {}),
        )
    return kernels


def _blocks_are_apart(ir: str) -> bool:
    """Return whether blocks of these kernels may run concurrently without changing the results.

    They may not if blocks can observe each other through atomic accesses to global memory, or if the
    order of blocks is visible (output, heap memory, persistent variables). (Racing blocks have no
    unique result anyway.)"""

    def together(line: str) -> bool:
        if any(name in line for name in ("@vprintf", "@malloc", "@aligned_alloc", "@free")):
            return True
        atomic = any(word in line for word in (" atomicrmw ", " cmpxchg ", " atomic "))
        return atomic and "ptr addrspace(3)" not in line

    return not has_state(ir) and not any(map(together, ir.splitlines()))


def has_state(ir: str) -> bool:
    """Return whether a kernel module has variables that keep their values between launches."""
    return re.search(r"^@\S+ = (?!.*addrspace\(3\))(?!.*constant).* global ", ir, re.MULTILINE) is not None


def _never(parameters: int, geometry: int) -> None:
    raise AssertionError("a kernel whose threads wait is run in steps")


def _once_declared(code: str) -> str:
    """Remove duplicate declarations, which occur because each piece of support code declares its callees."""
    seen: set[str] = set()
    kept: list[str] = []
    for line in code.splitlines():
        if line.startswith("declare "):
            name = declared_name(line)
            if name in seen:
                continue
            seen.add(name)
        kept.append(line)
    return "\n".join(kept)


def _entry(address: int) -> Entry:
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)


def _host_flavor(ir: str) -> str:
    """Remove the NVPTX target, and mark device functions for inlining."""
    out: list[str] = []
    for line in ir.splitlines():
        if line.startswith("target "):
            continue
        if line.startswith("define ") and "ptx_kernel" not in line:
            line = line[: line.rindex("{")] + "alwaysinline {"
        out.append(line)
    return "\n".join(out)
