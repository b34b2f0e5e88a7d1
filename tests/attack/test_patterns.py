"""Every regular expression in the package takes linear time on any text."""

from __future__ import annotations

import pytest

from tests.attack.ambiguity import Unsupported, complaint
from tests.attack.patterns import uses

_OLD_SPACE = r"(?:[ \t\n\r\0]+|//[^\n\r]*)*"
OLD = {
    "white space that no token follows": (
        rf"{_OLD_SPACE}(?:[a-z]+|%[a-z]+|(?P<end>\Z))",
        False,
        "exponential",
    ),
    "comments behind a brace": (r"\{(?:[ \t\r\n\0]|//[^\n\r]*)*(?:%[a-z]+|\})", False, "exponential"),
    "a comment that repeats what begins it": (
        r"//[ \t]*gpuasync:[^\r\n]*?\bllvm[ \t]*=[ \t]*([^\s,;]+)",
        True,
        "quadratic",
    ),
    "blanks in front of what is looked for": (r"\s*\[\s*tool\b", True, "quadratic"),
    "a string that is never closed": (r'"(?:[^"\\]|\\.)*"|[()]', True, "quadratic"),
    "two repetitions beside each other": (r"define (.*?)@(\w+)\((.*)\)", False, "quadratic"),
    "digits at the end": (r"\d*$", True, "quadratic"),
}


@pytest.mark.parametrize("name", OLD)
def test_what_is_slow_is_seen(name: str) -> None:
    """Patterns that this package once used."""
    pattern, is_searched, wanted = OLD[name]
    found = complaint(pattern, 0, is_searched=is_searched)
    assert found is not None
    assert found.startswith(wanted)


@pytest.mark.parametrize("pattern", [r"[ ]*(?://[^\n]*\n[ ]*)*%", r'"(?:[^"\\]|\\.)*"?', r"//[^\n]*", r"\w+"])
def test_what_is_linear_is_not_refused(pattern: str) -> None:
    assert complaint(pattern, 0, is_searched=pattern[0] != "[") is None


@pytest.mark.parametrize("pattern", [r"a++b", r"(?>a+)b", r"a*+", r"(a)\1"])
def test_what_old_releases_get_wrong_is_refused(pattern: str) -> None:
    """Possessive quantifiers and atomic groups match wrongly before Python 3.11.5."""
    with pytest.raises(Unsupported):
        complaint(pattern, 0, is_searched=False)


_OF_A_LINE = ("gpuasync_lsp.ide.features.completion.", "gpuasync_lsp.syntax.spellings.")
"""Modules whose patterns see only one line or a short text.

The first is applied backward from the cursor to the start of the statement; the second at one position, to an
op name, and to at most 4,000 characters."""


@pytest.mark.parametrize("every", [64, pytest.param(1, marks=pytest.mark.slow)])
def test_every_pattern_is_linear(every: int) -> None:
    found = list(uses())
    assert len(found) > 150
    assert any("syntax.lexer._TOKEN" in use.where for use in found)
    wrong: list[str] = []
    for use in found[::every]:
        try:
            said = complaint(use.pattern, use.flags, is_searched=use.is_searched)
        except Unsupported as refused:
            said = f"uses {refused}"
        of_a_line = said is not None and said.startswith("quadratic") and use.where.startswith(_OF_A_LINE)
        if said is not None and not of_a_line:
            wrong.append(f"{use.where}: {said}: {use.pattern!r}")
    assert not wrong, "\n".join(wrong)
