"""`--verify-diagnostics` by this package: the errors that it knows, beside those that comments expect.

Facts: SourceMgrDiagnosticVerifierHandler (mlir/lib/IR/Diagnostics.cpp, LLVM 22): one comment for a line, a
diagnostic has the text of the comment in it, and what was expected and what came must be the same.

The words of mlir-opt are not known here for all that it refuses. Where an error is expected and this package
says something else, it is not known who is wrong, and the test is unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.text import LineIndex

_EXPECTED = re.compile(
    r"expected-(error|warning|note|remark)(-re)? *(?:@([+-]\d{1,6}|above|below|unknown) *)?\{\{(.*)\}\}\Z"
)
_ANYTHING = "{{.*}}"
_MOST_OF_MESSAGE = 300


class Said(NamedTuple):
    """An error and the line that it is at, counted from 0."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What a comment expects, and the lines of both, counted from 0."""

    comment: int
    line: int
    parts: tuple[str, ...]
    """What the message has in it, in this order."""

    @property
    def text(self) -> str:
        """The text as it is written."""
        return _ANYTHING.join(self.parts)

    def matches(self, said: Said) -> bool:
        """Tell whether this is the error."""
        at = 0
        for part in self.parts:
            found = said.text.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return said.line == self.line


def expectations(lines: LineIndex, first: int, last: int) -> list[Expected]:
    """Return what the lines `first` to `last`, counted from 0, expect.

    Raises Unsupported for what is expected and no error.
    """
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
    if kind != "error":
        raise Unsupported(
            f"the built-in passes: line {number + 1} expects a {kind}, and they say errors only"
        )
    if where == "unknown":
        raise Unsupported(f"the built-in passes: line {number + 1} expects an error without a place")
    parts = tuple(text.split(_ANYTHING)) if is_pattern else (text,)
    if is_pattern and any("{{" in part for part in parts):
        raise Unsupported(
            f"the built-in passes: line {number + 1} has a regular expression other than {_ANYTHING}"
        )
    line = number
    if where in ("above", "below"):
        step = -1 if where == "above" else 1
        line += step
        while line in comments:
            line += step
    elif where:
        line += int(where)
    return Expected(number, line, parts)


def differences(
    wanted: Sequence[Expected], said: Sequence[Said], everything_is_known: bool
) -> Iterator[tuple[int, str]]:
    """Yield the lines, from 0, and mlir-opt's words for what did not come and what came unexpected.

    `said` are the errors of one part of a file in order, of which mlir-opt may say the first only.
    `everything_is_known` tells whether what is silent here is silent there. Raises Unsupported.
    """
    missing = [each for each in wanted if not any(each.matches(error) for error in said)]
    if said and not any(each.matches(said[0]) for each in wanted):
        line, text = said[0]
        if wanted:
            words = text.partition("\n")[0][:_MOST_OF_MESSAGE]
            raise Unsupported(f'the built-in passes say "{words}" in line {line + 1}, mlir-opt perhaps not')
        yield line, f"unexpected error: {text.partition(chr(10))[0]}"
    if missing and not everything_is_known:
        raise Unsupported(
            f"the built-in passes: they do not know all that line {missing[0].comment + 1} may be about"
        )
    for each in missing:
        yield each.comment, f'expected error "{each.text}" was not produced'
