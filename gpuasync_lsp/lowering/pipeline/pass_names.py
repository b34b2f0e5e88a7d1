"""The passes and named pipelines of real mlir-opts, those that this tool lacks included.

`pass_names.txt` has a name with the first and the last of the releases that have it, as `mlir-opt
--help` lists them (`tools/pass_names.py`), without passes for tests of MLIR itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def real_passes() -> Mapping[str, tuple[int, int]]:
    """Return the first and the last release that has each pass; more may follow the newest of all."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    lines = (line.split() for line in text.splitlines())
    return {name: (int(first), int(last)) for name, first, last in lines}


def releases_of(name: str) -> str:
    """Return which releases have a pass, for people; empty for none."""
    found = real_passes().get(name)
    if found is None:
        return "a build for tests" if name.startswith("test-") else ""
    first, last = found
    if last == max(newest for _, newest in real_passes().values()):
        return f"LLVM {first} and later" if first > 16 else "LLVM"
    return f"LLVM {first} to {last}" if first < last else f"LLVM {first}"
