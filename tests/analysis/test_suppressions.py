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


def expected(text: str, severity: Severity = Severity.ERROR) -> list[str]:
    """Return the `<...>` marks of a lit test at which a finding is expected."""
    text = f"// RUN: mlir-opt %s -verify-diagnostics\n{text}"
    marks = [i for i, c in enumerate(text) if c == "<"]
    found = comments(text)
    return [
        text[mark : text.index(">", mark) + 1]
        for mark in marks
        if found.silences(Finding("GA003", "invalid-op", severity, Span(mark, mark + 1), ""))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "// expected-error@+1 {{wrong}}\n<yes>\n<no>\n",
        "// expected-error @+1{{wrong}}\n<yes>\n<no>\n",
        "<yes> // expected-error {{wrong}}\n<no>\n",
        "// expected-error-re@+2 {{{{.*}}}}\n<no>\n<yes>\n",
        "<yes>\n// expected-error@above {{wrong}}\n<no>\n",
        "// expected-error@below {{one}}\n// expected-note@below {{two}}\n<yes>\n<no>\n",
        "<yes>\n// expected-error@-1 {{wrong}}\n<no>",
    ],
)
def test_what_a_lit_test_expects_is_no_problem(text: str) -> None:
    assert expected(text) == ["<yes>"]


def test_only_what_is_expected_is_no_problem() -> None:
    text = "// expected-warning@+1 {{slow}}\n<here>\n"
    assert expected(text) == []
    assert expected(text, Severity.WARNING) == ["<here>"]
    assert expected("// expected-note@+1 {{why}}\n<here>\n") == []
    marked = "// expected-error@+1 {{wrong}}\n<here>\n"
    outside = comments(marked)  # of no lit test
    assert not outside.silences(Finding("GA003", "invalid-op", Severity.ERROR, Span(31, 32), ""))
