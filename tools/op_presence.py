#!/usr/bin/env python3
"""Asks real mlir-opts which ops they know: `op_presence.py TABLES 17=COMMAND 18=COMMAND ... > FILE`.

TABLES is what `op_tables.py` wrote. The answer is JSON: for each op, the releases among those asked that know
it (`yes`) and that do not (`no`). One whose mlir-opt lacks the whole dialect says nothing of it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile

ERROR = re.compile(r"(?:within split at )?<stdin>:(\d+) offset :\d+:\d+: error: (.*)")
UNKNOWN = re.compile(r"custom op '[^']*' is unknown")
NO_DIALECT = re.compile(r"Dialect `[^']*' not found")
AT_ONCE = 200


def ask(command: str, names: list[str]) -> dict[str, bool | None]:
    """Tell which of `names` the mlir-opt `command` knows; None where it lacks their dialect or stops."""
    found: dict[str, bool | None] = {}
    for at in range(0, len(names), AT_ONCE):
        part = names[at : at + AT_ONCE]
        text = "".join(f"{name} |\n// -----\n" for name in part)
        done = subprocess.run(
            [command, "--split-input-file", "-"], input=text, capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1) and len(part) > 1:
            found |= {key: value for name in part for key, value in ask(command, [name]).items()}
            continue
        if "within split at" not in done.stderr and len(part) > 1:
            # Some of those in Python wheels do not split their input, or do not say where.
            found |= {key: value for name in part for key, value in ask(command, [name]).items()}
            continue
        # Every part has two lines, the first one; what is said first of a part counts.
        said = {int(match[1]) // 2: match[2] for match in reversed(list(ERROR.finditer(done.stderr)))}
        for index, name in enumerate(part):
            message = said.get(index)
            if message is None or NO_DIALECT.search(message):
                found[name] = None
            else:
                found[name] = UNKNOWN.search(message) is None
    return found


def main() -> int:
    """Print the answer."""
    archive = zipfile.ZipFile(sys.argv[1])
    ops: dict[str, set[int]] = {}
    for document in archive.namelist():
        for name, entry in json.loads(archive.read(document))["ops"].items():
            ops[name] = {version for variant in entry["v"] for version in variant["in"]}
    asked: dict[str, dict[int, bool | None]] = {name: {} for name in ops}
    for each in sys.argv[2:]:
        version, _, command = each.partition("=")
        for name, known in ask(command, sorted(ops)).items():
            asked[name][int(version)] = known
        print(f"LLVM {version}: asked", file=sys.stderr)
    answer = {
        name: {
            "yes": sorted(v for v, k in asked[name].items() if k),
            "no": sorted(v for v, k in asked[name].items() if k is False),
        }
        for name in sorted(ops)
    }
    json.dump(answer, sys.stdout, indent=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
