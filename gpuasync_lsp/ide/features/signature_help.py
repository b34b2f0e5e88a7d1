"""Signature help: the parameters of the called kernel or function, and the assembly of ops."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuasync_lsp.ide.lookup.op_tables import op_syntax
from gpuasync_lsp.ide.lookup.symbols import Definition, definitions
from gpuasync_lsp.syntax.source import SourceFile

_CALLED = re.compile(r'(@[\w$.]+|@"[^"\n]*")(?:::(@[\w$.]+|@"[^"\n]*"))?')
_LOOK_BACK = 2_000
"""The number of characters before the cursor in which to search for the call."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A callee's parameters, and the active one."""

    label: str
    parameters: tuple[tuple[int, int], ...]
    """The span of each parameter in `label`."""
    active: int


def signature_at(source: SourceFile, offset: int) -> Signature | None:
    """Return the signature for the argument list around `offset`, or else the op's assembly, or None."""
    return _of_callee(source, offset) or _of_op(source, offset)


def _of_op(source: SourceFile, offset: int) -> Signature | None:
    """Return the assembly of the op on this line; the operand after the last comma is active."""
    line = source.text[source.text.rfind("\n", 0, offset) + 1 : offset]
    found = _OP.match(line)
    label = op_syntax(found[1]) if found is not None and not found[1].startswith("func.") else None
    if found is None or label is None or "custom<" in label:
        return None
    written = line[found.end() :]
    colon = label.find(" : ")
    values = [m.span() for m in _VALUE.finditer(label) if colon < 0 or m.start() < colon]
    return Signature(label, tuple(values), min(_commas(written), max(len(values) - 1, 0)))


_OP = re.compile(r"\s*(?:%[\w$.\-:, %]+=\s*)?([A-Za-z_][\w.]*)\s")
_VALUE = re.compile(r"\$\w+")


def _of_callee(source: SourceFile, offset: int) -> Signature | None:
    start = max(source.text.rfind("\n\n", 0, offset), offset - _LOOK_BACK, 0)
    before = source.text[start:offset]
    opening = _open_parenthesis(before)
    if opening is None:
        return None
    head = before[:opening].rstrip()
    if head.endswith("args"):
        statement = head[head.rfind("gpu.launch_func") :] if "gpu.launch_func" in head else ""
        called = _CALLED.search(statement)
    else:
        called = next((m for m in _CALLED.finditer(head) if m.end() == len(head)), None)
        line = head[head.rfind("\n") + 1 :]
        if "call" not in line:
            return None
    if called is None:
        return None
    last = called[2] or called[1]
    callee = _callee(source, offset, called[1], called[2])
    if callee is None:
        return None
    parameters = parameter_texts(callee)
    label, spans = f"{last}(", list[tuple[int, int]]()
    for number, parameter in enumerate(parameters):
        label += ", " if number else ""
        spans.append((len(label), len(label) + len(parameter)))
        label += parameter
    return Signature(label + ")", tuple(spans), _commas(before[opening + 1 :]))


def parameter_texts(callee: Definition) -> list[str]:
    """Return the parameters of a function as written: `%m: memref<8xf32>`, or only a type."""
    header = callee.header
    at = header.find("(", header.find(callee.path[-1]))
    if at < 0:
        return []
    parts: list[str] = []
    depth, start = 0, at + 1
    for place in range(at, len(header)):
        mark = header[place]
        if mark in "([{<":
            depth += 1
        elif mark in ")]}" or (mark == ">" and header[place - 1] != "-"):
            depth -= 1
        if (mark == "," and depth == 1) or (mark == ")" and depth == 0):
            parts.append(" ".join(header[start:place].split()))
            start = place + 1
        if depth == 0:
            break
    return [part for part in parts if part]


def _callee(source: SourceFile, offset: int, first: str, second: str | None) -> Definition | None:
    path = tuple(name[1:].strip('"') for name in (first, second) if name)
    found = [d for d in definitions(source.chunk_at(offset)) if d.path[-len(path) :] == path]
    return found[0] if found else None


def _open_parenthesis(text: str) -> int | None:
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] == ")":
            depth += 1
        elif text[at] == "(":
            if depth == 0:
                return at
            depth -= 1
        elif text[at] in "{}":
            return None
    return None


def _commas(text: str) -> int:
    depth = count = 0
    for at, mark in enumerate(text):
        if mark in "([{<":
            depth += 1
        elif mark in ")]}" or (mark == ">" and text[at - 1] != "-"):
            depth -= 1
        elif mark == "," and depth == 0:
            count += 1
    return count
