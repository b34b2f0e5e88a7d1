"""Kernels on the CPU: NVPTX-flavoured LLVM IR becomes code of this machine.

Special registers become arguments. Where a block's threads must meet (barriers, shuffles, votes), a thread is
an LLVM coroutine that suspends, and a driver in IR resumes the threads of a block in turn; otherwise a thread
is a plain call. Device functions are inlined first. Loads, stores and atomics of global and of shared memory
are checked (`checks.py`); shared memory are `addrspace(3)` globals, since one block runs at a time.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpuasync_lsp.exec.worker import matrices
from gpuasync_lsp.exec.worker.accesses import Access, access, operand_end, type_of
from gpuasync_lsp.exec.worker.arena import Arena
from gpuasync_lsp.exec.worker.checks import (
    ATOMIC,
    DYNAMIC_SIZE,
    PRIVATE_CHECK,
    READ,
    WRITE,
    Names,
    check_calls,
    device_check,
    encoded,
    room_of,
    shared_check,
    size_of,
)
from gpuasync_lsp.exec.worker.cpu import MAX_SHARED, CpuKernel
from gpuasync_lsp.exec.worker.drivers import driver, steps
from gpuasync_lsp.exec.worker.host import split_arguments
from gpuasync_lsp.exec.worker.jit import Jit, host_machine, inline_marked, optimize, parse
from gpuasync_lsp.exec.worker.kernel_checks import KernelChecks
from gpuasync_lsp.exec.worker.libdevice import host_name
from gpuasync_lsp.exec.worker.mappings import Mappings
from gpuasync_lsp.exec.worker.meeting import MEETING_STATE, meeting_call, meeting_functions
from gpuasync_lsp.exec.worker.shadow import UNCHECKED, packed, shadow_code
from gpuasync_lsp.exec.worker.shared_memory import SharedPlaces
from gpuasync_lsp.exec.worker.spinning import spinning
from gpuasync_lsp.exec.worker.waiting import STEP_FUNCTIONS, Steps, Switch, start_function

Callbacks = Mapping[str, int]
"""Addresses of what generated code calls: `gpuasync_device_slow`, `gpuasync_stuck`, ..., and `vprintf`."""


class UnsupportedKernel(Exception):
    """A kernel uses something that has no CPU form."""


def compile_kernels(
    jit: Jit,
    ir: str,
    arena: Arena,
    mappings: Mappings,
    meeting_address: int,
    callbacks: Callbacks,
    checks: KernelChecks,
    *,
    check: bool,
) -> dict[str, CpuKernel]:
    """Compile the kernels of one module; return them by name. `check` adds shadow memory (`shadow.py`).

    Raises `UnsupportedKernel` with what is missing, or `CompileError` with LLVM's message.
    """
    module = parse(_host_flavour(ir))
    inline_marked(module)
    layout = host_machine().target_data
    text = str(module)
    shared = {
        str(g).split(" ", 1)[0]: layout.get_abi_size(g.global_value_type)
        for g in module.global_variables
        if "addrspace(3)" in str(g)
    }
    places = SharedPlaces(shared)
    where = ctypes.addressof(checks.where)
    rewritten = _Rewriter(text, meeting_address, places, where, check=check)
    moves = shadow_code(checks.state, arena, *rewritten.units, places.size) if check else UNCHECKED
    code = (
        rewritten.text()
        + meeting_functions(meeting_address, where)
        + moves
        + places.definition()
        + PRIVATE_CHECK
        + device_check(arena, mappings)
        + shared_check({n: s for n, s in shared.items() if s})
    )
    waits = any(kernel.waits for kernel in rewritten.kernels)
    state = {
        f"inttoptr (i64 {where} to ptr)": ctypes.sizeof(checks.where),
        **MEETING_STATE,
        DYNAMIC_SIZE: 8,
        "addrspacecast (ptr addrspace(3) @gpuasync.shared to ptr)": places.size,
    }
    if waits:
        code += steps(state)
    optimized = parse(_once_declared(code))
    optimize(optimized)
    exports = [f"gpuasync.{'start' if k.waits else 'run'}.{k.name}" for k in rewritten.kernels]
    exports += ["gpuasync.shared.address", *(STEP_FUNCTIONS if waits else ())]
    addresses = jit.link(str(optimized), exports, callbacks)
    begin = ctypes.CFUNCTYPE(ctypes.c_uint64)(addresses["gpuasync.shared.address"])()
    buffers = tuple((begin + place, shared.get(name, MAX_SHARED)) for name, place in places.offsets.items())
    switch = Switch(addresses, sum(state.values())) if waits else None
    kernels: dict[str, CpuKernel] = {}
    for kernel, export in zip(rewritten.kernels, exports, strict=False):
        function = module.get_function(kernel.name)
        sizes = tuple(layout.get_abi_size(a.type) for a in function.arguments)
        used = sum(size for name, size in shared.items() if name in kernel.mentions)
        unit = rewritten.units[0] if check and not kernel.waits else None
        kernels[kernel.name] = CpuKernel(
            kernel.name,
            _entry(addresses[export]) if not kernel.waits else _never,
            sizes,
            used,
            buffers,
            unit,
            Steps(start_function(addresses[export]), switch) if kernel.waits and switch is not None else None,
        )
    return kernels


def _never(parameters: int, geometry: int) -> None:
    raise AssertionError("a kernel whose threads wait is run in steps")


def _once_declared(code: str) -> str:
    """Drop declarations that stand before: support code declares what it calls."""
    seen: set[str] = set()
    kept: list[str] = []
    for line in code.splitlines():
        if line.startswith("declare "):
            name = _declared_name(line)
            if name in seen:
                continue
            seen.add(name)
        kept.append(line)
    return "\n".join(kept)


def _entry(address: int) -> Callable[[int, int], None]:
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)


_REGISTERS = [f"{r}.{d}" for r in ("tid", "ctaid", "ntid", "nctaid") for d in "xyz"]
_CLUSTER = [f"{r}.{d}" for r in ("cluster.nctaid",) for d in "xyz"]
_ARGUMENTS = [*_REGISTERS, *_CLUSTER]
_REGISTER_PARAMETERS = ", ".join(f"i32 %gpuasync.{r}" for r in _ARGUMENTS)

_SHARED = "ptr addrspace(3)"
_LARGEST_UNIT = 3
"""The logarithm of the bytes of the largest cells of shadow memory."""

_THREAD_ARGUMENTS = ", ".join(f"i32 %gpuasync.{r}.{d}" for r in ("ctaid", "tid") for d in "xyz")

ASSERT_FAIL = "__assertfail"
"""What `cf.assert` calls where it fails; the thread ends there."""

_DEFINE = re.compile(r"define ([^@]*)@(\"[^\"]+\"|[\w.$-]+)\((.*)\)([^()]*)\{")
_LABEL = re.compile(r"(\"[^\"]+\"|[\w.$-]+):")
_SITE = re.compile(r", !gpuasync !(\d+)$")
_NODE = re.compile(r"!(\d+) = !\{i32 (\d+)\}")
_CALL = re.compile(
    r" *(?:(%[^ ]+) = )?(?:tail |musttail |notail )?call ([^@]+) @(\"[^\"]+\"|[\w.$-]+)\((.*)\)( #\d+)?$"
)
_METADATA = re.compile(r", ![\w.]+ !\d+")
_ATTRIBUTE = re.compile(
    r" (?:noalias|nocapture|readonly|writeonly|readnone|noundef|nonnull|captures\(|align )"
)
"""What a parameter of a kernel may have behind its type."""
_SYMBOL = re.compile(r"@(?:\"[^\"]+\"|[\w.$-]+)")
_SCOPE = re.compile(r'syncscope\("[^"]*"\) ')
_DIVISION = re.compile(r"(\s*%\S+ = ([su])(?:div|rem)(?: exact)? (i\d+) (\S+)), (\S+)$")
_ASYNC_COPY = re.compile(r"llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global\.(4|8|16)")
_BULK = re.compile(r"llvm\.mem(cpy|move|set)\.")
_ALLOCA = re.compile(r"\s*(%\S+) = alloca ")
_INSERT = re.compile(r"\s*(%\S+) = insertvalue .+ (%\S+|poison|undef), (\S+) (\S+), ([\d, ]+)$")
_EXTRACT = re.compile(r"\s*(%\S+) = extractvalue .+ (%\S+), ([\d, ]+)$")
_COUNT = re.compile(r", i\d+ (\d+)(?=,|$)")
_POINTER = re.compile(
    r"\s*(%\S+) = (?:getelementptr|addrspacecast|bitcast) .*?ptr(?: addrspace\((\d+)\))? ([%@][^\s,]+)"
)


@dataclass(frozen=True)
class _Kernel:
    name: str
    parameters: list[str]
    """Typed, as `ptr %a`."""

    meets: bool
    waits: bool
    """Whether its threads wait in loops for what others write."""

    mentions: frozenset[str]
    """The symbols in its body."""


class _Rewriter:
    """Rewrites the printed IR of a module, line by line."""

    def __init__(
        self, text: str, meeting_address: int, places: SharedPlaces, where: int, *, check: bool
    ) -> None:
        self.units = (_LARGEST_UNIT, _LARGEST_UNIT)
        """Logarithms of the smallest accesses of global and of shared memory."""

        self._places = places
        self._checks = self._check_races = check
        """Whether shadow memory is wanted, and whether the kernel at hand has it: one that waits has not."""

        self._where = where
        self._spins = set[str]()
        self.kernels: list[_Kernel] = []
        self._names = Names()
        self._sites = {m[1]: int(m[2]) for m in _NODE.finditer(text)}
        self._meeting_address = meeting_address
        self._declared: dict[str, str] = {}
        self._out: list[str] = []
        self._suspends = 0
        self._matrices = 0
        self._splits: dict[str, str] = {}
        self._rewrite(text.splitlines())

    def text(self) -> str:
        """Return the new module's IR."""
        drivers = [driver(k.name, k.parameters, meets=k.meets, waits=k.waits) for k in self.kernels]
        support = f"{matrices.MATRIX_FUNCTIONS}{_COROUTINES}".splitlines()
        return "\n".join([*self._out, *self._declared.values(), *support, *drivers, ""])

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
            elif not line.startswith(("attributes ", "!", "source_filename", "target ", ";")):
                self._out.append(self._places.line(line))
            index += 1

    def _declare(self, line: str) -> None:
        name = _declared_name(line)
        if name.startswith("llvm.nvvm.") or name == ASSERT_FAIL or host_name(name) is not None:
            return
        if name.startswith("llvm.") or name in ("vprintf", "malloc", "free"):
            self._declared[name] = re.sub(r" #\d+$", "", line)
            return
        raise UnsupportedKernel(f"the kernel calls @{name}, which is not defined")

    def _kernel(self, define: re.Match[str], body: list[str]) -> None:
        name = define[2].strip('"')
        parameters = [_plain_parameter(p) for p in split_arguments(define[3])]
        self._spins = set[str]() if any("wmma" in line for line in body) else spinning(body)
        meets = bool(self._spins) or any(_is_meeting(line) for line in body)
        self._check_races = self._checks and not self._spins
        self._splits = {}
        self._suspends = 0
        code = self._body(body, meets)
        code = [_renamed_edges(line, self._splits) for line in code]
        every = ", ".join([*parameters, _REGISTER_PARAMETERS])
        if meets:
            self._out += [
                f"define internal ptr @gpuasync.thread.{name}({every}) presplitcoroutine {{",
                "gpuasync.entry:",
                "  %gpuasync.id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)",
                "  %gpuasync.size = call i64 @llvm.coro.size.i64()",
                "  %gpuasync.memory = call ptr @malloc(i64 %gpuasync.size)",
                "  %gpuasync.handle = call ptr @llvm.coro.begin(token %gpuasync.id, ptr %gpuasync.memory)",
                f"  br label %{_first_label(body)}",
                *code,
                "gpuasync.final:",
                "  call void @gpuasync.leave(i32 %gpuasync.lane)",
                "  %gpuasync.last = call i8 @llvm.coro.suspend(token none, i1 true)",
                "  switch i8 %gpuasync.last, label %gpuasync.suspend "
                "[i8 0, label %gpuasync.trap i8 1, label %gpuasync.cleanup]",
                "gpuasync.trap:",
                "  unreachable",
                "gpuasync.cleanup:",
                "  %gpuasync.freed = call ptr @llvm.coro.free(token %gpuasync.id, ptr %gpuasync.handle)",
                "  call void @free(ptr %gpuasync.freed)",
                "  br label %gpuasync.suspend",
                "gpuasync.suspend:",
                "  call void @llvm.coro.end(ptr %gpuasync.handle, i1 false, token none)",
                "  ret ptr %gpuasync.handle",
                "}",
            ]
        else:
            self._out += [f"define internal void @gpuasync.thread.{name}({every}) {{", *code, "}"]
        mentions = frozenset(symbol for line in body for symbol in _SYMBOL.findall(line))
        self.kernels.append(_Kernel(name, parameters, meets, bool(self._spins), mentions))

    def _body(self, body: list[str], meets: bool) -> list[str]:
        out: list[str] = []
        local: dict[str, str] = {}
        dead = False
        self._of_shared = set[str]()
        self._rooms = dict[str, int]()
        self._fields = dict[str, dict[str, str]]()
        """Pointers to variables of the thread in descriptors: by descriptor and place."""

        self._text = "\n".join(body)
        lines = [line for line in body if line.strip()]
        if lines and _LABEL.match(lines[0]) is None:
            lines.insert(0, "gpuasync.first:")
        current = ""
        for number, line in enumerate(lines):
            label = _LABEL.match(line)
            if label is not None:
                current = label[1]
                dead = False
                out.append(line.split(";")[0].rstrip())
                if number == 0:
                    out.append(_LANE)
            elif not dead:
                line, site = self._take_site(line)
                out += self._instruction(line, site, local, current, meets)
                dead = f"@{ASSERT_FAIL}(" in line
        return out

    def _take_site(self, line: str) -> tuple[str, int]:
        found = _SITE.search(line)
        if found is None:
            return without_metadata(line), -1
        return line[: found.start()], self._sites.get(found[1], -1)

    def _instruction(
        self, line: str, site: int, local: dict[str, str], current: str, meets: bool
    ) -> list[str]:
        if (slot := _ALLOCA.match(line)) is not None:
            local[slot[1]] = slot[1]
            count = _COUNT.search(line)
            self._rooms[slot[1]] = room_of(line[slot.end() : operand_end(line, slot.end())]) * (
                int(count[1]) if count else 1
            )
            return [line]
        if (pointer := _POINTER.match(line)) is not None:
            if pointer[2] == "3" or pointer[3] in self._of_shared:
                self._of_shared.add(pointer[1])
            elif pointer[3] in local or pointer[3].startswith("@"):
                local[pointer[1]] = local.get(pointer[3], pointer[3])
            return [line]
        if (put := _INSERT.match(line)) is not None:
            fields = dict(self._fields.get(put[2], {}))
            if put[4] in local:
                fields[put[5]] = put[4]
            self._fields[put[1]] = fields
            return [line]
        if (taken := _EXTRACT.match(line)) is not None:
            held = self._fields.get(taken[2], {}).get(taken[3])
            if held is not None:
                local[taken[1]] = local[held]
            return [line]
        if line.strip() == "ret void":
            return ["  br label %gpuasync.final"] if meets else [line]
        if (call := _CALL.match(line)) is not None:
            if call[3] == ASSERT_FAIL:
                message = split_arguments(call[4])[0]
                end = "  br label %gpuasync.final" if meets else "  ret void"
                return [f"  call void @gpuasync_assert({message}, i32 {site}, {_THREAD_ARGUMENTS})", end]
            return self._call(line, call, site, current)
        if (found := access(line)) is not None:
            if found.pointer in local and found.size:
                return self._private(found, local[found.pointer], site)
            if not _checked(found.pointer_type, found.pointer, local) or not found.size:
                return [_SCOPE.sub("", line)]
            value = f"{found.type} {found.value}" if found.value else ""
            kind = ATOMIC if " atomic " in found.before else found.kind
            lines, checked = self._check(
                found.pointer_type, found.pointer, found.size, site, kind, found.alignment, value
            )
            out = [*lines, _SCOPE.sub("", found.through(checked))]
            if kind == ATOMIC and self._check_races:
                out += self._synchronizes(line, found.pointer_type, checked)
            if kind == ATOMIC and line.split("=")[0].strip() in self._spins:
                out += self._spin(line, found, checked, site, current)
            return out
        if (division := _DIVISION.match(line)) is not None:
            return self._division(division, site)
        if re.match(r"\s*(%\S+ = )?call .* asm ", line):
            raise UnsupportedKernel("the kernel has inline assembly, which only a GPU can run")
        return [_SCOPE.sub("", line)]

    def _check(
        self, type: str, pointer: str, size: int, site: int, kind: int, alignment: int = 1, value: str = ""
    ) -> tuple[list[str], str]:
        """Return the lines that check an access, and the pointer to use afterwards.

        `value` is what a store writes, with its type, where that is known.
        """
        generic = pointer if type == "ptr" else self._names.fresh()
        which = "shared" if type == _SHARED or pointer in self._of_shared else "device"
        what = encoded(site, kind, alignment)
        lines, checked = check_calls(which, generic, size, what, self._names)
        if self._check_races:
            lines += self._shadow(which, checked, str(size), site, kind, value)
            self._use_unit(which, min(size, alignment))
        if type == "ptr":
            return lines, checked
        back = self._names.fresh()
        return (
            [
                f"  {generic} = addrspacecast {type} {pointer} to ptr",
                *lines,
                f"  {back} = addrspacecast ptr {checked} to {type}",
            ],
            back,
        )

    def _private(self, found: Access, base: str, site: int) -> list[str]:
        """Check an access of a variable of the thread, where it is not the whole variable's."""
        room = self._rooms.get(base, 0)
        if found.pointer == base or found.size > room:
            return [_SCOPE.sub("", found.through(found.pointer))]
        checked = self._names.fresh()
        return [
            f"  {checked} = call ptr @gpuasync_private(ptr {found.pointer}, ptr {base}, i64 {room}, "
            f"i64 {found.size}, i32 {encoded(site, found.kind)})",
            _SCOPE.sub("", found.through(checked)),
        ]

    def _use_unit(self, which: str, size: int) -> None:
        unit = max((size & -size).bit_length() - 1, 0)
        device, shared = self.units
        self.units = (device, min(shared, unit)) if which == "shared" else (min(device, unit), shared)

    def _shadow(self, which: str, pointer: str, size: str, site: int, kind: int, value: str) -> list[str]:
        lines: list[str] = []
        word, known = "0", 0
        bits = size_of(type_of(value)) * 8 if value else 0
        if bits in (8, 16, 32, 64) and not value.startswith("<") and kind == WRITE:
            type, text = type_of(value), value.removeprefix(type_of(value)).strip()
            whole, known = f"i{bits}", bits // 8
            if type.startswith("ptr"):
                whole_name = self._names.fresh()
                lines.append(f"  {whole_name} = ptrtoint {type} {text} to i64")
                text, type = whole_name, "i64"
            elif not type.startswith("i"):
                whole_name = self._names.fresh()
                lines.append(f"  {whole_name} = bitcast {type} {text} to {whole}")
                text, type = whole_name, whole
            word = text
            if type != "i64":
                word = self._names.fresh()
                lines.append(f"  {word} = zext {type} {text} to i64")
        name = {READ: "read", WRITE: "write", ATOMIC: "atomic"}[kind]
        return [
            *lines,
            f"  call void @gpuasync.shadow.{which}.{name}(ptr {pointer}, i64 {size}, "
            f"i64 {packed(site, kind)}, i32 %gpuasync.lane, i64 {word}, i32 {known})",
        ]

    def _spin(self, line: str, found: Access, pointer: str, site: int, current: str) -> list[str]:
        """Let others run after an update that a loop repeats; say whether it changed memory."""
        result, changed = line.split("=")[0].strip(), self._names.fresh()
        if "cmpxchg" in line:
            lines = [f"  {changed} = extractvalue {{ {found.type}, i1 }} {result}, 1"]
        else:
            after, bits = self._names.fresh(), 8 * found.size
            lines = [f"  {after} = load volatile {found.type}, {found.pointer_type} {pointer}"]
            if not found.type.startswith("i"):
                old, new = self._names.fresh(), self._names.fresh()
                lines += [
                    f"  {old} = bitcast {found.type} {result} to i{bits}",
                    f"  {new} = bitcast {found.type} {after} to i{bits}",
                ]
                result, after = old, new
            lines.append(f"  {changed} = icmp ne i{bits} {result}, {after}")
        self._suspends += 1
        number = self._suspends
        self._splits[current] = f"gpuasync.go.{number}"
        return [
            *lines,
            f"  call void @gpuasync.spun(i32 %gpuasync.lane, i32 {site}, i1 {changed}, "
            f"ptr inttoptr (i64 {self._where} to ptr))",
            f"  %gpuasync.s{number} = call i8 @llvm.coro.suspend(token none, i1 false)",
            f"  switch i8 %gpuasync.s{number}, label %gpuasync.suspend "
            f"[i8 0, label %gpuasync.go.{number} i8 1, label %gpuasync.cleanup]",
            f"gpuasync.go.{number}:",
        ]

    def _synchronizes(self, line: str, type: str, pointer: str) -> list[str]:
        """Note an atomic access as what orders others; it acquires where its result is used."""
        result = line.split("=")[0].strip() if "=" in line.split("(")[0] else ""
        uses = len(re.findall(re.escape(result) + r"(?![\w.$-])", self._text)) if result else 0
        generic = pointer
        lines: list[str] = []
        if type != "ptr":
            generic = self._names.fresh()
            lines.append(f"  {generic} = addrspacecast {type} {pointer} to ptr")
        acquires = "true" if uses > 1 else "false"
        return [*lines, f"  call void @gpuasync.sync(ptr {generic}, i32 %gpuasync.lane, i1 {acquires})"]

    def _call(self, line: str, call: re.Match[str], site: int, current: str) -> list[str]:
        result, type, name = (
            call[1],
            call[2].split(" ")[-1] if "(" not in call[2] else call[2],
            call[3].strip('"'),
        )
        arguments = split_arguments(call[4])
        if name.startswith("llvm.nvvm.read.ptx.sreg."):
            return _register(result, name.removeprefix("llvm.nvvm.read.ptx.sreg."), type)
        if (matrix := self._matrix_access(name, result, arguments, site)) is not None:
            return matrix
        if (copied := _ASYNC_COPY.match(name)) is not None:
            return self._async_copy(int(copied[1]), arguments, site)
        if name.startswith("llvm.nvvm."):
            meeting = meeting_call(name, result, arguments, self._suspends + 1)
            if meeting is None:
                raise UnsupportedKernel(f"{name} has no CPU form")
            if not meeting.suspends:
                return list(meeting.before)
            self._suspends += 1
            label = f"gpuasync.go.{self._suspends}"
            self._splits[current] = label
            number = self._suspends
            return [
                f"  store volatile i32 {site}, ptr inttoptr (i64 {self._meeting_address} to ptr)",
                *meeting.before,
                f"  br label %gpuasync.wait.{number}",
                f"gpuasync.wait.{number}:",
                f"  %gpuasync.s{number} = call i8 @llvm.coro.suspend(token none, i1 false)",
                f"  switch i8 %gpuasync.s{number}, label %gpuasync.suspend "
                f"[i8 0, label %gpuasync.check.{number} i8 1, label %gpuasync.cleanup]",
                f"gpuasync.check.{number}:",
                f"  %gpuasync.same{number} = call i1 "
                f"@gpuasync.waits(ptr {meeting.generation}, i32 {meeting.ticket})",
                f"  br i1 %gpuasync.same{number}, label %gpuasync.wait.{number}, label %{label}",
                f"{label}:",
                *meeting.after,
            ]
        if (bulk := _BULK.match(name)) is not None:
            return self._bulk(line, str(bulk[1]), arguments, site)
        if (libm := host_name(name)) is not None:
            text, declaration = libm.call(result, type, arguments)
            self._declared.update(declaration)
            return text
        return [re.sub(r"( #\d+)?$", "", line)]

    def _division(self, division: re.Match[str], site: int) -> list[str]:
        """Divide by 1 what has no quotient, and tell: here the processor would end the program."""
        head, sign, type, dividend, divisor = division.groups()
        if divisor.lstrip("-").isdigit() and divisor not in ("0", "-1"):
            return [division[0]]
        bad, safe = self._names.fresh(), self._names.fresh()
        lines = [f"  {bad} = icmp eq {type} {divisor}, 0"]
        if sign == "s":
            least, minus, both, bad_too = (self._names.fresh() for _ in range(4))
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

    def _async_copy(self, size: int, arguments: list[str], site: int) -> list[str]:
        """Copy at once what a GPU copies later: all of it, or some bytes and zeros behind."""
        target, source = (argument.split()[-1] for argument in arguments[:2])
        lines, target = self._check(_SHARED, target, size, site, WRITE, size)
        if len(arguments) == 2:
            type, value = f"i{8 * size}", self._names.fresh()
            checks, source = self._check("ptr addrspace(1)", source, size, site, READ, size)
            return [
                *lines,
                *checks,
                f"  {value} = load {type}, ptr addrspace(1) {source}, align {size}",
                f"  store {type} {value}, ptr addrspace(3) {target}, align {size}",
            ]
        generic, wide, allowed = (self._names.fresh() for _ in range(3))
        what = encoded(site, READ)
        self._declared |= {
            "llvm.memset.p3.i64": "declare void @llvm.memset.p3.i64(ptr addrspace(3), i8, i64, i1)",
            "llvm.memcpy.p3.p0.i64": "declare void @llvm.memcpy.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)",
        }
        return [
            *lines,
            f"  {generic} = addrspacecast ptr addrspace(1) {source} to ptr",
            f"  {wide} = zext {arguments[2]} to i64",
            f"  {allowed} = call i64 @gpuasync_device_block(ptr {generic}, i64 {wide}, i32 {what})",
            f"  call void @llvm.memset.p3.i64(ptr addrspace(3) {target}, i8 0, i64 {size}, i1 false)",
            f"  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) {target}, ptr {generic}, "
            f"i64 {allowed}, i1 false)",
        ]

    def _bulk(self, line: str, kind: str, arguments: list[str], site: int) -> list[str]:
        """Check what a copy or fill of many bytes accesses outside shared memory."""
        width, length = arguments[2].split()
        accesses = [(arguments[0], WRITE)] if kind == "set" else [(arguments[0], WRITE), (arguments[1], READ)]
        lines: list[str] = []
        for operand, what in accesses:
            pointer = operand.split()[-1]
            if "addrspace(3)" in operand or pointer in self._of_shared:
                lines += self._bulk_shared(operand, pointer, width, length, what, site)
                continue
            if width != "i64":
                continue
            generic, allowed = self._names.fresh(), self._names.fresh()
            type = "ptr addrspace(1)" if "addrspace(1)" in operand else "ptr"
            cast = "addrspacecast" if type != "ptr" else "bitcast"
            lines += [
                f"  {generic} = {cast} {type} {pointer} to ptr",
                f"  {allowed} = call i64 @gpuasync_device_block(ptr {generic}, i64 {length}, "
                f"i32 {encoded(site, what)})",
            ]
            length = allowed
            if self._check_races:
                lines += self._shadow("device", generic, allowed, site, what, "")
                self._use_unit("device", 1)
        call = re.sub(r"( #\d+)?$", "", line)
        return [*lines, call.replace(f", {arguments[2]},", f", {width} {length},")]

    def _bulk_shared(
        self, operand: str, pointer: str, width: str, length: str, kind: int, site: int
    ) -> list[str]:
        if not self._check_races:
            return []
        lines: list[str] = []
        if "addrspace(3)" in operand:
            generic = self._names.fresh()
            lines.append(f"  {generic} = addrspacecast ptr addrspace(3) {pointer} to ptr")
            pointer = generic
        if width != "i64":
            wide = self._names.fresh()
            lines.append(f"  {wide} = zext {width} {length} to i64")
            length = wide
        self._use_unit("shared", 1)
        return [*lines, *self._shadow("shared", pointer, length, site, kind, "")]

    def _matrix_access(
        self, name: str, result: str | None, arguments: list[str], site: int
    ) -> list[str] | None:
        def check(type: str, pointer: str, size: int, kind: int) -> tuple[list[str], str]:
            return self._check(type, pointer, size, site, kind, size)

        self._matrices += 1
        return matrices.access(name, result, arguments, self._matrices, check)


_LANE = "  %gpuasync.lane = call i32 @gpuasync.linear({})".format(
    ", ".join(f"i32 %gpuasync.{r}.{d}" for r in ("tid", "ntid") for d in "xyz")
)


def _register(result: str, register: str, type: str) -> list[str]:
    if register in _ARGUMENTS:
        return [f"  {result} = add i32 %gpuasync.{register}, 0"]
    match register.split("."):
        case ["warpsize"]:
            return [f"  {result} = add i32 32, 0"]
        case ["laneid"]:
            return [f"  {result} = and i32 %gpuasync.lane, 31"]
        case ["warpid"]:
            return [f"  {result} = lshr i32 %gpuasync.lane, 5"]
        case ["clusterid", axis]:
            return [f"  {result} = udiv i32 %gpuasync.ctaid.{axis}, %gpuasync.cluster.nctaid.{axis}"]
        case ["nclusterid", axis]:
            return [f"  {result} = udiv i32 %gpuasync.nctaid.{axis}, %gpuasync.cluster.nctaid.{axis}"]
        case ["cluster", "ctaid", axis]:
            return [f"  {result} = urem i32 %gpuasync.ctaid.{axis}, %gpuasync.cluster.nctaid.{axis}"]
        case ["clock"] | ["clock64"] | ["globaltimer"]:
            wide = type == "i64"
            name = "%gpuasync.now." + result.strip('%"')
            narrow = f"  {result} = add i64 {name}, 0" if wide else f"  {result} = trunc i64 {name} to i32"
            return [f"  {name} = call i64 @llvm.readcyclecounter()", narrow]
        case _:
            raise UnsupportedKernel(f"the register {register} has no CPU form")


def _declared_name(line: str) -> str:
    start = line.index("@") + 1
    return line[start : line.index("(", start)].strip('"')


def _checked(type: str, pointer: str, local: Mapping[str, str]) -> bool:
    return type == _SHARED or (pointer not in local and type in ("ptr", "ptr addrspace(1)"))


def without_metadata(line: str) -> str:
    """Return an instruction without the metadata behind it."""
    while (at := line.rfind(", !")) >= 0 and _METADATA.fullmatch(line, at) is not None:
        line = line[:at]
    return line


def _is_meeting(line: str) -> bool:
    call = _CALL.match(without_metadata(line))
    if call is None or not call[3].startswith("llvm.nvvm.") or "sreg" in call[3]:
        return False
    meeting = meeting_call(call[3], call[1], split_arguments(call[4]), 0)
    return meeting is not None and meeting.suspends


def _host_flavour(ir: str) -> str:
    """Drop what only NVPTX takes, and mark device functions for inlining."""
    out: list[str] = []
    for line in ir.splitlines():
        if line.startswith("target "):
            continue
        if line.startswith("define ") and "ptx_kernel" not in line:
            line = line[: line.rindex("{")] + "alwaysinline {"
        out.append(line)
    return "\n".join(out)


def _plain_parameter(text: str) -> str:
    """`ptr noalias align 16 %a` without its attributes."""
    type, _, name = text.rpartition(" ")
    return f"{_ATTRIBUTE.split(type, maxsplit=1)[0]} {name}"


def _first_label(body: list[str]) -> str:
    for line in body:
        if line.strip():
            label = _LABEL.match(line)
            return label[1] if label is not None else "gpuasync.first"
    return "gpuasync.first"


def _renamed_edges(line: str, splits: Mapping[str, str]) -> str:
    """Phis name the block that now ends where a split one began."""
    if " = phi " not in line:
        return line

    def rename(found: re.Match[str]) -> str:
        return f", %{splits.get(found[1], found[1])} ]"

    return re.sub(r", %(\"[^\"]+\"|[\w.$-]+) \]", rename, line)


_COROUTINES = f"""
{DYNAMIC_SIZE} = internal global i64 0
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare i1 @llvm.coro.done(ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i64 @llvm.readcyclecounter()
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @gpuasync_stuck()
declare i64 @gpuasync_device_block(ptr, i64, i32)
declare void @gpuasync_division(i32)

define internal void @gpuasync.division(i1 %bad, i32 %site) {{
  br i1 %bad, label %tell, label %done
tell:
  call void @gpuasync_division(i32 %site)
  br label %done
done:
  ret void
}}
declare void @gpuasync_assert(ptr, i32, i32, i32, i32, i32, i32, i32)
"""
