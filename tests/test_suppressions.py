"""Comments that silence rules: which lines and which rules they speak about."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.suppressions import suppressions
from gpuasync_lsp.text import Finding, Severity, Span


def silenced(text: str, code: str = "GA501", name: str = "serialized-fork") -> list[str]:
    """Return the `<...>` marks of `text` at which a finding would be silenced."""
    marks = [i for i, c in enumerate(text) if c == "<"]
    found = suppressions(text)
    return [
        text[mark : text.index(">", mark) + 1]
        for mark in marks
        if any(s.hides(Finding(code, name, Severity.HINT, Span(mark, mark + 1), ""), 0) for s in found)
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_behind_code_it_speaks_of_its_line(end: str) -> None:
    text = f"<1>{end}<2> // gpuasync: ignore[GA501]{end}<3>{end}"
    assert silenced(text) == ["<2>"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_alone_it_speaks_of_the_next_line_of_code(end: str) -> None:
    text = f"<1>{end}  // gpuasync: ignore[GA501]{end}  // why{end}{end}  <2>{end}<3>{end}"
    assert silenced(text) == ["<2>"]


def test_of_the_whole_file() -> None:
    assert silenced("<1>\n// gpuasync: ignore-file[GA501]\n<2>\n") == ["<1>", "<2>"]


@pytest.mark.parametrize(
    ("words", "hidden"),
    [
        ("GA501", True),
        ("GA502, GA501", True),
        ("GA5", True),
        ("serialized-fork", True),
        ("ALL", True),
        ("GA502", False),
        ("", False),
    ],
)
def test_words(words: str, hidden: bool) -> None:
    assert bool(silenced(f"<1> // gpuasync: ignore[{words}]")) is hidden


def test_places_are_relative_to_an_item() -> None:
    (only,) = suppressions("line\nline // gpuasync: ignore[GA5]\n")
    finding = Finding("GA501", "n", Severity.HINT, Span(0, 1), "")
    assert only.hides(finding, 5)
    assert not only.hides(finding, 0)


def test_at_the_end_of_the_text() -> None:
    assert silenced("<1>\n// gpuasync: ignore[GA501]") == []
