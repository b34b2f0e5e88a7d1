"""Determines from a kernel's IR which pointers point to variables of the thread or to shared memory."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpuasync_lsp.exec.worker.cpu.checks import type_bytes
from gpuasync_lsp.exec.worker.cpu.kernels.accesses import operand_end

SHARED = "ptr addrspace(3)"

_CHECKED = ("ptr", "ptr addrspace(1)", "ptr addrspace(7)")
"""Types of pointers to generic and global memory, and to workgroup memory of a cluster."""

_ALLOCA = re.compile(r"\s*(%\S+) = alloca ")
_INSERT = re.compile(
    r"\s*(%\S+) = insertvalue .+ (%\S+|poison|undef), (ptr addrspace\(\d+\)|\S+) (\S+), ([\d, ]+)$"
)
_EXTRACT = re.compile(r"\s*(%\S+) = extractvalue .+ (%\S+), ([\d, ]+)$")
_COUNT = re.compile(r", i\d+ (\d+)(?=,|$)")
_UNKNOWN_COUNT = re.compile(r", (i\d+) (%[^\s,]+)(?=,|$)")
_POINTER = re.compile(
    r"\s*(%\S+) = (?:getelementptr|addrspacecast|bitcast) .*?ptr(?: addrspace\((\d+)\))? ([%@][^\s,]+)"
)


class Pointers:
    """The pointers of one kernel, collected instruction by instruction."""

    def __init__(self, buffers: Mapping[str, int], *, windows: bool = False) -> None:
        """`buffers` maps shared memory variables to their sizes; 0 if the launch determines the size.

        With `windows`, workgroup memory is in the arena and checked like global memory (`clusters.py`)."""
        self._buffers = buffers
        self._windows = windows
        self._inside: dict[str, str] = {}
        """Maps each pointer into shared memory to the buffer that it points into."""
        self._local: dict[str, str] = {}
        """Maps each pointer into a variable of the thread or into a constant to that variable or constant."""
        self._shared: set[str] = set()
        """Generic pointers that point into shared memory."""
        self._sizes: dict[str, int] = {}
        """Maps the thread's variables to their sizes in bytes; 0 for dynamic sizes."""
        self.counts: dict[str, tuple[str, str, int]] = {}
        """Maps variables of dynamic size to type and name of the element count, and the element's size."""
        self._fields: dict[str, dict[str, str]] = {}
        """Maps descriptors, then fields, to stored pointers, which point to variables or into buffers."""

    def learn(self, line: str) -> bool:
        """Process an instruction that creates a pointer or a descriptor; return False for any other."""
        if (slot := _ALLOCA.match(line)) is not None:
            self._local[slot[1]] = slot[1]
            count = _COUNT.search(line)
            variable_bytes = type_bytes(line[slot.end() : operand_end(line, slot.end())])
            self._sizes[slot[1]] = variable_bytes * (int(count[1]) if count else 1)
            if (unknown := _UNKNOWN_COUNT.search(line, slot.end())) is not None:
                self._sizes[slot[1]] = 0
                self.counts[slot[1]] = (unknown[1], unknown[2], variable_bytes)
        elif (made := _POINTER.match(line)) is not None:
            if made[2] == "3" or made[3] in self._shared:
                self._shared.add(made[1])
                if (buffer := self._inside.get(made[3], made[3])) in self._buffers:
                    self._inside[made[1]] = buffer
            elif made[3] in self._local or made[3].startswith("@"):
                self._local[made[1]] = self._local.get(made[3], made[3])
        elif (put := _INSERT.match(line)) is not None:
            fields = dict(self._fields.get(put[2], {}))
            if put[4] in self._local or put[4] in self._inside:
                fields[put[5]] = put[4]
            self._fields[put[1]] = fields
        elif (taken := _EXTRACT.match(line)) is not None:
            held = self._fields.get(taken[2], {}).get(taken[3])
            if held in self._local:
                self._local[taken[1]] = self._local[held]
            elif held in self._inside:
                self._inside[taken[1]] = self._inside[held]
        else:
            return False
        return True

    def variable(self, pointer: str) -> str | None:
        """Return the thread's variable that `pointer` points into, or None."""
        return self._local.get(pointer)

    def variables(self) -> dict[str, int]:
        """Return the thread's variables with their sizes in bytes; 0 for dynamic sizes."""
        return dict(self._sizes)

    def reached(self, name: str) -> set[str]:
        """Return the variables that a value points to, or, for a descriptor, that its fields point to."""
        held = {name, *self._fields.get(name, {}).values()}
        return {self._local[each] for each in held if each in self._local}

    def sized_code(self, line: str, variable: str, site: int, most: int) -> list[str]:
        """Return the code that allocates a variable of dynamic size, and computes its size.

        A size over `most` bytes is reported, and no memory is allocated: accesses to the variable are not
        executed."""
        type, count, size = self.counts[variable]
        if type != "i64" or not size:
            return [line]
        bound = _variable_bytes(variable)
        return [
            f"  {bound}.many = icmp ugt i64 {count}, {most // size}",
            f"  call void @gpuasync.variable(i1 {bound}.many, i64 {count}, i32 {size}, i32 {site})",
            f"  {bound}.count = select i1 {bound}.many, i64 0, i64 {count}",
            line.replace(f", i64 {count}", f", i64 {bound}.count", 1),
            f"  {bound} = mul i64 {bound}.count, {size}",
        ]

    def variable_bytes_text(self, variable: str) -> str:
        """Return the size of a variable as an LLVM operand; empty if unknown."""
        if variable in self.counts:
            type, _, size = self.counts[variable]
            return _variable_bytes(variable) if type == "i64" and size else ""
        return str(self._sizes.get(variable) or "")

    def is_shared(self, type: str, pointer: str) -> bool:
        """Return whether a pointer of this type is known to point to shared memory."""
        return not self._windows and (type == SHARED or pointer in self._shared)

    def buffer(self, type: str, pointer: str) -> tuple[str, int] | None:
        """Return the shared memory buffer that a pointer derives from, with its size; None if unknown."""
        name = self._inside.get(pointer, pointer) if self.is_shared(type, "") else ""
        size = self._buffers.get(name, 0)
        return (name, size) if size else None

    def is_checked(self, type: str, pointer: str) -> bool:
        """Return whether a pointer of this type may point to memory that other threads can access."""
        return type == SHARED or (pointer not in self._local and type in _CHECKED)


def _variable_bytes(variable: str) -> str:
    return f"%gpuasync.size.{variable[1:]}"
