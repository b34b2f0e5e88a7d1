"""Loads, stores and atomic updates in LLVM IR: what each accesses, and the same by another pointer."""

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
    """Of what is accessed: `float`, `<4 x i32>`."""

    value: str
    """What a store writes, without its type; empty for others."""

    pointer_type: str
    pointer: str
    alignment: int
    """What the instruction says, the size of an atomic update, or 1."""

    before: str
    after: str
    """The text around the pointer and its type."""

    @property
    def size(self) -> int:
        """How many bytes; 0 where that is not known."""
        return size_of(self.type)

    def through(self, pointer: str) -> str:
        """Return the instruction with another pointer of the same type."""
        return f"{self.before}{self.pointer_type} {pointer}{self.after}"


def access(line: str) -> Access | None:
    """Return what an instruction accesses, or None for any other instruction."""
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
    """Return the type that the text of an operand begins with: `<2 x i8>` of `<2 x i8> zeroinitializer`."""
    if operand[:1] in _OPEN:
        return operand[: _bracket_end(operand, 0)]
    type, _, rest = operand.partition(" ")
    space = rest.partition(" ")[0]
    return f"{type} {space}" if space.startswith("addrspace(") else type


def operand_end(line: str, start: int) -> int:
    """Return where the operand that begins at `start` ends: at a comma outside brackets, or with the line."""
    depth = 0
    for index in range(start, len(line)):
        character = line[index]
        depth += (character in _OPEN) - (character in _CLOSE)
        if character == "," and not depth:
            return index
    return len(line)


def _word_end(line: str, start: int) -> int:
    """Return where the value at `start` ends: a name, or a constant expression with its brackets."""
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
