"""Compares the analysis with a run on the CPU over pairs; `python -m` prints what only one of them finds.

Arguments: an LLVM version, `--held-back`, `--written` or `--filed` (`programs/`) for another set than the
open one, or a folder with `NAME.bad.mlir` next to `NAME.good.mlir`. Of a program with several functions,
`main` is run, or else the last one.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import gpuasync_lsp
from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.exec.prepare import NotRunnable, prepare
from tests.analysis.hazards.filed import filed_pairs
from tests.analysis.hazards.measure import SETS, programs
from tests.analysis.hazards.pairs import Pair

CODES = ("GA2", "GA3", "GA401", "GA402", "GA403")
SECONDS = 20.0
EXTENT = 64
_GIVEN = tuple(
    {"index": str(index), "i1": str(flag)}
    for index, flag in ((EXTENT, 1), (3, 0), (EXTENT, 0), (8, 1), (2, 0), (1, 1), (0, 1))
)
"""Arguments with which each program is run: a hazard may be on a single path."""
_OF_ARGUMENTS = ("out-of-bounds", "pageable-copy")
"""Findings that arbitrary arguments may cause in any program."""
_FUNCTION = re.compile(r"^ *func\.func (?!private)@(\w+)", re.MULTILINE)
_SIDES = ("both", "static alone", "dynamic alone", "neither", "not run")


@dataclass(frozen=True)
class Compared:
    """The findings of the analysis and of the run for a program with a hazard, and for its repaired twin."""

    name: str
    static: tuple[str, ...]
    dynamic: tuple[str, ...]
    alarms: tuple[str, ...]
    """The findings of the run in the twin."""
    error: str = ""
    """The reason why one of the programs could not be run."""

    @property
    def verdict(self) -> str:
        """Which of analysis and run found the hazard."""
        if self.error:
            return "not run"
        return _SIDES[(not self.static) * 2 + (not self.dynamic)]


def compare(pairs: Iterable[Pair], version: int) -> Iterator[Compared]:
    """Check and run each pair; yield the results."""
    for pair in pairs:
        found = check_source(pair.broken, Config(version, CODES))
        static = tuple(dict.fromkeys(finding.code for finding in found))
        dynamic: tuple[str, ...] = ()
        alarms: tuple[str, ...] = ()
        error = ""
        for given in _GIVEN:
            try:
                sound = seen(pair.sound, version, given)
                dynamic = tuple(name for name in seen(pair.broken, version, given) if name not in sound)
            except (gpuasync_lsp.NotUsable, NotRunnable) as raised:
                error = str(raised).partition("\n")[0]
                break
            alarms += tuple(name for name in sound if name not in (*alarms, *_OF_ARGUMENTS))
            if dynamic:
                break
        yield Compared(pair.name, static, dynamic, alarms, error)


def seen(text: str, version: int, given: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the findings of a run on the CPU; `given` are arguments by type.

    Raises `gpuasync_lsp.NotUsable` and `NotRunnable`.
    """
    names = _FUNCTION.findall(text)
    entry = "main" if "main" in names or not names else names[-1]
    arguments: list[str] = []
    for parameter in prepare(text, version, entry).program.parameters:
        dynamic = "x".join(str(EXTENT) for extent in parameter.shape if extent < 0)
        number = given.get(parameter.element, given["index"] if parameter.element[0] == "i" else "1")
        made = "iota" + f"@{dynamic}" * bool(dynamic)
        arguments.append(made if parameter.kind == "memref" else number)
    ran = gpuasync_lsp.run(text, *arguments, llvm=version, entry=entry, device="cpu", timeout=SECONDS)
    return tuple(dict.fromkeys(finding.name for finding in ran.findings))


def pairs_in(folder: Path) -> Iterator[Pair]:
    """Yield the pairs of programs in a folder."""
    for broken in sorted(folder.glob("*.bad.mlir")):
        name = broken.name.removesuffix(".bad.mlir")
        yield Pair(name, "", broken.read_text(), broken.with_name(f"{name}.good.mlir").read_text())


def main(arguments: list[str]) -> None:
    version = next((int(each) for each in arguments if each.isdigit()), 22)
    folder = next((Path(each) for each in arguments if Path(each).is_dir()), None)
    which = next((each for each in SETS if f"--{each}" in arguments), "open")
    counts: Counter[str] = Counter()
    if folder is not None:
        pairs = pairs_in(folder)
    else:
        pairs = filed_pairs() if "--filed" in arguments else iter(programs(which)[0])
    for one in compare(pairs, version):
        counts[one.verdict] += 1
        if one.verdict != "both" or one.alarms:
            told = one.error or f"static {' '.join(one.static)}; run {' '.join(one.dynamic)}"
            print(f"{one.name}: {one.verdict}: {told}; of the twin {' '.join(one.alarms)}", flush=True)
    print(f"LLVM {version}: " + ", ".join(f"{side} {counts[side]}" for side in _SIDES))


if __name__ == "__main__":
    main(sys.argv[1:])
