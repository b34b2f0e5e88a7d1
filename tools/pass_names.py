#!/usr/bin/env python3
"""Lists the passes of real mlir-opts: `pass_names.py 16=COMMAND 19=COMMAND ... > FILE`.

Each line has the name of a pass or pipeline, and the first and last of the given releases that have it.
"""

from __future__ import annotations

import re
import subprocess
import sys

PASSES = re.compile(r"^  Compiler passes to run\n(.*?)^\S|^  Compiler passes to run\n(.*?)^  --", re.M | re.S)
NAME = re.compile(r"^      --([A-Za-z][\w.-]*)(?:=<[\w-]+>)? +-", re.M)


def main() -> None:
    """Print the table."""
    found: dict[str, list[int]] = {}
    for argument in sys.argv[1:]:
        release, _, command = argument.partition("=")
        done = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
        section = PASSES.search(done.stdout)
        assert section, command
        for name in NAME.findall(section[0]):
            found.setdefault(name, []).append(int(release))
    for name, releases in sorted(found.items()):
        print(name, min(releases), max(releases))


if __name__ == "__main__":
    main()
