"""Write the table of docs/lowering-agreement.md: passes compared with the real ones of all releases.

    python -m tests.differential.table --seed 7 --sample 60              # the whole table
    python -m tests.differential.table --seed 7 --sample 60 --llvm 17 20 # these columns

A cell says how many programs that have a gpu op are equal, of those that the release reads; failures with the
same message are. `-` is a pass that the mlir-opt at hand does not have. tests.differential.passes shows what
differs.
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
    """Return a column: what each of the passes gives in LLVM `version`."""
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
    """Print the table as Markdown, and what differs on standard error."""
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
