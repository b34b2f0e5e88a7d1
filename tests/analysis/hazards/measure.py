"""Recall and false alarms of the analysis on pairs and race-free programs; `python -m` also prints every
miss.

Arguments: LLVM versions, and `--held-back` or `--written` for another set than the open one.
"""

# ruff: noqa: E501 - a line of a program is a line here.

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from gpuasync_lsp.analysis import Config, check_source
from tests.analysis.hazards.free import free_programs
from tests.analysis.hazards.pairs import Pair, device_pairs, host_pairs
from tests.analysis.hazards.shaped import shaped_pairs
from tests.analysis.hazards.written import written_free, written_pairs

CODES = ("GA3", "GA401", "GA402", "GA403")


@dataclass
class Measured:
    """The results of the analysis for a set of programs."""

    hazards: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    """Per kind of hazard: the number found, and the total."""
    missed: list[str] = field(default_factory=list[str])
    alarms: list[str] = field(default_factory=list[str])
    """Findings in correct programs, each with the program's name."""
    lines: int = 0
    """The number of lines of correct programs."""

    @property
    def recall(self) -> float:
        found, every = (sum(column) for column in zip(*self.hazards.values(), strict=True))
        return found / every

    @property
    def per_thousand(self) -> float:
        """False alarms per thousand lines of correct programs."""
        return 1000 * len(self.alarms) / self.lines

    @property
    def precision(self) -> float:
        found = sum(row[0] for row in self.hazards.values())
        return found / (found + len(self.alarms))


SETS = ("open", "held-back", "written")


def programs(which: str) -> tuple[list[Pair], list[tuple[str, str]]]:
    """Return the pairs of one of the `SETS`, and its race-free programs."""
    if which == "written":
        return list(written_pairs()), list(written_free())
    made = [*host_pairs(), *device_pairs(), *shaped_pairs()]
    held_back = which == "held-back"
    return [p for p in made if p.is_held_back is held_back], [] if held_back else list(free_programs())


def measure(pairs: Iterable[Pair], free: Iterable[tuple[str, str]], version: int) -> Measured:
    """Check all programs for one LLVM version; return the results."""
    found = Measured()
    for pair in pairs:
        codes = _codes(pair.broken, version)
        found.hazards[pair.kind][0] += bool(codes)
        found.hazards[pair.kind][1] += 1
        if not codes:
            found.missed.append(pair.name)
        found.lines += pair.sound.count("\n")
        found.alarms += [f"{pair.name}: {code}" for code in _codes(pair.sound, version)]
    for name, text in free:
        found.lines += text.count("\n")
        found.alarms += [f"{name}: {code}" for code in _codes(text, version)]
    return found


def _codes(text: str, version: int) -> list[str]:
    return [f"{f.code} {f.message.splitlines()[0]}" for f in check_source(text, Config(version, CODES))]


def main(versions: list[int], which: str) -> None:
    for version in versions:
        found = measure(*programs(which), version)
        print(
            f"LLVM {version}: recall {found.recall:.3f}, precision {found.precision:.3f}, {found.per_thousand:.2f} alarms in 1,000 lines"
        )
        print(*(f"  {kind}: {a} of {b}" for kind, (a, b) in found.hazards.items()), sep="\n")
        if which != "held-back":
            print(
                *(f"  missed {name}" for name in found.missed),
                *(f"  alarm {name}" for name in found.alarms),
                sep="\n",
            )


if __name__ == "__main__":
    main(
        [int(v) for v in sys.argv[1:] if v.isdigit()] or [22],
        next((s for s in SETS if f"--{s}" in sys.argv), "open"),
    )
