"""The expected diagnostics of lit tests are found by line, and editors do not show them as problems."""

from __future__ import annotations

import pytest

from gpuasync_lsp.ide.document.expectations import expected
from gpuasync_lsp.text import LineIndex, Severity

RUN = "// RUN: mlir-opt %s -verify-diagnostics\n"


def marked(text: str, severity: Severity = Severity.ERROR) -> list[str]:
    """Return the `<...>` marks in a lit test at which a diagnostic is expected."""
    lines = RUN + text
    found = expected(LineIndex(lines))
    return [
        line[line.index("<") : line.index(">") + 1]
        for number, line in enumerate(lines.split("\n"))
        if "<" in line and found.get(number) is severity
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
def test_where_a_lit_test_expects_errors(text: str) -> None:
    assert marked(text) == ["<yes>"]


def test_only_what_is_expected() -> None:
    text = "// expected-warning@+1 {{slow}}\n<here>\n"
    assert marked(text) == []
    assert marked(text, Severity.WARNING) == ["<here>"]
    assert marked("// expected-note@+1 {{why}}\n<here>\n") == []
    assert not expected(LineIndex("// expected-error@+1 {{wrong}}\n<here>\n"))  # Not a lit test.
