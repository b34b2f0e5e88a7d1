"""Parses and prints LLVM's own tests, and checks with the real mlir-opt that the result is the same
program.

    python -m tests.differential.round_trip --llvm 22                     # the shared tests, all of them
    python -m tests.differential.round_trip --llvm 19 FOLDER --show       # every difference
    python -m tests.differential.round_trip --llvm 22 --sample 50 --seed 7

Every chunk between `// -----` lines that mlir-opt accepts is parsed and printed here, in the release's
spelling, and parsed by mlir-opt again. Its generic form must equal that of the original, or, since
mlir-opt's own custom form may omit something, that of mlir-opt's own round trip. Chunks that mlir-opt
rejects are skipped, including those with dialects that it lacks. Its answers are cached in the
temporary folder.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuasync_lsp.syntax import module_of, parse_source
from gpuasync_lsp.syntax.printer import print_module, spell_for
from tests.support.tools import SHARED, Output, Tool, mlir_opt

GENERIC = "--mlir-print-op-generic"
SEPARATOR = "// -----\n"
_CUT = re.compile(r"^// -----(?!-).*\n?", re.MULTILINE)
_CACHE = Path(tempfile.gettempdir()) / "gpuasync-round-trip"


@dataclass
class Trip:
    """How many chunks were equal after a round trip, and how the others differ."""

    version: int
    accepted: int = 0
    broken: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """The error as one line and in full, by `file:chunk`."""

    @property
    def equal(self) -> float:
        """The share of accepted chunks that were equal after a round trip; 1 if there are none."""
        return 1 - len(self.broken) / self.accepted if self.accepted else 1.0

    def __str__(self) -> str:
        kinds = Counter(what.partition(":")[0] for what, _ in self.broken.values())
        reasons = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "none differ"
        return f"LLVM {self.version}: {self.accepted} chunks accepted, {self.equal:.4f} equal ({reasons})"


def round_trip(version: int, files: Iterable[Path]) -> Trip:
    """Parse and print each chunk of `files`, and compare the results as mlir-opt of `version` parses them."""
    found = Trip(version)
    tool = mlir_opt(version)
    for file in files:
        text = file.read_bytes().decode("utf-8", "replace")
        flags = ["--allow-unregistered-dialect"] if "-allow-unregistered-dialect" in text else []
        chunks = [part for part in _CUT.split(text) if re.sub(r"//.*", "", part).strip()]
        before = _generic(tool, chunks, flags)
        accepted = [number for number, form in enumerate(before) if form is not None]
        printed: dict[int, str] = {}
        for number in accepted:
            name = f"{file.name}:{number}"
            found.accepted += 1
            try:
                printed[number] = reprint(chunks[number], version)
            except AssertionError as error:
                found.broken[name] = f"misread: {error}", chunks[number]
        after = dict(zip(printed, _generic(tool, list(printed.values()), flags), strict=True))
        for number, form in after.items():
            if form != before[number] and form != _by_itself(tool, chunks[number], flags):
                what, whole = _difference(tool, printed[number], flags, before[number] or "", form)
                found.broken[f"{file.name}:{number}"] = what, whole
    return found


def reprint(text: str, version: int) -> str:
    """Parse `text` and print it in the spelling of LLVM `version`.

    Raises AssertionError if an error is reported, since mlir-opt accepts the text.
    """
    (chunk,) = parse_source(text).chunks
    problems = [*chunk.problems, *(problem for item, _ in chunk.items for problem in item.problems)]
    assert not problems, problems[0].message
    module = module_of(chunk)
    spell_for(module, version)
    return print_module(module)


def _by_itself(tool: Tool, text: str, flags: list[str]) -> str | None:
    """Return the generic form after mlir-opt's own round trip of `text`; "" if mlir-opt rejects its own
    output."""
    printed = _answer(tool, text, flags).out
    (form,) = _generic(tool, [printed], flags)
    return form or ""


def _difference(tool: Tool, text: str, flags: list[str], before: str, after: str | None) -> tuple[str, str]:
    if after is None:
        err = _answer(tool, text, [*flags, GENERIC]).err
        message = re.search(r"(?:error: )(.*)", err)
        return f"unreadable: {message[1] if message else err[:100]}", f"{err[:1000]}\n{text}"
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))[3:]
    first = next((line for line in lines if line.startswith("+")), "")
    return f"differs: {first[:200]}", "\n".join(lines[:20])


def _generic(tool: Tool, texts: Sequence[str], flags: list[str]) -> list[str | None]:
    """Return the generic form of each text, None if mlir-opt rejects it; in one process if possible."""
    if not texts:
        return []
    if len(texts) > 1:
        # A text may end without a line break, or contain `// -----` where mlir-opt would split it.
        together = SEPARATOR.join(f"{text}\n" for text in texts)
        done = _answer(tool, together, [*flags, "--split-input-file", GENERIC])
        parts = done.out.split(SEPARATOR)
        if done.code in (0, 1) and len(parts) == len(texts):
            return [part.strip() or None for part in parts]
    answers = [_answer(tool, text, [*flags, GENERIC]) for text in texts]
    return [answer.out.strip() if answer.code == 0 else None for answer in answers]


def _answer(tool: Tool, text: str, options: Sequence[str]) -> Output:
    key = hashlib.sha256("\0".join((*tool.command, *options, text)).encode()).hexdigest()
    path = _CACHE / key[:2] / key
    if path.exists():
        return Output(*json.loads(path.read_text()))
    try:
        done = tool(text, *options, timeout=60)
    except subprocess.TimeoutExpired:
        done = Output(-99, "", "no answer in time")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as new:
        json.dump([done.code, done.out, done.err[:10_000]], new)
    Path(new.name).replace(path)
    return done


def files_of(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the files below the folders, in order."""
    for folder in folders:
        yield from sorted(folder.rglob("*.mlir")) if folder.is_dir() else [folder]


def main() -> int:
    """Print the figures; return 1 if the share of equal chunks is below `--min`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[SHARED / "llvm-tests"], metavar="FOLDER")
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument("--sample", type=int, default=0, help="how many files, chosen at random; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print every difference")
    parser.add_argument("--min", type=float, default=0.99)
    args = parser.parse_args()
    files = list(files_of(args.folders))
    if args.sample:
        files = random.Random(args.seed).sample(files, min(args.sample, len(files)))
    found = round_trip(args.llvm, files)
    for name, (what, whole) in found.broken.items():
        print(f"{name}: {what}")
        if args.show:
            print("    " + whole.replace("\n", "\n    "))
    print(found)
    return int(found.equal < args.min)


if __name__ == "__main__":
    sys.exit(main())
