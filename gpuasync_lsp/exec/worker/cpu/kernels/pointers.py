"""What the pointers of a kernel point to, as its IR tells: variables of the thread, or shared memory."""

from __future__ import annotations

import re

from gpuasync_lsp.exec.worker.cpu.checks import room_of
from gpuasync_lsp.exec.worker.cpu.kernels.accesses import operand_end

SHARED = "ptr addrspace(3)"

_ALLOCA = re.compile(r"\s*(%\S+) = alloca ")
_INSERT = re.compile(r"\s*(%\S+) = insertvalue .+ (%\S+|poison|undef), (\S+) (\S+), ([\d, ]+)$")
_EXTRACT = re.compile(r"\s*(%\S+) = extractvalue .+ (%\S+), ([\d, ]+)$")
_COUNT = re.compile(r", i\d+ (\d+)(?=,|$)")
_POINTER = re.compile(
    r"\s*(%\S+) = (?:getelementptr|addrspacecast|bitcast) .*?ptr(?: addrspace\((\d+)\))? ([%@][^\s,]+)"
)


class Pointers:
    """Learns it of one kernel, instruction by instruction."""

    def __init__(self) -> None:
        self._local: dict[str, str] = {}
        """Pointers into variables of the thread, each with the variable; constants count as such."""
        self._shared: set[str] = set()
        """Generic pointers into shared memory."""
        self._rooms: dict[str, int] = {}
        """How many bytes the variables have."""
        self._fields: dict[str, dict[str, str]] = {}
        """Pointers to variables of the thread in descriptors: by descriptor and place."""

    def learn(self, line: str) -> bool:
        """Learn from an instruction that makes a pointer or a descriptor; tell whether it is one."""
        if (slot := _ALLOCA.match(line)) is not None:
            self._local[slot[1]] = slot[1]
            count = _COUNT.search(line)
            room = room_of(line[slot.end() : operand_end(line, slot.end())])
            self._rooms[slot[1]] = room * (int(count[1]) if count else 1)
        elif (made := _POINTER.match(line)) is not None:
            if made[2] == "3" or made[3] in self._shared:
                self._shared.add(made[1])
            elif made[3] in self._local or made[3].startswith("@"):
                self._local[made[1]] = self._local.get(made[3], made[3])
        elif (put := _INSERT.match(line)) is not None:
            fields = dict(self._fields.get(put[2], {}))
            if put[4] in self._local:
                fields[put[5]] = put[4]
            self._fields[put[1]] = fields
        elif (taken := _EXTRACT.match(line)) is not None:
            held = self._fields.get(taken[2], {}).get(taken[3])
            if held is not None:
                self._local[taken[1]] = self._local[held]
        else:
            return False
        return True

    def variable(self, pointer: str) -> str | None:
        """Return the variable of the thread that `pointer` points into, None if it is none."""
        return self._local.get(pointer)

    def room(self, variable: str) -> int:
        """Return how many bytes a variable of the thread has; 0 for a constant."""
        return self._rooms.get(variable, 0)

    def is_shared(self, type: str, pointer: str) -> bool:
        """Tell whether a pointer of this type surely points to shared memory."""
        return type == SHARED or pointer in self._shared

    def is_checked(self, type: str, pointer: str) -> bool:
        """Tell whether what is accessed by a pointer of this type is memory that others can see."""
        return type == SHARED or (pointer not in self._local and type in ("ptr", "ptr addrspace(1)"))
