"""Comments that silence rules: which lines and which rules they speak about."""

from __future__ import annotations

import pytest

from gpuasync_lsp.analysis import comments
from gpuasync_lsp.text import Finding, Severity, Span


def silenced(text: str, code: str = "GA501", name: str = "serialized-fork") -> list[str]:
    """Return the `<...>` marks of `text` at which a finding would be silenced."""
    marks = [i for i, c in enumerate(text) if c == "<"]
    found = comments(text)
    return [
        text[mark : text.index(">", mark) + 1]
        for mark in marks
        if found.silences(Finding(code, name, Severity.HINT, Span(mark, mark + 1), ""))
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_behind_code_it_speaks_of_its_line(end: str) -> None:
    text = f"<1>{end}<2> // gpuasync: ignore[GA501]{end}<3>{end}"
    assert silenced(text) == ["<2>"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_alone_it_speaks_of_the_next_line(end: str) -> None:
    text = f"<1>{end}  // gpuasync: ignore[GA501]{end}  <2>{end}<3>{end}"
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
        ("", True),
    ],
)
def test_words(words: str, hidden: bool) -> None:
    assert bool(silenced(f"<1> // gpuasync: ignore[{words}]")) is hidden


def test_at_the_end_of_the_text() -> None:
    assert silenced("<1>\n// gpuasync: ignore[GA501]") == []
