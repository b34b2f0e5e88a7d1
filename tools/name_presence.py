#!/usr/bin/env python3
"""Asks the mlir-opt of the releases between those of the tables which types and attributes they read.

usage: name_presence.py NAMES.json 17=MLIR_OPT 18=MLIR_OPT 20=MLIR_OPT 21=MLIR_OPT

NAMES.json is what `op_tables.py --names` wrote of LLVM 16, 19 and 22; the releases between are added to it.
What both neighbours read is read, what neither does is not; of the rest a declaration is tried.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RELEASES = (16, 19, 22)


def is_read(program: str, dialect: str, name: str) -> bool:
    """Tell whether a release knows the name; a dialect that this build lacks is taken to have it."""
    text = f"{dialect}.{name}"
    source = f"({text})" if text[0] == "!" else f"() attributes {{x = {text}}}"
    done = subprocess.run(
        [program, "-"], input=f"func.func private @f{source}\n", capture_output=True, text=True, check=False
    )
    return not (f"`{name}` in dialect" in done.stderr and "unknown" in done.stderr)


def main() -> int:
    """Write the file again with what was answered."""
    path = Path(sys.argv[1])
    programs = {int(each.partition("=")[0]): each.partition("=")[2] for each in sys.argv[2:]}
    names: dict[str, dict[str, list[int]]] = json.loads(path.read_text())
    for dialect, known in names.items():
        generated = set(known[""])
        for version, program in programs.items():
            older = max(each for each in RELEASES if each < version)
            newer = min(each for each in RELEASES if each > version)
            if not {older, newer} <= generated:
                continue
            for name, releases in known.items():
                both, any_of = {older, newer} <= set(releases), {older, newer} & set(releases)
                if not name or both or (any_of and is_read(program, dialect, name)):
                    releases.append(version)
    for known in names.values():
        for releases in known.values():
            releases.sort()
    path.write_text(json.dumps(names, separators=(",", ":"), sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
