"""Groups of threads that are on the same path of a kernel, with the values of their registers."""

from __future__ import annotations

from itertools import compress
from typing import NamedTuple

from gpuasync_lsp.analysis.model.memory.numbers import Column

_DEEP = 24


class Shown(NamedTuple):
    """The memory that a memref or pointer in a kernel refers to."""

    root: int
    """The number of the launch argument that contains the memory; `OWN` for memory that no other launch
    shares."""
    at: Column = 0
    """Position of the first element, in bytes from the argument's first element."""
    strides: tuple[int | None, ...] = ()
    base: int | None = 0
    """Position of the descriptor's pointer, from which views count their offsets."""


OWN = -1
Value = Column | Shown
Given = int | str | Shown | None


class Group:
    """Threads that are on the same path, and the values of their registers."""

    def __init__(
        self, count: int, known: dict[int, Value], around: Group | None, kept: list[bool] | None
    ) -> None:
        self.count, self.known, self.around, self.kept = count, known, around, kept
        self.depth: int = around.depth + 1 if around is not None else 0

    def read(self, register: int) -> Value:
        """Return the value of `register` for the threads of this group."""
        if register in self.known or self.around is None:
            return self.known.get(register)
        found = self.known[register] = only(self.around.read(register), self.kept)
        return found

    def some(self, kept: list[bool]) -> Group:
        """Return the subgroup of the threads in the mask `kept`."""
        return self._with(sum(kept), kept)

    def again(self) -> Group:
        """Return a copy of the group whose registers can be set separately."""
        return self._with(self.count, None)

    def _with(self, count: int, kept: list[bool] | None) -> Group:
        if self.depth > _DEEP:
            self._have_all()
        return Group(count, {}, self, kept)

    def _have_all(self) -> None:
        group, registers = self.around, set(self.known)
        while group is not None:
            registers.update(group.known)
            group = group.around
        for register in registers:
            self.read(register)
        self.around, self.depth = None, 0


def is_many(value: Value) -> bool:
    """Return whether the value differs between threads."""
    return isinstance(value, list) or (isinstance(value, Shown) and isinstance(value.at, list))


def only(value: Value, kept: list[bool] | None) -> Value:
    if kept is None:
        return value
    if isinstance(value, list):
        return list(compress(value, kept))
    if isinstance(value, Shown) and isinstance(value.at, list):
        return value._replace(at=list(compress(value.at, kept)))
    return value


def parted(group: Group, condition: int | list[int]) -> tuple[Group | None, Group | None]:
    """Split a group into the threads for which a condition holds and the rest; None for an empty group."""
    if isinstance(condition, int):
        return (group.again(), None) if condition else (None, group.again())
    kept = [bool(n) for n in condition]
    if all(kept):
        return group.again(), None
    if not any(kept):
        return None, group.again()
    return group.some(kept), group.some([not n for n in kept])
