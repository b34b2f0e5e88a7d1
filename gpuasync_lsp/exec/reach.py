"""Reachability of symbols in LLVM IR from a program's entry."""

from __future__ import annotations

import re

_DEFINE = re.compile(r"define .*?@(\"[^\"]+\"|[\w.$-]+)\(")
_SYMBOL = re.compile(r"@(\"[^\"]+\"|[\w.$-]+)")


def reachable(ir: str, entry: str) -> set[str]:
    """Return `entry` and the names that it refers to, directly or through other functions.

    Names are spelled as in LLVM IR, without quotes."""
    mentions: dict[str, set[str]] = {}
    inside: set[str] = set()
    for line in ir.splitlines():
        define = _DEFINE.match(line)
        if define is not None:
            inside = mentions.setdefault(define[1].strip('"'), set())
        elif line.startswith("  "):
            inside.update(name.strip('"') for name in _SYMBOL.findall(line))
    found: set[str] = set()
    pending = [entry.strip('"')]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += mentions.get(name, ())
    return found
