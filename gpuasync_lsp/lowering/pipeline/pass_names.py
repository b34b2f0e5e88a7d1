"""The passes and named pipelines of real mlir-opts, including those that this tool lacks.

`pass_names.txt` has each name with the first and the last of the releases that have it, as `mlir-opt --help`
lists them (`tools/pass_names.py`), without test passes of MLIR itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def real_passes() -> Mapping[str, tuple[int, int]]:
    """Return the first and the last release of each pass; later releases than the newest may have it, too."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    lines = (line.split() for line in text.splitlines())
    return {name: (int(first), int(last)) for name, first, last in lines}


def releases_of(name: str) -> str:
    """Return the releases that have a pass, as text; empty if there are none."""
    found = real_passes().get(name)
    if found is None:
        return "a build for tests" if name.startswith("test-") else ""
    first, last = found
    if last == max(newest for _, newest in real_passes().values()):
        return f"LLVM {first} and later" if first > 16 else "LLVM"
    return f"LLVM {first} to {last}" if first < last else f"LLVM {first}"
