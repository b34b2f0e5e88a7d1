"""Which symbols of LLVM IR text a run that starts with one function may use."""

from __future__ import annotations

import re

_DEFINE = re.compile(r"define .*?@(\"[^\"]+\"|[\w.$-]+)\(")
_SYMBOL = re.compile(r"@(\"[^\"]+\"|[\w.$-]+)")


def reachable(ir: str, entry: str) -> set[str]:
    """Return the names that `entry` mentions, directly or through the functions it mentions, and its own.

    Names are as LLVM writes them, without the quotes around them.
    """
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
