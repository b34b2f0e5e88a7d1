"""Rewrites a kernel module's printed NVPTX IR, line by line, into functions for the host."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.checks import BLOCK_NOW, DYNAMIC_SIZE, THREAD_NOW
from gpuasync_lsp.exec.worker.cpu.kernels import matrices, registers
from gpuasync_lsp.exec.worker.cpu.kernels.bodies import (
    ASSERT_FAIL,
    BODY_FUNCTIONS,
    Body,
    ModuleFacts,
    first_label,
    is_synchronization,
)
from gpuasync_lsp.exec.worker.cpu.kernels.clusters import uses_cluster
from gpuasync_lsp.exec.worker.cpu.kernels.drivers import driver
from gpuasync_lsp.exec.worker.cpu.kernels.libdevice import host_name
from gpuasync_lsp.exec.worker.cpu.kernels.memory_code import Units
from gpuasync_lsp.exec.worker.cpu.kernels.shared_memory import SharedPlaces
from gpuasync_lsp.exec.worker.cpu.kernels.spinning import spinning
from gpuasync_lsp.exec.worker.cpu.kernels.suspensions import COROUTINE_FUNCTIONS, Suspensions, coroutine
from gpuasync_lsp.exec.worker.host.program import split_arguments
from gpuasync_lsp.exec.worker.unsupported import UnsupportedKernel

_DEFINE = re.compile(r"define ([^@]*)@(\"[^\"]+\"|[\w.$-]+)\((.*)\)([^()]*)\{")
_SYMBOL = re.compile(r"@(?:\"[^\"]+\"|[\w.$-]+)")
_GROUP = re.compile(r" #\d+$")
_ATTRIBUTE = re.compile(
    r" (?:noalias|nocapture|readonly|writeonly|readnone|noundef|nonnull|captures\(|align )"
)
"""Matches the first attribute of a kernel parameter, after the type."""
_CONTROL = re.compile(r"@llvm\.nvvm\.griddepcontrol\.(wait|launch)")
_LEFT_OUT = ("attributes ", "!", "source_filename", "target ", ";")
"""Prefixes of lines that are dropped."""


@dataclass(frozen=True)
class RewrittenKernel:
    """A kernel that has been rewritten into a function that runs one thread."""

    name: str
    parameters: list[str]
    """The parameters with their types, such as `ptr %a`."""

    meets: bool
    """Whether the kernel's threads synchronize, and are therefore coroutines."""

    waits: bool
    """Whether the kernel's threads wait in loops for writes by others, or for the blocks of their cluster."""

    private_bytes: int
    """The total size of a thread's variables of static size, in bytes."""

    mentions: frozenset[str]
    """The symbols that the kernel's body uses."""

    waits_for_last: bool
    """Whether the kernel, in a dependent launch, waits for the previous kernel."""

    triggers_early: bool
    """Whether the kernel's text launches dependents before it waits for the previous kernel."""


class Rewriter:
    """Rewrites a module's printed IR; `check` enables race detection."""

    def __init__(self, text: str, places: SharedPlaces, *, check: bool, windows: bool = False) -> None:
        """`windows` puts workgroup memory into the arena (`clusters.py`)."""
        self.kernels: list[RewrittenKernel] = []
        self.copies = False
        """Whether the module has asynchronous copies that are checked for races."""
        self._places = places
        self._check = check
        self._module = ModuleFacts(text, places.sizes, windows=windows)
        self._out: list[str] = []
        self._rewrite(text.splitlines())

    @property
    def units(self) -> Units:
        """The minimum access sizes of the module."""
        return self._module.units

    def text(self) -> str:
        """Return the rewritten module's IR."""
        drivers = [driver(k.name, k.parameters, meets=k.meets, waits=k.waits) for k in self.kernels]
        size = f"\n{DYNAMIC_SIZE} = internal global i64 0\n{BLOCK_NOW} = internal global i64 0"
        size += f"\n{THREAD_NOW} = internal global i32 0"
        support = f"{matrices.MATRIX_FUNCTIONS}{size}{COROUTINE_FUNCTIONS}{BODY_FUNCTIONS}".splitlines()
        return "\n".join([*self._out, *self._module.declared.values(), *support, *drivers, ""])

    def _rewrite(self, lines: list[str]) -> None:
        index = 0
        while index < len(lines):
            line = lines[index]
            define = _DEFINE.match(line)
            if define is not None:
                end = lines.index("}", index)
                if "ptx_kernel" in define[1]:
                    self._kernel(define, lines[index + 1 : end])
                index = end + 1
                continue
            if line.startswith("declare"):
                self._declare(line)
            elif not line.startswith(_LEFT_OUT):
                self._out.append(self._places.line(line))
            index += 1

    def _declare(self, line: str) -> None:
        name = declared_name(line)
        if name.startswith("llvm.nvvm.") or name == ASSERT_FAIL or host_name(name) is not None:
            return
        if name.startswith("llvm.") or name in ("vprintf", "malloc", "free", "gpuasync_window"):
            self._module.declared[name] = _GROUP.sub("", line)
            return
        raise UnsupportedKernel(f"the kernel calls @{name}, which is not defined")

    def _kernel(self, define: re.Match[str], body: list[str]) -> None:
        name = define[2].strip('"')
        parameters = [_plain_parameter(p) for p in split_arguments(define[3])]
        spins = set[str]() if any("wmma" in line for line in body) else spinning(body)
        clustered = any(map(uses_cluster, body))
        waits = clustered or bool(spins)
        meets = waits or any(is_synchronization(line) for line in body)
        suspensions = Suspensions()
        rewritten = Body(
            body, self._module, suspensions, spins, meets=meets, races=self._check, clustered=clustered
        )
        code = rewritten.code()
        self.copies |= rewritten.copies
        every = ", ".join([*parameters, registers.PARAMETERS])
        if meets:
            self._out += coroutine(name, every, first_label(body), code)
        else:
            self._out += [f"define internal void @gpuasync.thread.{name}({every}) {{", *code, "}"]
        mentions = frozenset(symbol for line in body for symbol in _SYMBOL.findall(line))
        control = [call[1] for line in body if (call := _CONTROL.search(line)) is not None]
        self.kernels.append(
            RewrittenKernel(
                name,
                parameters,
                meets,
                waits,
                rewritten.private_bytes,
                mentions,
                waits_for_last="wait" in control,
                triggers_early=control[:1] == ["launch"],
            )
        )


def declared_name(line: str) -> str:
    """Return the name of the function that a line declares."""
    start = line.index("@") + 1
    return line[start : line.index("(", start)].strip('"')


def _plain_parameter(text: str) -> str:
    """Remove the attributes from a parameter such as `ptr noalias align 16 %a`."""
    type, _, name = text.rpartition(" ")
    return f"{_ATTRIBUTE.split(type, maxsplit=1)[0]} {name}"
