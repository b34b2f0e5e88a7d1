"""Converts the typed pointers that LLVM 16 prints to opaque ones, as later releases parse them."""

from __future__ import annotations

import re

_POINTER = re.compile(r"\bptr<")
_LLVM_TYPE = re.compile(r"(ptr|struct|array|func|vec|void)\b")
_ACCESS = re.compile(r"( = llvm\.load .*? : )!llvm\.ptr<|(\bllvm\.store .*? : )!llvm\.ptr<")
_ATOMIC = re.compile(r"(= llvm\.atomicrmw .*?)  : ")
_GEP = re.compile(r"= llvm\.getelementptr .*? : \(!llvm\.ptr<")


def opaque_pointers(text: str) -> str:
    """Return a program of LLVM 16 with `!llvm.ptr`; the accesses name the type of the accessed value."""
    return "\n".join(map(_line, text.splitlines())) + "\n"


def _line(line: str) -> str:
    access = _ACCESS.search(line)
    if access is not None:
        pointee, pointer, end = _pointer_at(line, access.end())
        types = f"!llvm.{pointer} -> {pointee}" if access[1] else f"{pointee}, !llvm.{pointer}"
        line = line[: access.end() - len("!llvm.ptr<")] + types + line[end:]
    gep = _GEP.search(line)
    if gep is not None:
        pointee, _, _ = _pointer_at(line, gep.end())
        line = f"{line}, {pointee}"
    return _types(_ATOMIC.sub(r"\1 : !llvm.ptr, ", line))


def _types(text: str) -> str:
    start = 0
    while (found := _POINTER.search(text, start)) is not None:
        _, pointer, end = _pointer_at(text, found.end())
        text = text[: found.start()] + pointer + text[end:]
        start = found.start() + len(pointer)
    return text


def _pointer_at(text: str, start: int) -> tuple[str, str, int]:
    """Parse `f32, 3>` at `start`; return the pointee type, `ptr<3>`, and the end."""
    depth, end, comma = 1, start, None
    while depth:
        # The `>` of a function type's arrow is not a closing bracket.
        step = {"<": 1, "(": 1, ")": -1, ">": 0 if text[end - 1] == "-" else -1}.get(text[end], 0)
        depth += step
        if text[end] == "," and depth == 1:
            comma = end
        end += 1
    pointee = text[start : comma or end - 1].strip()
    space = text[comma + 1 : end - 1].strip() if comma is not None else ""
    if pointee.isdigit():
        pointee, space = "", pointee
    prefix = "!llvm." if _LLVM_TYPE.match(pointee) else ""
    return prefix + _types(pointee), f"ptr<{space}>" if space else "ptr", end
