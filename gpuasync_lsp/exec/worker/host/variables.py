"""Moves global host variables to the arena, where accesses to them are checked like any other."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpuasync_lsp.exec.worker.jit import host_machine, parse

_SYMBOL = re.compile(r"@(\"[^\"]+\"|[\w.$-]+)")
_NAMED = re.compile(r"@(\"[^\"]+\"|[\w.$-]+) = ")
_EXTERNAL = re.compile(r"@\S+ = (?:[a-z_]+ )*external ")


def place_globals(ir: str, allocate: Callable[[int], int | None]) -> str:
    """Return `ir` with its variables moved to addresses from `allocate`, and with `gpuasync_begin()`.

    `gpuasync_begin` initializes the moved variables. Strings, variables that contain an address or to which
    another variable refers, and those for which `allocate` returns None are not moved. (Variables with
    addresses, such as modules, are set before `gpuasync_begin` runs.)"""
    lines = ir.splitlines()
    candidates: dict[str, int] = {}
    elsewhere: set[str] = set()
    for number, line in enumerate(lines):
        found = _definition(line)
        if found is None:
            if not line.startswith("  "):
                elsewhere.update(_SYMBOL.findall(line))
            continue
        name, rest = found
        elsewhere.update(_SYMBOL.findall(rest))
        plain = "@" not in rest and ' c"' not in rest and not re.search(r"\bptr\b", rest)
        if plain and not name.startswith("llvm.") and not _EXTERNAL.match(line):
            candidates[name] = number
    candidates = {name: number for name, number in candidates.items() if name not in elsewhere}
    fill = ["define void @gpuasync_begin() {"]
    if candidates:
        module = parse("\n".join(lines[number] for number in candidates.values()))
        layout = host_machine().target_data
        addresses: dict[str, str] = {}
        for variable in module.global_variables:
            name = str(variable).split(" ", 1)[0][1:]
            size = layout.get_abi_size(variable.global_value_type)
            address = allocate(size) if size else None
            if address is None:
                continue
            place = addresses[name] = f"inttoptr (i64 {address} to ptr)"
            fill.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr @{name}, i64 {size}, i1 false)")

        def moved(found: re.Match[str]) -> str:
            return addresses.get(found[1], found[0])

        lines = [_SYMBOL.sub(moved, line) if line.startswith("  ") else line for line in lines]
    declared = "declare void @llvm.memcpy.p0.p0.i64("
    if len(fill) > 1 and not any(line.startswith(declared) for line in lines):
        fill.insert(0, f"{declared}ptr, ptr, i64, i1)")
    return "\n".join([*lines, *fill, "  ret void", "}", ""])


def _definition(line: str) -> tuple[str, str] | None:
    """Return the name of the variable that `line` defines, and the text after `global` or `constant`."""
    named = _NAMED.match(line)
    if named is None:
        return None
    at = named.end()
    while (end := line.find(" ", at)) >= 0:
        word = line[at:end]
        if word in ("global", "constant"):
            return named[1], line[end + 1 :]
        if not word.replace("_", "").isalpha():
            return None
        at = end + 1
    return None
