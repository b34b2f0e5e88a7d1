"""What `check` misses of what the real mlir-opt refuses, and what it refuses falsely, by dialect.

    python -m tests.differential.refusals FOLDER_OR_FILE ... --llvm 22 --sample 60 --seed 7

takes the parts (between `// -----`) of files; those with a dialect that this mlir-opt lacks are left out. A
refused part belongs to the dialect of the op that the first error names; one whose error names none (a type,
an attribute, a literal) to "none named". The last line is of the dialects around asynchronous GPU code.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from pathlib import Path

from gpuasync_lsp.analysis import Config, check_source
from tests.support.tools import mlir_opt

VERIFIER = ("GA001", "GA002", "GA003", "GA004", "GA005", "GA006", "GA109")
AROUND_GPU = frozenset(
    {"gpu", "async", "nvgpu", "nvvm", "rocdl", "xevm", "llvm", "func", "scf", "cf", "arith", "index",
     "memref", "vector", "affine"}
)  # fmt: skip
NONE_NAMED = "none named"
_ERROR = re.compile(r"error: ([^\n]*)")
_OP = re.compile(r"(?:^|custom op )'([a-z_][a-z_0-9]*)\.[\w.]+'")
_LACKS = re.compile(r"unregistered|not found for custom op|unknown dialect|not registered|is unknown \(tried")


def parts(path: Path) -> list[str]:
    """Return the parts of a file; none of one that is no UTF-8."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        return []
    return [
        part for part in re.split(r"(?m)^// -----[^\n-]*$", text) if re.sub(r"//[^\n]*", "", part).strip()
    ]


def dialect_of(error: str) -> str:
    """Return the dialect of the op that an error names."""
    match = _OP.search(error)
    return NONE_NAMED if match is None else match[1]


def _rate(some: int, of_all: int) -> str:
    return f"{some} of {of_all} ({some / max(1, of_all):.4f})"


def main() -> int:
    """Print the rates; return 1 where there was nothing to compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    files = sorted(
        {file for path in args.paths for file in (path.rglob("*.mlir") if path.is_dir() else [path])}
    )
    if 0 < args.sample < len(files):
        files = sorted(random.Random(args.seed).sample(files, args.sample))
    refused: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    accepted = false = 0
    config = Config(llvm=args.llvm, select=VERIFIER)
    for file in files:
        options = (
            ["--allow-unregistered-dialect"]
            if "allow-unregistered-dialect" in file.read_text("latin-1")
            else []
        )
        for part in parts(file):
            theirs = mlir_opt(args.llvm)(part, *options, "-o", "/dev/null")
            error = next(iter(_ERROR.findall(theirs.err)), "")
            if theirs.code not in (0, 1) or (theirs.code and _LACKS.search(error)):
                continue
            ours = check_source(part, config)
            if theirs.code == 0:
                accepted += 1
                false += bool(ours)
                if ours and args.show:
                    print(f"false {file.name}: {ours[0].message}")
                continue
            dialect = dialect_of(error)
            refused[dialect] += 1
            missed[dialect] += not ours
            if not ours and args.show:
                print(f"missed {file.name}: {error}")
    for dialect, count in refused.most_common():
        print(f"{dialect:15} missed {_rate(missed[dialect], count)}")
    print(f"LLVM {args.llvm}: false errors in {_rate(false, accepted)} accepted parts")
    total = refused.total()
    print(f"missed of all dialects: {_rate(missed.total(), total)}")
    around, of_them = (sum(counts[each] for each in AROUND_GPU) for counts in (refused, missed))
    print(f"missed of the {len(AROUND_GPU)} around GPU code: {_rate(of_them, around)}")
    return int(total == 0)


if __name__ == "__main__":
    sys.exit(main())
