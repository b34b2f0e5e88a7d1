"""The rules' pages are current, and their examples correct: the rule fires on the example, not on its
repair."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import RULES, Config, Rule, check_source
from gpuasync_lsp.analysis.docs import example_settings, examples, pages
from gpuasync_lsp.text import defects, effort
from tests.support.tools import ROOT


def codes(program: str, rule: Rule) -> set[str]:
    return {finding.code for finding in check_source(program, Config(**example_settings(rule)))}


def test_pages_are_current() -> None:
    folder = ROOT / "docs" / "rules"
    assert {p.name for p in folder.iterdir()} == set(pages())
    for name, text in pages().items():
        assert (folder / name).read_text(encoding="utf-8") == text, f"run `make docs`: {name} is not current"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_example_fires_and_its_repair_does_not(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    if rule.code == "GA011":
        monkeypatch.setattr(defects, "at_boundary", lambda doing: 1 / 0)  # No program triggers a defect.
    if rule.code == "GA008":
        # A program that exceeds the time limit is too long for a page.
        monkeypatch.setattr(effort, "STEPS", -10_000)
        monkeypatch.setattr(effort, "PORTION", 1)
    broken, *repaired = examples(rule)
    assert len(repaired) <= 1
    assert rule.code in codes(broken, rule)
    assert rule.code == "GA002" or "GA002" not in codes(broken, rule), "it uses what it does not define"
    for program in repaired:
        assert rule.code not in codes(program, rule)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_page_is_readable_text(rule: Rule) -> None:
    for line in rule.doc.split("\n"):
        assert len(line) <= 110
    assert "\n## What it does not report\n- " in rule.doc
    summary = rule.doc.strip().split("\n")[0]
    assert summary.endswith("."), summary
