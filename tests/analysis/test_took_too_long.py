"""Analyses that exceed their time limit are reported once, and the rest of the file is analyzed."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import Config, check_source
from gpuasync_lsp.syntax.source import parse_source
from gpuasync_lsp.text import effort
from gpuasync_lsp.text.effort import Cancelled, cancellable, limited, spend
from tests.support.hostile import choices, loops, rows_of_ifs

BROKEN = "func.func @broken() {\n  %t = gpu.wait async\n  gpu.wait [%t]\n  gpu.wait [%t]\n  return\n}\n"


def test_the_rest_is_analyzed() -> None:
    text = choices(2000) + BROKEN
    found = check_source(text, Config(22))
    assert [(f.code, f.span.of(text)) for f in found] == [("GA008", "func.func"), ("GA201", "%t")]


def test_the_limit_is_the_same_each_time() -> None:
    """The limit counts steps, so slow and fast machines stop at the same point."""
    assert [f.code for f in check_source(choices(60))] != ["GA008"]
    counted: list[int] = []
    for _ in range(2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(effort, "STEPS", 20_000)
            patch.setattr(effort, "STEPS_PER_CHARACTER", 0)
            counted.append(len(check_source(choices(60))))
    assert counted == [1, 1]


@pytest.mark.parametrize("text", [loops(12, 10), rows_of_ifs(150)], ids=["nested loops", "a row of branches"])
def test_what_once_took_minutes(text: str) -> None:
    """Each level of a nest doubled the question what is in it; a row of ifs was cut from the front."""
    assert "GA008" not in {f.code for f in check_source(text, Config(22))}


def test_rules_that_take_too_long_keep_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    source = parse_source(BROKEN)
    monkeypatch.setattr("gpuasync_lsp.analysis._drafts_of", lambda rule, unit: spend(10**9) or ())
    assert [f.code for f in check_source(source)] == ["GA008"]


@pytest.mark.slow
def test_an_analysis_that_nobody_wants_ends_and_can_be_had_again() -> None:
    source = parse_source(choices(60))
    asked = 0

    def is_unwanted() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    with cancellable(is_unwanted), pytest.raises(Cancelled):
        check_source(source, Config(22))
    assert check_source(source, Config(22)) == check_source(choices(60), Config(22))


def test_time_counts_where_steps_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "SECONDS", 0.01)

    def work() -> None:
        with limited(0):
            for _ in range(200):
                sum(range(20_000))
                spend(500)

    with pytest.raises(effort.TookTooLong):
        work()
    with limited(0):
        spend()


def test_of_one_rule_so_many_are_listed_as_somebody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    leaks = "".join(f"  %t{n} = gpu.wait async\n" for n in range(5))
    text = f"func.func @leaks() {{\n{leaks}  return\n}}\n"
    assert len(check_source(text)) == 5
    monkeypatch.setattr("gpuasync_lsp.analysis.MOST_OF_RULE", 5)
    assert not any("only the first" in finding.message for finding in check_source(text))
    monkeypatch.setattr("gpuasync_lsp.analysis.MOST_OF_RULE", 3)
    found = [finding.message.splitlines()[-1] for finding in check_source(text)]
    assert len(found) == 3
    assert found[-1] == "There are more of these here; only the first 3 are listed."
