"""Fixes of races in loops, branches and tasks remove their finding and cause no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.text.edits import apply_edits
from tests.analysis.hazards.filed import filed_pairs

RACES = ("GA301", "GA302", "GA303")
REASONED = (*RACES, "GA201", "GA202", "GA206", "GA208", "GA304", "GA305", "GA401", "GA403")
ALL = ("GA0", "GA1", "GA2", "GA3", "GA401", "GA402", "GA403")


def structured() -> Iterator[tuple[str, str]]:
    """Yield the broken program of each race pair that has loops, branches or tasks."""
    for pair in filed_pairs():
        if any(word in pair.broken for word in ("scf.", "cf.", "async.execute")) and "race" in pair.kind:
            yield pair.name, pair.broken


def counted(text: str) -> Counter[str]:
    return Counter(finding.code for finding in check_source(text, Config(22, ALL)))


def tried(programs: Iterable[tuple[str, str]], codes: tuple[str, ...]) -> Counter[str]:
    """Apply each fix of each finding with one of `codes` to the original text.

    Returns the number of fixes by title, up to the first value name."""
    problems: list[str] = []
    titles: Counter[str] = Counter()
    for name, text in programs:
        before = counted(text)
        for finding in check_source(text, Config(22, codes)):
            for fix in finding.fixes:
                titles[fix.title.split("%")[0]] += 1
                after = counted(apply_edits(text, fix.edits))
                if after[finding.code] >= before[finding.code] or after - before:
                    problems.append(f"{name}: {fix.title}: {before} -> {after}")
    assert problems == []
    return titles


def test_fixes_in_loops_and_branches_repair_and_break_nothing() -> None:
    titles = tried(structured(), RACES)
    assert titles["Wait for "] >= 20, titles
    assert titles["Await "] >= 2, titles


def test_fixes_of_leaks_repair_and_break_nothing() -> None:
    leaks = [(pair.name, pair.broken) for pair in filed_pairs() if "leaks" in pair.kind]
    assert tried(leaks, ("GA403",))["Deallocate "] >= 1


@pytest.mark.slow
def test_findings_without_a_fix_say_why() -> None:
    silent: list[str] = []
    for pair in filed_pairs():
        for finding in check_source(pair.broken, Config(22, REASONED)):
            if not finding.fixes and "No automatic fix: " not in finding.message:
                silent.append(f"{pair.name}: {finding.message}")
    assert silent == []
