"""Advice that applies to many places in a function is listed once."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.document import grouping
from gpuasync_lsp.ide.document.grouping import MOST_ALIKE, MOST_IN_FILE
from gpuasync_lsp.text import Finding, Severity, Span
from tests.support.listed import listed


def findings(count: int, severity: Severity = Severity.INFORMATION) -> list[Finding]:
    return [
        Finding("GA504", "device-sync-dealloc", severity, Span(n, n + 1), f"This dealloc of %m{n} waits.")
        for n in range(count)
    ]


def test_a_few_are_listed_one_by_one() -> None:
    assert listed(findings(MOST_ALIKE)) == findings(MOST_ALIKE)


def test_many_are_one_that_names_the_values() -> None:
    other = Finding("GA505", "pageable-copy", Severity.INFORMATION, Span(50, 51), "%h is pageable.")
    (one, apart) = listed([*findings(12), other])
    assert one.span == Span(0, 1)
    assert "at 11 other places in this function: %m1, %m2" in one.message
    assert "and 3 more" in one.message
    assert [related.span.start for related in one.related] == list(range(1, 12))
    assert apart is other


def test_errors_and_warnings_are_said_at_each_place() -> None:
    assert len(listed(findings(12, Severity.WARNING))) == 12


@pytest.mark.parametrize(
    ("code", "count", "text", "left"),
    [
        ("GA506", MOST_IN_FILE, "gpu.wait", MOST_IN_FILE),
        ("GA506", MOST_IN_FILE + 1, "gpu.wait", 1),
        ("GA108", MOST_IN_FILE + 1, "gpu.launch", 1),
        ("GA102", MOST_IN_FILE, "%t = gpu.memset async", MOST_IN_FILE),
        ("GA102", 2, "gpu.memcpy // gpu-async-region", 1),
        ("GA101", 100, "gpu.wait", 100),
    ],
)
def test_what_holds_for_a_whole_file_is_listed_once(code: str, count: int, text: str, left: int) -> None:
    found = [Finding(code, "n", Severity.ERROR, Span(n, n + 1), "m") for n in range(count)]
    others = [Finding("GA301", "race", Severity.WARNING, Span(count, count), "m")]
    (*ones, other) = grouping.listed(text, [*found, *others])
    assert (len(ones), other) == (left, others[0])
    if left == 1:
        (one,) = ones
        assert f"This also occurs at {count - 1} other place" in one.message
        assert [related.span.start for related in one.related] == list(range(1, count))[:50]
