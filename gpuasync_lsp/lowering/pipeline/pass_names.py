"""The passes and named pipelines of all releases of mlir-opt, including those that this tool lacks.

`pass_names.txt` lists each name with the first and the last release whose `mlir-opt --help` shows it
(`tools/pass_names.py`), without MLIR's test passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def real_passes() -> Mapping[str, tuple[int, int]]:
    """Map each pass to the first and the last recorded release that has it."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    lines = (line.split() for line in text.splitlines())
    return {name: (int(first), int(last)) for name, first, last in lines}


def releases_of(name: str) -> str:
    """Describe in words the releases that have a pass; empty if none has."""
    found = real_passes().get(name)
    if found is None:
        return "a build for tests" if name.startswith("test-") else ""
    first, last = found
    if last == max(newest for _, newest in real_passes().values()):
        return f"LLVM {first} and later" if first > 16 else "LLVM"
    return f"LLVM {first} to {last}" if first < last else f"LLVM {first}"
