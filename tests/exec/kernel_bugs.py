"""Kernels with a bug and their repaired twins, read from a short notation and converted to MLIR.

A case begins with `== NAME: FINDING`, followed by `grid X [Y]`, `block X [Y]`, `args NAME:TYPE ...`
(memory that host and device share), `raw NAME:TYPE ...` (uninitialized device memory), `work NAME:TYPE
...` (workgroup memory), `private NAME:TYPE ...`. Lines that begin with `B|` are only in the kernel with
the bug, those with `F|` only in the repaired one. `<<` marks the lines of the expected finding, or of
one of its related places.

`ld`, `st`, `atom` load, store and update an element, `bar` is a barrier; `add`, `sub`, `mul`, `div`,
`rem`, `and`, `xor` compute with indices, `lt`, `eq`, `ne`, `gt` compare them; other lines are MLIR.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"

_INDEX = {"add": "addi", "sub": "subi", "mul": "muli", "div": "divui", "rem": "remui", "and": "andi"}
_INDEX |= {"xor": "xori", "shl": "shli", "shr": "shrui", "min": "minui"}
_COMPARE = {"lt": "ult", "gt": "ugt", "eq": "eq", "ne": "ne", "le": "ule"}
_NUMBERS = (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 48, 63, 64, 65, 96, 128, 256, 1000)


@dataclass(frozen=True)
class Bug:
    """A case: the broken and the repaired program, and the finding expected in the first."""

    name: str
    finding: str
    broken: str
    sound: str
    lines: frozenset[int]
    """The lines of the broken program at which the finding or its related places must be."""

    def __str__(self) -> str:
        return self.name


def bugs(folder: str) -> list[Bug]:
    """Read the cases of a folder of fixtures."""
    found: list[Bug] = []
    for path in sorted((FIXTURES / folder).glob("*.txt")):
        for text in re.split(r"^== ", path.read_text(), flags=re.MULTILINE)[1:]:
            head, *body = text.splitlines()
            name, _, finding = head.partition(": ")
            broken, lines = _program(body, "B|")
            sound, _ = _program(body, "F|")
            found.append(Bug(name, finding.strip(), broken, sound, frozenset(lines)))
    return found


def _program(body: list[str], kept: str) -> tuple[str, list[int]]:
    told: dict[str, list[str]] = {}
    types: dict[str, str] = {}
    code: list[str] = []
    for line in body:
        if not line.strip() or line.startswith("#"):
            continue
        if line[:2] in ("B|", "F|"):
            if line[:2] != kept:
                continue
            line = line[2:]
        key, *rest = line.split()
        if key in ("grid", "block", "args", "raw", "work", "private"):
            told[key] = rest
            space = {"work": ", #gpu.address_space<workgroup>", "private": ", #gpu.address_space<private>"}
            for each in rest if key in ("args", "raw", "work", "private") else ():
                name, _, type = each.partition(":")
                types[name] = f"memref<{type}{space.get(key, '')}>"
        else:
            code.append(line.strip())
    return _module(told, types, code)


def _module(told: dict[str, list[str]], types: dict[str, str], code: list[str]) -> tuple[str, list[int]]:
    def declared(key: str) -> str:
        return ", ".join(f"%{n} : {types[n]}" for n in (each.split(":")[0] for each in told.get(key, [])))

    grid, block = ([*told[key], "1", "1"][:3] for key in ("grid", "block"))
    lines = [f"func.func @main({declared('args')}) {{"]
    lines += [f"  %c{n} = arith.constant {n} : index" for n in _NUMBERS]
    lines += [f"  %i{n} = arith.constant {n} : i32" for n in (0, 1, 2, 4, 5, 7, 8, 16, 31, 32)]
    lines += [f"  %f{n} = arith.constant {n}.0 : f32" for n in (0, 1, 2)]
    raw = [each.split(":")[0] for each in told.get("raw", [])]
    if raw:
        lines.append("  %q = gpu.wait async")
    for n in raw:
        lines.append(f"  %{n}, %{n}_ready = gpu.alloc async [%q] () : {types[n]}")
    lines.append(
        "  gpu.launch blocks(%bx, %by, %bz) in ("
        + ", ".join(f"%g{a} = %c{n}" for a, n in zip("xyz", grid, strict=True))
        + ") threads(%tx, %ty, %tz) in ("
        + ", ".join(f"%s{a} = %c{n}" for a, n in zip("xyz", block, strict=True))
        + ")"
    )
    if "work" in told:
        lines.append(f"      workgroup({declared('work')})")
    if "private" in told:
        lines.append(f"      private({declared('private')})")
    lines[-1] += " {"
    marked: list[int] = []
    for line in code:
        if line.endswith("<<"):
            marked.append(len(lines) + 1)
            line = line.removesuffix("<<").strip()
        lines.append("    " + _expanded(line, types))
    lines += ["    gpu.terminator", "  }"]
    for n in raw:
        lines += [f"  %{n}_end = gpu.dealloc async [%q] %{n} : {types[n]}"]
    if raw:
        lines.append("  gpu.wait [%q]")
    return "\n".join([*lines, "  return", "}", ""]), marked


def _expanded(line: str, types: dict[str, str]) -> str:
    if line == "bar":
        return "gpu.barrier"
    if (load := re.fullmatch(r"(%\w+) = ld (\w+)\[(.*)\]", line)) is not None:
        return f"{load[1]} = memref.load %{load[2]}[{load[3]}] : {types[load[2]]}"
    if (store := re.fullmatch(r"st (%\w+) (\w+)\[(.*)\]", line)) is not None:
        return f"memref.store {store[1]}, %{store[2]}[{store[3]}] : {types[store[2]]}"
    if (atom := re.fullmatch(r"(%\w+) = atom (\w+) (%\w+) (\w+)\[(.*)\]", line)) is not None:
        type = types[atom[4]]
        element = re.split(r"[x<,>]", type.removeprefix("memref<").split(",")[0].rstrip(">"))[-1]
        return (
            f"{atom[1]} = memref.atomic_rmw {atom[2]} {atom[3]}, %{atom[4]}[{atom[5]}] : "
            f"({element}, {type}) -> {element}"
        )
    if (shuffle := re.fullmatch(r"(%\w+) = shfl (\w+) (%\w+) (%\w+)", line)) is not None:
        name, mode, value, offset = shuffle.groups()
        return f"{name}, {name}_ok = gpu.shuffle {mode} {value}, {offset}, %i32 : f32"
    if (op := re.fullmatch(r"(%\w+) = (\w+) (%\w+) (%\w+)", line)) is not None:
        if op[2] in _INDEX:
            return f"{op[1]} = arith.{_INDEX[op[2]]} {op[3]}, {op[4]} : index"
        if op[2] in _COMPARE:
            return f"{op[1]} = arith.cmpi {_COMPARE[op[2]]}, {op[3]}, {op[4]} : index"
        if op[2] in ("addf", "mulf"):
            return f"{op[1]} = arith.{op[2]} {op[3]}, {op[4]} : f32"
        if op[2] == "addi":
            return f"{op[1]} = arith.addi {op[3]}, {op[4]} : i32"
    if line.startswith("if "):
        return "scf." + line
    if line.startswith("for "):
        return "scf." + line
    return line
