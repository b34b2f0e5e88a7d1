"""Generates the checks of a kernel's accesses: bounds, lifetimes and, on request, races."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuasync_lsp.exec.worker.cpu.checks import (
    ATOMIC,
    EARLY,
    READ,
    WIDEST,
    WRITE,
    Names,
    as_generic,
    check_calls,
    encoded,
    size_of,
)
from gpuasync_lsp.exec.worker.cpu.kernels.accesses import Access, type_of
from gpuasync_lsp.exec.worker.cpu.kernels.pointers import SHARED, Pointers
from gpuasync_lsp.exec.worker.cpu.kernels.private_memory import PrivateMemory
from gpuasync_lsp.exec.worker.cpu.kernels.shadow import packed

_LARGEST_UNIT = 3
"""The base-2 logarithm of the maximum cell size of shadow memory."""

WAIT_FOR_LAST = "@llvm.nvvm.griddepcontrol.wait("
"""The intrinsic with which a dependent launch waits for the previous kernel."""

_EARLY_FLAG = "%gpuasync.early"
"""A variable of each thread that is nonzero until the thread has waited for the previous kernel."""

_SCOPE = re.compile(r'syncscope\("[^"]*"\) ')
_EXCHANGE = re.compile(r" cmpxchg (?:weak )?(?:volatile )?ptr(?: addrspace\([0-9]+\))? (%[^\s,]+), ")
_GROUP = re.compile(r" #\d+$")

DECLARATIONS = {
    "llvm.memset.p3.i64": "declare void @llvm.memset.p3.i64(ptr addrspace(3), i8, i64, i1)",
    "llvm.memcpy.p3.p0.i64": "declare void @llvm.memcpy.p3.p0.i64(ptr addrspace(3), ptr, i64, i1)",
}
"""Declarations of the functions that `MemoryCode.copy_async` calls."""


class Units:
    """The base-2 logarithms of the minimum sizes of a module's accesses to global and shared memory."""

    def __init__(self) -> None:
        self.device = self.shared = _LARGEST_UNIT

    def use(self, which: str, size: int) -> None:
        """Update the minimum with the size in bytes of an access, or with the alignment of its address."""
        unit = max((size & -size).bit_length() - 1, 0)
        if which == "shared":
            self.shared = min(self.shared, unit)
        else:
            self.device = min(self.device, unit)


def without_scope(line: str) -> str:
    """Remove the scope of an atomic access, which on the CPU must include all host threads."""
    return _SCOPE.sub("", line)


class MemoryCode:
    """Generates the checks of one kernel; `races` enables shadow memory (`shadow.py`)."""

    def __init__(
        self, pointers: Pointers, names: Names, units: Units, lines: Sequence[str], *, races: bool
    ) -> None:
        self._pointers = pointers
        self.watch = PrivateMemory(lines, names, marked=races)
        """The variables of a thread; if `races`, they are watched for uninitialized reads."""
        self._names = names
        self._units = units
        self._body = "\n".join(lines)
        self._exchanged = set(_EXCHANGE.findall(self._body))
        """Addresses of atomic updates that begin with a plain read, as in `memref.generic_atomic_rmw`."""
        self._races = races
        self.copies = False
        """Whether the kernel has asynchronous copies that are checked for races."""
        self.is_early = WAIT_FOR_LAST in self._body
        """Whether the kernel waits for the previous kernel; if so, each thread has an `_EARLY_FLAG`."""

    def access(self, line: str, found: Access, site: int) -> tuple[list[str], str | None]:
        """Return the access in `line` preceded by its check, and its checked pointer.

        The pointer is None for memory that other threads cannot access."""
        type, pointer = found.pointer_type, found.pointer
        variable = self._pointers.variable(pointer)
        if variable is not None and found.size:
            watched = self.watch.accessed(found, variable, site)
            return [*watched, *self._private(found, variable, site)], None
        if not self._pointers.is_checked(type, pointer) or not found.size:
            return [without_scope(line)], None
        value = f"{found.type} {found.value}" if found.value else ""
        begins_update = found.kind == READ and pointer in self._exchanged
        kind = ATOMIC if is_atomic(found) or begins_update else found.kind
        lines, checked = self.check(type, pointer, found.size, kind, site, found.alignment, value)
        lines.append(without_scope(found.through(checked)))
        if is_atomic(found) and self._races:
            lines += self._synchronizes(line, type, checked)
        return lines, checked

    def check(
        self,
        type: str,
        pointer: str,
        size: int,
        kind: int,
        site: int,
        alignment: int = 1,
        value: str = "",
        *,
        beside: bool = False,
    ) -> tuple[list[str], str]:
        """Return the lines that check an access, and the pointer for the access.

        `value` is the stored value with its type, if known. `beside` marks the write of an asynchronous
        copy, which may happen at any time until the thread waits."""
        what = encoded(site, kind, alignment)
        buffer = self._pointers.buffer(type, pointer)
        if buffer is not None and size <= min(buffer[1], WIDEST):
            name, room = buffer
            checked = self._names.fresh()
            lines = [
                f"  {checked} = call {SHARED} @gpuasync_shared_of({SHARED} {pointer}, {SHARED} {name}, "
                f"i64 {room}, i64 {size}, i32 {what})"
            ]
            if self._races:
                generic = self._names.fresh()
                lines.append(f"  {generic} = addrspacecast {SHARED} {checked} to ptr")
                lines += self._noted("shared", generic, size, kind, site, alignment, value, beside=beside)
            return lines, checked
        cast, generic = as_generic(type, pointer, self._names)
        which = "shared" if self._pointers.is_shared(type, pointer) else "device"
        lines, checked = check_calls(which, generic, size, what, self._names)
        lines += self._told_early(checked, str(size), what)
        if self._races:
            lines += self._noted(which, checked, size, kind, site, alignment, value, beside=beside)
        if not cast:
            return lines, checked
        back = self._names.fresh()
        return [*cast, *lines, f"  {back} = addrspacecast ptr {checked} to {type}"], back

    def begin(self) -> list[str]:
        """Return the code that initializes `_EARLY_FLAG` at the start of the thread."""
        if not self.is_early:
            return []
        return [
            f"  {_EARLY_FLAG} = alloca i32",
            f"  %gpuasync.early.first = load i32, ptr {EARLY}",
            f"  store i32 %gpuasync.early.first, ptr {_EARLY_FLAG}",
        ]

    def waited(self) -> list[str]:
        """Return the code that clears `_EARLY_FLAG` at a wait for the previous kernel."""
        return [f"  store i32 0, ptr {_EARLY_FLAG}"] if self.is_early else []

    def _told_early(self, pointer: str, size: str, what: int) -> list[str]:
        if not self.is_early:
            return []
        flag, is_early = self._names.fresh(), self._names.fresh()
        return [
            f"  {flag} = load i32, ptr {_EARLY_FLAG}",
            f"  {is_early} = icmp ne i32 {flag}, 0",
            f"  call void @gpuasync.early(i1 {is_early}, ptr {pointer}, i64 {size}, i32 {what})",
        ]

    def _noted(
        self,
        which: str,
        pointer: str,
        size: int,
        kind: int,
        site: int,
        alignment: int,
        value: str,
        *,
        beside: bool,
    ) -> list[str]:
        """Return the code that records an access in shadow memory; for the arguments, see `check`."""
        self._units.use(which, min(size, alignment))
        if not beside:
            return self._shadow(which, pointer, str(size), site, kind, value)
        self.copies = True
        return [
            f"  call void @gpuasync.copies.copy(ptr {pointer}, i64 {size}, i64 {packed(site, kind)}, "
            "i32 %gpuasync.lane)"
        ]

    def copy_async(self, size: int, arguments: list[str], site: int) -> list[str]:
        """Return the code that replaces an asynchronous copy with a checked synchronous one.

        A third argument is the number of bytes to copy; the rest of the target is filled with zeros."""
        target, source = (argument.split()[-1] for argument in arguments[:2])
        lines, target = self.check(SHARED, target, size, WRITE, site, size, beside=True)
        if len(arguments) == 2:
            type, value = f"i{8 * size}", self._names.fresh()
            checks, source = self.check("ptr addrspace(1)", source, size, READ, site, size)
            return [
                *lines,
                *checks,
                f"  {value} = load {type}, ptr addrspace(1) {source}, align {size}",
                f"  store {type} {value}, ptr addrspace(3) {target}, align {size}",
            ]
        generic, wide, allowed = (self._names.fresh() for _ in range(3))
        what = encoded(site, READ)
        return [
            *lines,
            f"  {generic} = addrspacecast ptr addrspace(1) {source} to ptr",
            f"  {wide} = zext {arguments[2]} to i64",
            f"  {allowed} = call i64 @gpuasync_device_block(ptr {generic}, i64 {wide}, i32 {what})",
            f"  call void @llvm.memset.p3.i64(ptr addrspace(3) {target}, i8 0, i64 {size}, i1 false)",
            f"  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) {target}, ptr {generic}, "
            f"i64 {allowed}, i1 false)",
        ]

    def group(self, what: str, arguments: Sequence[str]) -> list[str]:
        """Return the code for an op on groups of copies: `commit.group`, `wait.group` or `wait.all`."""
        if not self.copies:
            return []
        if what == "commit.group":
            return ["  call void @gpuasync.copies.commit(i32 %gpuasync.lane)"]
        if what == "wait.all":
            return self.end()
        return [f"  call void @gpuasync.copies.wait(i32 %gpuasync.lane, {arguments[0]})"]

    def end(self) -> list[str]:
        """Return the code that completes the thread's pending copies, at its end or at `wait.all`."""
        return ["  call void @gpuasync.copies.end(i32 %gpuasync.lane)"] if self.copies else []

    def bulk(self, line: str, kind: str, arguments: list[str], site: int) -> list[str]:
        """Return a block copy or fill with its checks; outside shared memory, with a limited length."""
        width, length = arguments[2].split()
        accesses = [(arguments[0], WRITE)] if kind == "set" else [(arguments[0], WRITE), (arguments[1], READ)]
        lines: list[str] = []
        for operand, what in accesses:
            pointer = operand.split()[-1]
            type = type_of(operand)
            if self._pointers.is_shared(type, pointer):
                if self._races:
                    lines += self._bulk_shared(pointer, width, length, what, site, cast=type == SHARED)
                continue
            if width != "i64":
                continue
            cast, generic = as_generic(type, pointer, self._names)
            allowed = self._names.fresh()
            lines += [
                *cast,
                f"  {allowed} = call i64 @gpuasync_device_block(ptr {generic}, i64 {length}, "
                f"i32 {encoded(site, what)})",
            ]
            lines += self._told_early(generic, allowed, encoded(site, what))
            length = allowed
            if self._races:
                lines += self._shadow("device", generic, allowed, site, what, "")
                self._units.use("device", 1)
        return [*lines, _GROUP.sub("", line).replace(f", {arguments[2]},", f", {width} {length},")]

    def _private(self, found: Access, variable: str, site: int) -> list[str]:
        """Return an access to a thread's variable, with a check unless it covers the whole variable."""
        room = self._pointers.variable_bytes_text(variable)
        if not room or (room.isdigit() and (found.pointer == variable or found.size > int(room))):
            return [without_scope(found.through(found.pointer))]
        checked = self._names.fresh()
        return [
            f"  {checked} = call ptr @gpuasync_private(ptr {found.pointer}, ptr {variable}, i64 {room}, "
            f"i64 {found.size}, i32 {encoded(site, found.kind)})",
            without_scope(found.through(checked)),
        ]

    def _shadow(self, which: str, pointer: str, size: str, site: int, kind: int, value: str) -> list[str]:
        lines: list[str] = []
        word, known = "0", 0
        bits = size_of(type_of(value)) * 8 if value else 0
        if bits in (8, 16, 32, 64) and value[0] not in "<[{" and kind == WRITE:
            lines, word = self._word(value, bits)
            known = bits // 8
        name = {READ: "read", WRITE: "write", ATOMIC: "atomic"}[kind]
        return [
            *lines,
            f"  call void @gpuasync.shadow.{which}.{name}(ptr {pointer}, i64 {size}, "
            f"i64 {packed(site, kind)}, i64 {word}, i32 {known})",
        ]

    def _word(self, value: str, bits: int) -> tuple[list[str], str]:
        """Return the code that converts a typed value to i64, and the name of the i64."""
        lines: list[str] = []
        type, text = type_of(value), value.removeprefix(type_of(value)).strip()
        if type.startswith("ptr"):
            whole = self._names.fresh()
            lines.append(f"  {whole} = ptrtoint {type} {text} to i64")
            text, type = whole, "i64"
        elif not type.startswith("i"):
            whole = self._names.fresh()
            lines.append(f"  {whole} = bitcast {type} {text} to i{bits}")
            text, type = whole, f"i{bits}"
        if type == "i64":
            return lines, text
        word = self._names.fresh()
        return [*lines, f"  {word} = zext {type} {text} to i64"], word

    def _synchronizes(self, line: str, type: str, pointer: str) -> list[str]:
        """Return code that records an atomic access as synchronization; the access acquires if its result is
        used.

        An access that does not change the value, such as a wait that polls a barrier, releases nothing."""
        result = line.split("=")[0].strip() if "=" in line.split("(")[0] else ""
        uses = len(re.findall(re.escape(result) + r"(?![\w.$-])", self._body)) if result else 0
        cast, generic = as_generic(type, pointer, self._names)
        releases = "false" if _changes_nothing(line) else "true"
        acquires = "true" if uses > 1 else "false"
        orders = f"i1 {releases}, i1 {acquires}"
        return [*cast, f"  call void @gpuasync.sync(ptr {generic}, i32 %gpuasync.lane, {orders})"]

    def _bulk_shared(
        self, pointer: str, width: str, length: str, kind: int, site: int, *, cast: bool
    ) -> list[str]:
        lines, pointer = as_generic(SHARED if cast else "ptr", pointer, self._names)
        if width != "i64":
            wide = self._names.fresh()
            lines.append(f"  {wide} = zext {width} {length} to i64")
            length = wide
        self._units.use("shared", 1)
        return [*lines, *self._shadow("shared", pointer, length, site, kind, "")]


def is_atomic(found: Access) -> bool:
    """Return whether an access synchronizes, because it is an update, or an atomic load or store."""
    return found.kind == ATOMIC or " atomic " in found.before


def _changes_nothing(line: str) -> bool:
    """Return whether an atomic access leaves the value unchanged, as a load or the addition of zero does."""
    if " load atomic " in line:
        return True
    update = line.partition(" atomicrmw ")[2].removeprefix("volatile ")
    if update.split(" ", 1)[0] not in ("or", "xor", "add", "sub"):
        return False
    operands = [operand.split(" ") for operand in update.split(", ")[1:]]
    return any(len(o) > 2 and o[0][:1] == "i" and o[0][1:].isdigit() and o[1] == "0" for o in operands)
