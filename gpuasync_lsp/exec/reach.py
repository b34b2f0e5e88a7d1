"""Reachability from a program's entry: for symbols in LLVM IR, and for functions and kernel modules."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from gpuasync_lsp.syntax.symbols import references, symbol_name

_DEFINE = re.compile(r"define .*?@(\"[^\"]+\"|[\w.$-]+)\(")
_SYMBOL = re.compile(r"@(\"[^\"]+\"|[\w.$-]+)")


_NEEDED_BY_NAME = frozenset({"async.func", "func.func", "gpu.module", "llvm.func"})
"""Ops that are reachable only through references to their symbols; all others count as reachable."""


def unreached(module: ModuleOp, entry: Operation) -> list[Operation]:
    """Return the functions and kernel modules of `module` that are unreachable from `entry`."""
    # A reference to a symbol that is defined twice, which is an error, reaches both definitions.
    named: dict[str, list[Operation]] = {}
    pending: list[Operation] = []
    for op in module.body.block.ops:
        if op.name in _NEEDED_BY_NAME and (name := symbol_name(op)):
            named.setdefault(name, []).append(op)
        else:
            pending.append(op)
    pending += next((named.pop(name) for name, ops in named.items() if entry in ops), [entry])
    while pending:
        for reference in references(pending.pop()):
            pending += named.pop(reference.root_reference.data, ())
    return [op for ops in named.values() for op in ops]


def reachable(ir: str, entry: str) -> set[str]:
    """Return `entry` and the names that it refers to, directly or through other functions.

    Names are spelled as in LLVM IR, without quotes.
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
