"""Each pair of `programs`: the broken one has exactly the findings of its markers, the twin none.

Compares all findings about streams, memory and leaks, in one process.
"""

from __future__ import annotations

import shutil

import pytest

from gpuasync_lsp.analysis import Config, check_source
from tests.analysis.hazards.filed import BETWEEN, filed_pairs, race_free_programs
from tests.support.markers import Found, disagreements
from tests.support.releases import releases
from tests.support.tools import mlir_opt

FAMILIES = ("GA2", "GA3", "GA401", "GA402", "GA403")
KINDS = {"host_race": 100, "device_race": 75, "lifetime": 30, "leaks": 30, "streams": 18, "uninitialized": 18}
"""The minimum number of pairs of each kind."""


@pytest.mark.parametrize("version", releases(19, 22, 24))
def test_pairs_have_the_findings_of_their_markers(version: int) -> None:
    # GA211 reports every launch before LLVM 21, regardless of its accesses.
    config = Config(version, FAMILIES, ignore=("GA211",))
    problems: list[str] = []
    for pair in filed_pairs():
        for text in (pair.broken, pair.sound):
            found = (Found(f.severity, f.span, f.code, f.message) for f in check_source(text, config))
            problems += [f"{pair.name}: {each}" for each in disagreements(text, found)]
    assert problems == []


@pytest.mark.parametrize("version", releases(19, 22, 24))
def test_programs_without_a_race_have_no_finding(version: int) -> None:
    config = Config(version, FAMILIES, ignore=("GA211",))
    found = {name: [f.message for f in check_source(text, config)] for name, text in race_free_programs()}
    assert len(found) >= 30
    assert {name: messages for name, messages in found.items() if messages} == {}


def test_every_broken_program_has_a_marker_and_no_repaired_one() -> None:
    counts = dict.fromkeys(KINDS, 0)
    for pair in filed_pairs():
        assert "// expected-" in pair.broken, pair.name
        assert "// expected-" not in pair.sound, pair.name
        counts[pair.kind] += 1
    assert sum(counts.values()) >= 280
    assert {kind: count for kind, count in counts.items() if count < KINDS[kind]} == {}


def test_programs_are_valid() -> None:
    if shutil.which("mlir-opt-22") is None:
        pytest.skip("mlir-opt-22 is not installed")
    texts = [text for pair in filed_pairs() for text in (pair.broken, pair.sound)]
    texts += [text for _, text in race_free_programs()]
    checked = mlir_opt(22)(BETWEEN.join(texts), "--split-input-file")
    assert checked.code == 0, checked.err
