"""Emulates `--verify-diagnostics`: compares this package's errors with the errors that comments expect.

Source: SourceMgrDiagnosticVerifierHandler (mlir/lib/IR/Diagnostics.cpp, LLVM 22): a comment is for one line,
the diagnostic contains the text of the comment, and expected and emitted diagnostics must match one to one.

This package lacks some of mlir-opt's messages, verifiers and notes. There is a verdict only if what is
lacking cannot change it; otherwise the test is unsupported.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuasync_lsp.ide.runlines.messages import MOST_OF_LINE
from gpuasync_lsp.ide.runlines.patterns import NotSimple, Pattern, pattern_of
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.syntax import Chunk
from gpuasync_lsp.text import Finding, LineIndex

_EXPECTED = re.compile(
    r"expected-(error|warning|note|remark)(-re)? *(?:@([+-]\d{1,6}|above|below|unknown) *)?\{\{(.*)\}\}\Z"
)
_NOWHERE = -1
"""The line of an expectation at `@unknown`."""
_LATE = ("use of undeclared", "block with no terminator", "empty block")
"""Beginnings of errors that are reported at the end of a function: about names when the function is parsed,
about blocks when it is verified."""


class Error(NamedTuple):
    """An error of this package, and its 0-based line."""

    line: int
    text: str
    has_notes: bool = False
    """Whether mlir-opt is known to attach notes at other locations."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected diagnostic, with the 0-based lines of the diagnostic and of the comment."""

    kind: str
    comment: int
    line: int
    text: str
    """The expected text as written."""
    pattern: Pattern | None = None
    """The pattern for the message, if it is a supported regular expression."""
    is_known: bool = True
    """Whether the expectation is supported."""

    def is_in(self, error: Error) -> bool:
        """Return whether the expected text occurs in an error, regardless of its line."""
        if self.pattern is not None:
            return self.pattern.is_in(error.text)
        return self.is_known and self.text in error.text

    def matches(self, error: Error) -> bool:
        """Return whether an error is the expected diagnostic, with the expected line and text."""
        return self.kind == "error" and error.line == self.line and self.is_in(error)


def expectations(lines: LineIndex, first: int, last: int) -> list[Expected]:
    """Return the expected diagnostics in the comments of the 0-based lines `first` to `last`."""
    written: dict[int, re.Match[str]] = {}
    for number in range(first, last + 1):
        text = lines.line_text(number).rstrip()
        start = text.find("expected-")
        while start >= 0 and number not in written:
            found = _EXPECTED.match(text, start)
            if found is not None:
                written[number] = found
            start = text.find("expected-", start + 1)
    return [_expected(number, found, written.keys()) for number, found in written.items()]


def _expected(number: int, found: re.Match[str], comments: Collection[int]) -> Expected:
    kind, is_pattern, where, text = found.groups()
    pattern, is_known = None, True
    if is_pattern:
        try:
            pattern = pattern_of(text)
        except NotSimple:
            is_known = False
    line = number
    if where == "unknown":
        line = _NOWHERE
    elif where in ("above", "below"):
        step = -1 if where == "above" else 1
        line += step
        while line in comments:
            line += step
    elif where:
        line += int(where)
    return Expected(kind, number, line, text, pattern, is_known)


def in_order(findings: Iterable[Finding], chunk: Chunk) -> list[Finding]:
    """Sort the errors of a part as mlir-opt would find them; it reports only the first.

    mlir-opt parses everything before it verifies. It proceeds function by function, and reports
    undefined names and missing terminators at the end of a function.
    """
    starts = [item.offset for item in chunk.items]

    def place(finding: Finding) -> tuple[bool, int, bool, int]:
        is_read = finding.code == "GA001" or finding.message.startswith("use of undeclared SSA")
        item = bisect_right(starts, finding.span.start)
        return not is_read, item, finding.message.startswith(_LATE), finding.span.start

    return sorted(findings, key=place)


def has_notes(finding: Finding) -> bool:
    """Return whether mlir-opt attaches a note to an error, for example at a definition that does not
    dominate."""
    return bool(finding.related) or "does not dominate this use" in finding.message


def differences(
    wanted: Sequence[Expected],
    errors: Sequence[Error],
    everything_is_known: bool,
    places_are_known: bool,
    runs_passes: bool,
) -> list[tuple[int, str]]:
    """Return mlir-opt's messages for missing and unexpected diagnostics, with their 0-based lines.

    `errors` are the errors of one part of a file in order, of which mlir-opt may report only the first.
    `everything_is_known` means that this package finds all errors of mlir-opt, `places_are_known` that it
    finds them on the same lines. Raises Unsupported.
    """
    expected = [each for each in wanted if each.kind == "error"]
    missing = [each for each in expected if not any(each.matches(error) for error in errors)]
    others = [each for each in wanted if each.kind != "error"]
    if errors and not any(each.matches(errors[0]) for each in expected):
        return _unexpected(errors[0], wanted, missing, places_are_known)
    matched = {each.line for each in expected if each not in missing}
    for each in missing:
        where = f"the built-in passes: line {each.comment + 1} "
        if each.line == _NOWHERE:
            raise Unsupported(f"{where}expects an error without a location")
        if each.line in matched:
            raise Unsupported(f"{where}may expect one more error on the same line")
        if not each.is_known:
            raise Unsupported(f"{where}has an unsupported regular expression")
        if not everything_is_known:
            raise Unsupported(f"{where}may expect an error that they do not report")
    if not missing and not others and errors and errors[0].has_notes:
        raise Unsupported(
            f"the built-in passes: mlir-opt may attach notes to the error in line {errors[0].line + 1}"
        )
    if not missing and others and (errors or runs_passes or not everything_is_known):
        raise Unsupported(
            f"the built-in passes: line {others[0].comment + 1} expects a {others[0].kind}, "
            "and they emit only errors"
        )
    return [(each.comment, _not_produced(each)) for each in (*missing, *others)]


def _unexpected(
    first: Error, wanted: Sequence[Expected], missing: Sequence[Expected], places_are_known: bool
) -> list[tuple[int, str]]:
    """Return the differences if no comment expects the first error at its line."""
    words = first.text.partition("\n")[0][:MOST_OF_LINE]
    elsewhere = places_are_known and any(each.is_in(first) for each in wanted)
    if wanted and (not elsewhere or any(each.line == first.line for each in missing)):
        raise Unsupported(f'the built-in passes report "{words}" in line {first.line + 1}; mlir-opt may not')
    return [(first.line, f"unexpected error: {words}"), *((e.comment, _not_produced(e)) for e in missing)]


def _not_produced(each: Expected) -> str:
    return f'expected {each.kind} "{each.text}" was not produced'
