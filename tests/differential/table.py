"""Writes the table of docs/lowering-agreement.md: passes compared with the real ones of all releases.

    python -m tests.differential.table --seed 7 --sample 60              # the whole table
    python -m tests.differential.table --seed 7 --sample 60 --llvm 17 20 # these columns

A cell has the number of equal programs with a gpu op, out of those that the release accepts; failures
with the same message count as equal. `-` is a pass that the available mlir-opt lacks.
tests.differential.passes shows the differences.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence

from tests.differential.passes import compare_texts, programs, readable, tool_with

RELEASES = tuple(range(16, 25))
PASSES = (
    "gpu-kernel-outlining",
    "gpu-async-region",
    "convert-scf-to-cf",
    "expand-strided-metadata",
    "lower-affine",
    "convert-gpu-to-nvvm",
    "convert-gpu-to-rocdl",
    "gpu-to-llvm",
    "reconcile-unrealized-casts",
    "canonicalize",
    "cse",
)


def cells(version: int, seed: int, sample: int) -> list[str]:
    """Return a column: the figures of each pass in LLVM `version`."""
    names = sorted(name for name, text in programs(version).items() if "gpu." in text)
    drawn = random.Random(seed).sample(names, min(sample, len(names)))
    chosen = readable(version, frozenset(drawn))
    found: list[str] = []
    for each in PASSES:
        if tool_with(version, f"--{each}")("module {}", f"--{each}").code:
            found.append("-")
            continue
        compared = compare_texts(version, each, chosen)
        for name in compared.different:
            print(f"{version} {each} {name}", file=sys.stderr)
        found.append(f"{compared.equal} of {compared.compared}")
    return found


def main(arguments: Sequence[str]) -> int:
    """Print the table as Markdown, and the differences to standard error."""
    parser = argparse.ArgumentParser(description="passes beside the real ones in all releases")
    parser.add_argument("--llvm", type=int, nargs="+", default=list(RELEASES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=60)
    args = parser.parse_args(arguments)
    columns = {version: cells(version, args.seed, args.sample) for version in args.llvm}
    print("| pass |" + "".join(f" {version} |" for version in columns))
    print("|---|" + "---|" * len(columns))
    for row, name in enumerate(PASSES):
        print(f"| `{name}` |" + "".join(f" {column[row]} |" for column in columns.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
