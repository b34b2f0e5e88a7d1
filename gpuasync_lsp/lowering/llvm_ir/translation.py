"""The LLVM IR of one top-level op of a module, and the declarations that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.llvm_ir.types import c_string, symbol


class Line(NamedTuple):
    """A line of LLVM IR, and the op that it translates."""

    text: str
    op: Operation | None = None


@dataclass
class Needs:
    """Declarations and constants that the LLVM IR of an op needs in its module; other ops may share them."""

    declared: dict[str, str] = field(default_factory=dict[str, str])
    """Maps the name of each called function to its declaration."""
    defined: set[str] = field(default_factory=set[str])
    strings: dict[str, str] = field(default_factory=dict[str, str])
    """Maps the symbol of each constant string to its definition."""
    constructors: list[str] = field(default_factory=list[str])
    """Entries of the constructor table; `destructors` has those of the destructor table."""
    destructors: list[str] = field(default_factory=list[str])


@dataclass
class Translation:
    """The LLVM IR of one top-level op of a module."""

    lines: list[Line] = field(default_factory=list[Line])
    needs: Needs = field(default_factory=Needs)
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Maps each value of a function to its LLVM operand."""
    assumes: bool = False
    """Whether to emit optimizer assumptions: ranges of registers, attributes of parameters."""
    tells_bodies: bool = False
    """Whether to emit calls that mark the bodies of async.execute and the waits for them (`ops/tasks.py`)."""

    def declare(self, name: str, result: str, parameters: Iterable[str]) -> str:
        """Record the declaration of a called function; return its symbol."""
        declared = self.needs.declared
        if name not in declared:
            declared[name] = f"declare {result} {symbol(name)}({', '.join(parameters)})"
        return symbol(name)

    def string(self, name: str, text: str) -> str:
        """Add a zero-terminated string constant called `name`; return its symbol."""
        data = text.encode() + b"\0"
        line = f"{symbol(name)} = private unnamed_addr constant [{len(data)} x i8] {c_string(data)}"
        self.needs.strings[symbol(name)] = line
        return symbol(name)


def closing(needs: Iterable[Needs], order: Sequence[str] = ()) -> list[str]:
    """Return the lines that end a module: strings, declarations of undefined functions, constructors.

    Functions in `order` are declared first, the others sorted by name."""
    needs = list(needs)
    strings = {symbol: line for each in needs for symbol, line in each.strings.items()}
    declared = {name: line for each in reversed(needs) for name, line in each.declared.items()}
    for each in needs:
        for name in each.defined & declared.keys():
            del declared[name]
    names = [*(name for name in order if name in declared), *sorted(declared.keys() - set(order))]
    lines = [*strings.values(), *(declared[name] for name in names)]
    for kind in ("constructors", "destructors"):
        entries: list[str] = [entry for each in needs for entry in getattr(each, kind)]
        if entries:
            type = f"[{len(entries)} x {{ i32, ptr, ptr }}]"
            lines.append(f"@llvm.global_{kind[0]}tors = appending global {type} [{', '.join(entries)}]")
    return lines
