"""Measures the time from opening the first file in a fresh VS Code to its first squiggle.

A second extension, which does nothing but report a problem at the start of each file, shows how much of that
time VS Code itself needs.

    python -m benchmarks.first_squiggle [RUNS]

Needs what `tests/editors/setup.sh` installs, and `make dist`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.editors.conftest import FIXTURES
from tests.editors.workbench import workbench

TRIVIAL = "gpuasync-tests.trivial-1.0.0"


def main(runs: int) -> None:
    """Print the times of `runs` fresh workbenches, and the load of the machine."""
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as scratch:
            workspace = Path(scratch, "workspace")
            shutil.copytree(FIXTURES, workspace)
            with workbench(Path(scratch, "vscode"), None, beside=TRIVIAL, whole=True) as vscode:
                (times, *_) = vscode.act("first-squiggle", workspace).splitlines()
            print(f"{times} (load {os.getloadavg()[0]:.1f})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
