"""Parses loads, stores and atomic updates in LLVM IR, and replaces their pointers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuasync_lsp.exec.worker.cpu.checks import ATOMIC, READ, WRITE, size_of

_HEAD = re.compile(
    r"\s*(?:%\S+ = )?(?:(load|store)(?: atomic)?(?: volatile)? |atomicrmw(?: volatile)? \w+ |"
    r"cmpxchg(?: weak)?(?: volatile)? )"
)
_POINTER = re.compile(r"(ptr(?: addrspace\(\d+\))?) ")
_ALIGN = re.compile(r", align (\d+)")
_OPEN, _CLOSE = "([{<", ")]}>"


@dataclass(frozen=True)
class Access:
    """One instruction that accesses memory, as text."""

    kind: int
    """`READ`, `WRITE` or `ATOMIC`."""

    type: str
    """The accessed type: `float`, `<4 x i32>`."""

    value: str
    """The stored value without its type; empty for loads and atomic updates."""

    pointer_type: str
    pointer: str
    alignment: int
    """The declared alignment; without one, the size of an atomic update, or 1."""

    before: str
    after: str
    """The text before and after the pointer and its type."""

    @property
    def size(self) -> int:
        """The number of accessed bytes; 0 if unknown."""
        return size_of(self.type)

    def through(self, pointer: str) -> str:
        """Return the instruction with its pointer replaced by one of the same type."""
        return f"{self.before}{self.pointer_type} {pointer}{self.after}"


def access(line: str) -> Access | None:
    """Parse a load, store or atomic update; return None for any other instruction."""
    head = _HEAD.match(line)
    if head is None:
        return None
    start = head.end()
    value = type = ""
    if head[1] is not None:
        end = operand_end(line, start)
        type = type_of(line[start:end])
        value = line[start + len(type) : end].strip()
        start = end + 2
    pointer_type = _POINTER.match(line, start)
    if pointer_type is None:
        return None
    begin = pointer_type.end()
    end = min(_word_end(line, begin), operand_end(line, begin))
    if head[1] is None:
        operand = line[operand_end(line, begin) + 2 :]
        type = type_of(operand)
    kind = {"load": READ, "store": WRITE}.get(head[1], ATOMIC)
    align = _ALIGN.search(line, end)
    alignment = int(align[1]) if align is not None else 1
    if kind == ATOMIC:
        alignment = size_of(type)
    return Access(kind, type, value, pointer_type[1], line[begin:end], alignment, line[:start], line[end:])


def type_of(operand: str) -> str:
    """Return the type at the start of an operand: `<2 x i8>` for `<2 x i8> zeroinitializer`."""
    if operand[:1] in _OPEN:
        return operand[: _bracket_end(operand, 0)]
    type, _, rest = operand.partition(" ")
    space = rest.partition(" ")[0]
    return f"{type} {space}" if space.startswith("addrspace(") else type


def operand_end(line: str, start: int) -> int:
    """Return the end of the operand at `start`, a comma outside of brackets or the end of the line."""
    depth = 0
    for index in range(start, len(line)):
        character = line[index]
        depth += (character in _OPEN) - (character in _CLOSE)
        if character == "," and not depth:
            return index
    return len(line)


def _word_end(line: str, start: int) -> int:
    """Return the end of the value at `start`, which is a name or a constant expression with its brackets."""
    if line[start] in "%@":
        space = line.find(" ", start)
        return space if space >= 0 else len(line)
    bracket = line.find("(", start)
    return _bracket_end(line, bracket) if bracket >= 0 else operand_end(line, start)


def _bracket_end(line: str, start: int) -> int:
    depth = 0
    for index in range(start, len(line)):
        depth += (line[index] in _OPEN) - (line[index] in _CLOSE)
        if not depth:
            return index + 1
    return len(line)
