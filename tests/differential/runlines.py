"""Runs LLVM's own tests with `gpuasync-lsp test` and with the real lit, using the same mlir-opt and
FileCheck.

    python -m tests.differential.runlines --seed 7 --count 100

takes a sample of the shared tests of LLVM, changes something in a third of them (`--broken`), so that
some tests fail, runs each in both ways, and prints those whose verdicts differ. lit is the package
`lit`, FileCheck the package `filecheck`, without an output option that the package rejects. Tests that
use other programs are counted separately.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gpuasync_lsp.ide.document.settings import Settings
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.ide.run.builtin import BuiltIn
from gpuasync_lsp.ide.runlines.results import FileResult, Verdict
from gpuasync_lsp.ide.runlines.running import OwnMlirOpt, run_test
from gpuasync_lsp.processes import Command, Origin
from gpuasync_lsp.text import LineIndex
from tests.support.tools import SHARED, mlir_opt

OF_LIT = {
    "PASS": Verdict.PASS,
    "FAIL": Verdict.FAIL,
    "XFAIL": Verdict.XFAIL,
    "XPASS": Verdict.XPASS,
    "UNSUPPORTED": Verdict.UNSUPPORTED,
    "UNRESOLVED": Verdict.UNRESOLVED,
}
_CONFIG = """
import os
config.name = "runlines"
config.suffixes = [".mlir"]
config.test_format = __import__("lit.formats").formats.ShTest(execute_external=False)
config.test_exec_root = os.path.join({folder!r}, "out")
config.environment["PATH"] = {bin!r} + os.pathsep + "/usr/bin:/bin"
config.available_features = {{"asserts", "host-supports-nvptx", "host-supports-amdgpu"}}
"""

_FILECHECK = """#!{python}
import re, sys
from filecheck.main import main
words = sys.argv
for at in range(len(words) - 1, 0, -1):
    if re.fullmatch("--?dump-input-context", words[at]):
        del words[at : at + 2]
main(words)
"""


def sample(seed: int, count: int, release: str = "") -> list[Path]:
    """Return `count` of LLVM's tests in random order."""
    files = sorted(SHARED.glob(f"llvm-tests/{release}*/*.mlir"))
    random.Random(seed).shuffle(files)
    return files[:count]


def broken(text: str, chance: random.Random) -> str:
    """Return a test with one character of a CHECK line or an expected diagnostic changed."""
    lines = text.split("\n")
    places = [
        (row, column)
        for row, line in enumerate(lines)
        if ("CHECK" in line or "expected-" in line) and "RUN:" not in line
        for column, character in enumerate(line)
        if character.isalnum() and column > line.find(":") > 0
    ]
    if not places:
        return text
    row, column = chance.choice(places)
    line = lines[row]
    lines[row] = line[:column] + chance.choice("xq7") + line[column + 1 :]
    return "\n".join(lines)


def by_lit(
    files: Sequence[Path], folder: Path, tool: Sequence[str], filecheck: str = ""
) -> dict[str, Verdict]:
    """Return the verdicts of the real lit on files of `folder`, by name.

    FileCheck is the program `filecheck`, or else the package of that name.
    """
    programs = folder / "bin"
    programs.mkdir()
    (programs / "mlir-opt").write_text(f'#!/bin/sh\nexec {" ".join(tool)} "$@"\n')
    ours = _FILECHECK.format(python=sys.executable)
    (programs / "FileCheck").write_text(f'#!/bin/sh\nexec {filecheck} "$@"\n' if filecheck else ours)
    for script in programs.iterdir():
        script.chmod(0o755)
    (folder / "lit.cfg.py").write_text(_CONFIG.format(folder=str(folder), bin=str(programs)))
    answer = folder / "answer.json"
    names = [str(file) for file in files]
    command = (sys.executable, "-c", "from lit.main import main; main()", "-q", "-j1")
    subprocess.run([*command, "-o", str(answer), *names], check=False, capture_output=True)
    return {
        test["name"].partition(" :: ")[2]: OF_LIT[test["code"]]
        for test in json.loads(answer.read_text())["tests"]
    }


def by_us(file: Path, tool: Sequence[str], version: int) -> FileResult:
    """Return the verdict of our own runner; without a tool it uses the built-in passes."""
    text = file.read_bytes().decode(errors="replace")
    engine = (
        OwnMlirOpt(Command(tuple(tool), Origin.COMMAND_LINE))
        if tool
        else BuiltIn(SettingsResolver(Settings(llvm=version)), None)
    )
    return run_test(LineIndex(text), file.name, file, engine)


def main() -> int:
    """Compare a sample; return 1 if a verdict differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--llvm", type=int, default=22)
    parser.add_argument(
        "--release", default="llvm22", help="of which release: llvm19, llvm22 (default), or ''"
    )
    parser.add_argument("--broken", type=float, default=1 / 3, help="the part of tests that are changed")
    parser.add_argument("--engine", choices=("builtin", "mlir-opt"), default="mlir-opt")
    parser.add_argument("--skip", type=int, default=0, help="how many tests of the order are left out")
    parser.add_argument("--filecheck", default="", help="lit's FileCheck: LLVM's own, where it is installed")
    args = parser.parse_args()
    tool = mlir_opt(args.llvm).command
    chance = random.Random(args.seed)
    counts: Counter[str] = Counter()
    different = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        files: list[Path] = []
        for original in sample(args.seed, args.skip + args.count, args.release)[args.skip :]:
            data = original.read_bytes()
            if chance.random() < args.broken:
                data = broken(data.decode("latin-1"), chance).encode("latin-1")
            files.append(folder / original.name)
            files[-1].write_bytes(data)
        words = tool if args.engine == "mlir-opt" else ()
        said = {file: by_us(file, words, args.llvm) for file in files}
        theirs = by_lit(
            [file for file in files if said[file].verdict is not Verdict.UNSUPPORTED],
            folder,
            tool,
            args.filecheck,
        )
        for file, ours in said.items():
            if ours.verdict is Verdict.UNSUPPORTED:
                counts["unsupported"] += 1
                reasons = {run.unsupported for run in ours.runs if run.unsupported} or {ours.reason}
                print(f"{file.name}: not run, {'; '.join(sorted(reasons))[:150]}")
                continue
            lits = theirs[file.name]
            counts[f"{ours.verdict.value} (lit: {lits.value})"] += 1
            if ours.verdict is not lits:
                different += 1
                print(f"DIFFERENT {file.name}: {ours.verdict.value}, lit says {lits.value}")
                for run in ours.runs:
                    for failure in run.failures:
                        print(f"    {failure.line}: {failure.message}")
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    print(f"{different} of {counts.total() - counts['unsupported']} differ (seed {args.seed}).")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
