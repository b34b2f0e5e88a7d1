"""Errors of the real mlir-opt that `check` misses, and false errors of `check`, by dialect.

    python -m tests.differential.refusals FOLDER_OR_FILE ... --llvm 22 --sample 60 --seed 7

takes the parts (between `// -----`) of files; those with a dialect that this mlir-opt lacks are skipped. A
rejected part counts for the dialect of the op that the first error names; one whose error names none (a type,
an attribute, a literal) for "none named". The last line is about the dialects around asynchronous GPU code.
mlir-opt parses a file in one process, its parts separately only if it crashes or an error has no position.
"""

from __future__ import annotations

import argparse
import bisect
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gpuasync_lsp.analysis import Config, check_source
from tests.support.tools import mlir_opt

VERIFIER = ("GA001", "GA002", "GA003", "GA004", "GA005", "GA006", "GA109")
AROUND_GPU = frozenset(
    {"gpu", "async", "nvgpu", "nvvm", "rocdl", "xevm", "llvm", "func", "scf", "cf", "arith", "index",
     "memref", "vector", "affine"}
)  # fmt: skip
NONE_NAMED = "none named"
SEPARATOR = "// -----\n"
_ERROR = re.compile(
    r"^(?:(?:within split at )?<stdin>(?::(\d+) offset )?:(\d+):\d+: |.*?)error: (.*)$", re.MULTILINE
)
_NOT_PRODUCED = re.compile(r'expected (?:error|warning|note|remark) ".*" was not produced$')
"""Matches messages about test comments that mlir-opt prints even for parts that it accepts."""
_TIMEOUT = 60
_OP = re.compile(r"(?:^|custom op )'([a-z_][a-z_0-9]*)\.[\w.]+'")
_LACKS = re.compile(r"unregistered|not found for custom op|unknown dialect|not registered|is unknown \(tried")


def parts(path: Path) -> list[str]:
    """Return the parts of a file; none if it is not UTF-8."""
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


class Judged(NamedTuple):
    """A part, and the errors of the real tool and of this one."""

    file: str
    error: str | None
    """The first error of the real tool; None if it accepts the part."""
    ours: str | None
    """Our first error; None if we accept the part."""


def errors_of(version: int, texts: Sequence[str], options: Sequence[str]) -> list[str | None]:
    """Return the first error of mlir-opt for each part, "" if it crashes, None if it accepts the part."""
    if not texts:
        return []
    whole = [text if text.endswith("\n") else f"{text}\n" for text in texts]
    try:
        done = mlir_opt(version)(
            SEPARATOR.join(whole), *options, "--split-input-file", "-o", "/dev/null", timeout=_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        done = None
    starts, line = list[int](), 1
    for text in whole:
        starts.append(line)
        line += text.count("\n") + 1
    found: list[str | None] = [None] * len(texts)
    placed = done is not None and done.code in (0, 1)
    for offset, at, message in _ERROR.findall(done.err) if done is not None and placed else ():
        if not at:
            placed = False
            break
        if _NOT_PRODUCED.match(message):
            continue
        # Before LLVM 21 line numbers are relative to the separator, whose line is known.
        number = bisect.bisect_right(starts, int(at) + (int(offset) - 1 if offset else 0)) - 1
        if found[number] is None:
            found[number] = message
    if placed and done is not None and (done.code == 0) == (found.count(None) == len(found)):
        return found
    if len(texts) == 1:
        if done is None or done.code not in (0, 1):
            return [""]
        return [
            None
            if done.code == 0
            else next((each[2] for each in _ERROR.findall(done.err) if not _NOT_PRODUCED.match(each[2])), "")
        ]
    return [error for text in texts for error in errors_of(version, [text], options)]


def judged(file: Path, version: int) -> list[Judged]:
    """Compare the parts of a file, except those that crash mlir-opt or have dialects that it lacks."""
    options = (
        ["--allow-unregistered-dialect"] if "allow-unregistered-dialect" in file.read_text("latin-1") else []
    )
    config = Config(llvm=version, select=VERIFIER)
    found = list[Judged]()
    of_file = parts(file)
    for part, error in zip(of_file, errors_of(version, of_file, options), strict=True):
        if error == "" or (error is not None and _LACKS.search(error)):
            continue
        ours = check_source(part, config)
        found.append(Judged(file.name, error, ours[0].message if ours else None))
    return found


def all_judged(files: Sequence[Path], version: int, jobs: int) -> Iterator[Judged]:
    """Yield the comparisons of files, in order, using several processes."""
    with ProcessPoolExecutor(jobs) as pool:
        for each in pool.map(partial(judged, version=version), files):
            yield from each


def _rate(some: int, of_all: int) -> str:
    return f"{some} of {of_all} ({some / max(1, of_all):.4f})"


def main() -> int:
    """Print the rates; return 1 if nothing was compared."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--jobs", type=int, default=2)
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
    for part in all_judged(files, args.llvm, args.jobs):
        if part.error is None:
            accepted += 1
            false += part.ours is not None
            if part.ours is not None and args.show:
                print(f"false {part.file}: {part.ours}")
            continue
        dialect = dialect_of(part.error)
        refused[dialect] += 1
        missed[dialect] += part.ours is None
        if part.ours is None and args.show:
            print(f"missed {part.file}: {part.error}")
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
