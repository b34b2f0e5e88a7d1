#!/usr/bin/env python3
"""Asks mlir-opt of some releases behind which names of types and attributes a `<` has to stand.

usage: name_bodies.py NAMES.json BODIED.json 16=MLIR_OPT 19=MLIR_OPT 22=MLIR_OPT

NAMES.json is what `op_tables.py --names` and `name_presence.py` wrote. A name is written if each of these
releases that reads it refuses it alone for want of a `<`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ERROR = re.compile(r"^(?:within split at )?<stdin>(?::(\d+) offset )?:(\d+):\d+: error: (.*)$", re.MULTILINE)
LINES = 2
"""How many lines a part takes, its separator included."""
LACKS = re.compile(r"unknown|not found|unregistered|provides no (?:type|attribute) parsing hook")
BY_HAND = (
    "!gpu.mma_matrix",
    "!llvm.array",
    "!llvm.func",
    "!llvm.struct",
    "!ptr.ptr",
    "!quant.calibrated",
    "!quant.uniform",
    "!spirv.array",
    "!spirv.coopmatrix",
    "!spirv.image",
    "!spirv.matrix",
    "!spirv.ptr",
    "!spirv.rtarray",
    "!spirv.sampled_image",
    "!transform.op",
    "!transform.param",
    "#spirv.vce",
    "#xegpu.scatter_tdesc_attr",
)
"""Names that are not in NAMES.json, as their parsers are written in C++."""


def refused(program: str, names: Sequence[str]) -> dict[str, str]:
    """Return what a release says of names that stand alone, by name; nothing of those that it takes."""
    parts = (
        f"func.func private @f({name})\n"
        if name[0] == "!"
        else f"func.func private @f() attributes {{x = {name}}}\n"
        for name in names
    )
    command = [program, "--split-input-file", "-"]
    done = subprocess.run(
        command, input="// -----\n".join(parts), capture_output=True, text=True, check=False
    )
    said: dict[str, str] = {}
    for offset, line, message in ERROR.findall(done.stderr):
        at = int(line) + (int(offset) - 1 if offset else 0)
        said.setdefault(names[(at - 1) // LINES], message)
    return said


def bodied(programs: Iterable[str], names: Sequence[str]) -> list[str]:
    """Return the names that some release knows, each of which wants a `<` behind it."""
    answers = [refused(program, names) for program in programs]
    found: list[str] = []
    for name in names:
        said = [each.get(name, "") for each in answers]
        known = [each for each in said if not LACKS.search(each)]
        if known and all(each == "expected '<'" for each in known):
            found.append(name)
    return found


def main() -> int:
    """Write the names."""
    source, target, *programs = sys.argv[1:]
    tables: dict[str, dict[str, list[int]]] = json.loads(Path(source).read_text())
    names = {f"{dialect}.{name}" for dialect, known in tables.items() for name in known if name}
    found = bodied([each.partition("=")[2] for each in programs], sorted(names.union(BY_HAND)))
    Path(target).write_text(json.dumps(found, indent=0) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
