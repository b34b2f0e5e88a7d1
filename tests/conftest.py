"""Settings of the whole test suite: how skips are reported."""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line for each reason of skipped tests; the reasons name what to install."""
    causes = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if causes:
        terminalreporter.section("skipped", sep="-")
    for cause, times in causes.most_common():
        terminalreporter.write_line(f"{times:5} {cause}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    where = report.longrepr
    # For a skip, pytest stores the file, the line and the reason.
    reason = where[2] if isinstance(where, (tuple, list)) else str(where)
    return reason.removeprefix("Skipped: ")
