"""Rewrites a kernel's instructions into a host function that runs one thread."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from gpuasync_lsp.exec.worker.cpu.checks import EARLY, REPORT_THREAD, Names
from gpuasync_lsp.exec.worker.cpu.kernel import MAX_PRIVATE
from gpuasync_lsp.exec.worker.cpu.kernels import matrices, registers
from gpuasync_lsp.exec.worker.cpu.kernels.accesses import access
from gpuasync_lsp.exec.worker.cpu.kernels.clusters import (
    ARRIVE,
    BARRIER,
    CLUSTER_BEGIN,
    MAPS,
    cluster_wait,
    map_address,
)
from gpuasync_lsp.exec.worker.cpu.kernels.libdevice import host_name
from gpuasync_lsp.exec.worker.cpu.kernels.memory_code import (
    DECLARATIONS,
    WAIT_FOR_LAST,
    MemoryCode,
    Units,
    without_scope,
)
from gpuasync_lsp.exec.worker.cpu.kernels.pointers import Pointers
from gpuasync_lsp.exec.worker.cpu.kernels.suspensions import FINAL, Suspensions
from gpuasync_lsp.exec.worker.cpu.kernels.synchronization import synchronization_call
from gpuasync_lsp.exec.worker.host.program import split_arguments
from gpuasync_lsp.exec.worker.unsupported import UnsupportedKernel
from gpuasync_lsp.text.defects import contained

ASSERT_FAIL = "__assertfail"
"""The function that a failing `cf.assert` calls; the call ends the thread."""

_FIRST = "gpuasync.first"
"""The label for an entry block that has none."""

_LABEL = re.compile(r"(\"[^\"]+\"|[\w.$-]+):")
_SITE = re.compile(r", !gpuasync !(\d+)$")
_NODE = re.compile(r"!(\d+) = !\{i32 (\d+)\}")
_METADATA = re.compile(r", ![\w.]+ !\d+")
_CALL = re.compile(
    r" *(?:(%[^ ]+) = )?(?:tail |musttail |notail )?call ([^@]+) @(\"[^\"]+\"|[\w.$-]+)\((.*)\)( #\d+)?$"
)
_ASSEMBLY = re.compile(r"\s*(%\S+ = )?call .* asm ")
_GROUP = re.compile(r" #\d+$")
_DIVISION = re.compile(r"(\s*%\S+ = ([su])(?:div|rem)(?: exact)? (i\d+) (\S+)), (\S+)$")
_ASYNC_COPY = re.compile(r"llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global\.(4|8|16)")
_ASYNC_GROUP = re.compile(r"llvm\.nvvm\.cp\.async\.(commit\.group|wait\.group|wait\.all)")
_DEFINED = re.compile(r"^define [^@\n]*@(\"[^\"]+\"|[\w.$-]+)\(", re.MULTILINE)
_BULK = re.compile(r"llvm\.mem(cpy|move|set)\.")


class ModuleFacts:
    """State that the bodies of a module share: source sites, and the declarations that they need."""

    def __init__(self, text: str, buffers: Mapping[str, int], *, windows: bool = False) -> None:
        """The arguments are those of `Pointers`."""
        self.buffers = buffers
        self.windows = windows
        self.functions = {name.strip('"') for name in _DEFINED.findall(text)}
        """The names of the defined functions; all but kernels are inlined unless they are recursive."""
        self.sites = {m[1]: int(m[2]) for m in _NODE.finditer(text)}
        self.names = Names()
        self.units = Units()
        self.declared: dict[str, str] = {}
        """Maps the names of functions that the rewritten code calls to their declarations."""
        self.matrices = 0
        """A counter that makes the names in the code of matrix loads and stores unique."""


class Body:
    """Rewrites the lines of one kernel."""

    def __init__(
        self,
        lines: Sequence[str],
        module: ModuleFacts,
        suspensions: Suspensions,
        spins: set[str],
        *,
        meets: bool,
        races: bool,
        clustered: bool = False,
    ) -> None:
        self._lines = lines
        self._clustered = clustered
        self._module = module
        self._suspensions = suspensions
        self._spins = spins
        """The results of accesses that a spin loop repeats (`spinning.py`)."""
        self._meets = meets
        self._pointers = Pointers(module.buffers, windows=module.windows)
        self._memory = MemoryCode(self._pointers, module.names, module.units, lines, races=races)
        self._block = ""
        """The label of the current block."""
        self._at_start = True
        """Whether the current block is the entry block."""
        self._moved: list[str] = []
        """Allocas moved from other blocks to the entry block."""

    @property
    def copies(self) -> bool:
        """Whether the kernel has asynchronous copies that are checked for races."""
        return self._memory.copies

    @property
    def private_bytes(self) -> int:
        """The total size of the thread's variables of static size, in bytes."""
        return sum(self._pointers.variables().values())

    def code(self) -> list[str]:
        """Return the lines of the thread's function. Raises `UnsupportedKernel`."""
        out: list[str] = []
        dead = False
        lines = [line for line in self._lines if line.strip()]
        if lines and _LABEL.match(lines[0]) is None:
            lines.insert(0, f"{_FIRST}:")
        for number, line in enumerate(lines):
            label = _LABEL.match(line)
            if label is not None:
                self._block = label[1]
                self._at_start = number == 0
                dead = False
                out.append(line.split(";")[0].rstrip())
                if number == 0:
                    out.append(registers.LANE)
                    out += self._memory.begin()
                    out += CLUSTER_BEGIN if self._clustered else []
            elif not dead:
                line, site = self._without_site(line)
                out += self._rewritten(line, site)
                dead = f"@{ASSERT_FAIL}(" in line
        out[2:2] = self._moved
        return [self._suspensions.with_edges(line) for line in out]

    def _rewritten(self, line: str, site: int) -> list[str]:
        """Rewrite an instruction; report an exception as `UnsupportedKernel` at the instruction's op."""

        def reraise(message: str, error: Exception) -> NoReturn:
            raise UnsupportedKernel(message, site) from error

        return contained(
            "the code of a kernel", lambda: self._instruction(line, site), reraise, UnsupportedKernel
        )

    def _without_site(self, line: str) -> tuple[str, int]:
        found = _SITE.search(line)
        if found is None:
            return without_metadata(line), -1
        return line[: found.start()], self._module.sites.get(found[1], -1)

    def _instruction(self, line: str, site: int) -> list[str]:
        if self._pointers.learn(line):
            return self._made(line, site)
        if line.strip() == "ret void":
            return self._end()
        if (call := _CALL.match(line)) is not None:
            return self._call(line, call, site)
        if (found := access(line)) is not None:
            out, pointer = self._memory.access(line, found, site)
            repeated = line.split("=")[0].strip() in self._spins
            if pointer is not None and repeated:
                out += self._suspensions.spin(line, found, pointer, site, self._block, self._module.names)
            return out
        if (division := _DIVISION.match(line)) is not None:
            return self._division(division, site)
        if _ASSEMBLY.match(line):
            raise UnsupportedKernel("the kernel has inline assembly, which only a GPU can run", site)
        return [without_scope(line)]

    def _made(self, line: str, site: int) -> list[str]:
        """Rewrite an instruction that creates a pointer; move allocas of static size to the entry block.

        In a loop, an alloca would use more stack in each iteration, which coroutines do not support."""
        if " = alloca " not in line:
            return [line]
        variable = line.split("=", 1)[0].strip()
        sized = variable not in self._pointers.counts
        if sized and (self._at_start or self._memory.watch.may_move(variable)):
            self._moved.append(line)
            return self._memory.watch.made(line, self._moved)
        if self._meets:
            what = (
                "that is carried from one loop iteration to the next"
                if sized
                else "whose size is only known at run time"
            )
            raise UnsupportedKernel(f"the kernel has barriers, and a variable {what}", site)
        return [line] if sized else self._pointers.sized_code(line, variable, site, MAX_PRIVATE)

    def _end(self) -> list[str]:
        left = ["  call void @gpuasync.cluster.leave(ptr %gpuasync.cluster)"] if self._clustered else []
        return [*self._memory.end(), *left, f"  br label %{FINAL}" if self._meets else "  ret void"]

    def _call(self, line: str, call: re.Match[str], site: int) -> list[str]:
        result, name = call[1], call[3].strip('"')
        type = call[2] if "(" in call[2] else call[2].split(" ")[-1]
        arguments = split_arguments(call[4])
        lifetime = self._memory.watch.lifetime(name, arguments[-1]) if arguments else None
        if lifetime is not None:
            return lifetime
        if name == ASSERT_FAIL:
            arguments_ = f"{arguments[0]}, i32 {site}, {registers.THREAD}"
            return [f"  call void @gpuasync.assert(i1 true, {arguments_})", *self._end()]
        if name.startswith(registers.PREFIX):
            return registers.read(result, name.removeprefix(registers.PREFIX), type, site)
        if (matrix := self._matrix(name, result, arguments, site)) is not None:
            return matrix
        if (copied := _ASYNC_COPY.match(name)) is not None:
            if len(arguments) > 2:
                self._module.declared |= DECLARATIONS
            return self._memory.copy_async(int(copied[1]), arguments, site)
        if (group := _ASYNC_GROUP.match(name)) is not None:
            return self._memory.group(str(group[1]), arguments)
        if f"@{name}(" == WAIT_FOR_LAST:
            return self._memory.waited()
        if name.startswith(BARRIER):
            return self._cluster_barrier(name, site)
        if f"@{name}".startswith(MAPS):
            return map_address(str(result), type, arguments, self._module.names, site)
        if name.startswith("llvm.nvvm."):
            synchronization = synchronization_call(name, result, arguments, self._suspensions.number)
            if synchronization is None:
                raise UnsupportedKernel(f"{name} is not supported on the CPU", site)
            if not synchronization.suspends:
                return list(synchronization.before)
            return self._suspensions.meet(synchronization, site, self._block)
        if (bulk := _BULK.match(name)) is not None:
            return self._memory.bulk(line, str(bulk[1]), arguments, site)
        if (libm := host_name(name)) is not None:
            text, declaration = libm.call(result, type, arguments)
            self._module.declared.update(declaration)
            return text
        if name in self._module.functions:
            message = (
                f"the kernel calls @{name}, which is recursive: runs on the CPU do not support "
                "recursion in kernels"
            )
            raise UnsupportedKernel(message, site)
        return [_GROUP.sub("", line)]

    def _cluster_barrier(self, name: str, site: int) -> list[str]:
        if name.startswith(f"{BARRIER}arrive"):
            return [ARRIVE]
        return self._suspensions.meet(cluster_wait(self._suspensions.number, site), site, self._block)

    def _matrix(self, name: str, result: str | None, arguments: list[str], site: int) -> list[str] | None:
        def check(type: str, pointer: str, size: int, kind: int) -> tuple[list[str], str]:
            return self._memory.check(type, pointer, size, kind, site, size)

        self._module.matrices += 1
        return matrices.access(name, result, arguments, self._module.matrices, check)

    def _division(self, division: re.Match[str], site: int) -> list[str]:
        """Report an undefined quotient, and divide by 1 instead, since the CPU would trap."""
        fresh = self._module.names.fresh
        head, sign, type, dividend, divisor = division.groups()
        if divisor.lstrip("-").isdigit() and divisor not in ("0", "-1"):
            return [division[0]]
        bad, safe = fresh(), fresh()
        lines = [f"  {bad} = icmp eq {type} {divisor}, 0"]
        if sign == "s":
            least, minus, both, bad_too = (fresh() for _ in range(4))
            lines += [
                f"  {least} = icmp eq {type} {dividend}, {-(1 << int(type[1:]) - 1)}",
                f"  {minus} = icmp eq {type} {divisor}, -1",
                f"  {both} = and i1 {least}, {minus}",
                f"  {bad_too} = or i1 {bad}, {both}",
            ]
            bad = bad_too
        return [
            *lines,
            f"  call void @gpuasync.division(i1 {bad}, i32 {site})",
            f"  {safe} = select i1 {bad}, {type} 1, {type} {divisor}",
            f"{head}, {safe}",
        ]


def first_label(lines: Sequence[str]) -> str:
    """Return the label of the first block of a body."""
    for line in lines:
        if line.strip():
            label = _LABEL.match(line)
            return label[1] if label is not None else _FIRST
    return _FIRST


def without_metadata(line: str) -> str:
    """Return an instruction without its trailing metadata."""
    while (at := line.rfind(", !")) >= 0 and _METADATA.fullmatch(line, at) is not None:
        line = line[:at]
    return line


def is_synchronization(line: str) -> bool:
    """Return whether an instruction synchronizes the threads of a block."""
    call = _CALL.match(without_metadata(line))
    if call is None or not call[3].startswith("llvm.nvvm.") or "sreg" in call[3]:
        return False
    synchronization = synchronization_call(call[3], call[1], split_arguments(call[4]), 0)
    return synchronization is not None and synchronization.suspends


def _reporter(name: str, *types: str, site: int | None = None) -> str:
    """Return IR of a function that passes its other arguments to `@gpuasync_NAME` if the first is true.

    If argument number `site` is a site, only the first call with it does, and the thread is recorded."""
    parameters = [f"{type} %a{number}" for number, type in enumerate(types)]
    once = ""
    if site is not None:
        once = f"""  %what = shl i32 %a{site}, 6
  %again = call ptr @gpuasync.again(i32 %what, i32 -1)
  %is.again = icmp ne ptr %again, null
  br i1 %is.again, label %done, label %first
first:
{REPORT_THREAD}
"""
    return f"""
declare void @gpuasync_{name}({", ".join(types)})

define internal void @gpuasync.{name}(i1 %is, {", ".join(parameters)}) {{
  br i1 %is, label %report, label %done
report:
{once}  call void @gpuasync_{name}({", ".join(parameters)})
  br label %done
done:
  ret void
}}
"""


BODY_FUNCTIONS = (
    """
declare i64 @llvm.readcyclecounter()
declare i64 @gpuasync_device_block(ptr, i64, i32)
"""
    + _reporter("assert", "ptr", *["i32"] * 7, site=1)
    + _reporter("division", "i32", site=0)
    + _reporter("variable", "i64", "i32", "i32", site=2)
    + f"{EARLY} = external global i32\n"
    + _reporter("early", "ptr", "i64", "i32")
)
"""The IR of functions that rewritten bodies call."""
