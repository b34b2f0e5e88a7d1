"""Dumps within logs: the log's prefix is removed from each line, and its time stamps are read.

    2026-01-02T03:04:05.678Z // -----// IR Dump After CSE (cse) //----- //
    [rank 0] // -----// IR Dump After CSE (cse) //----- //

The text before the headers is the prefix of a log's lines, except for numbers and time stamps. Lines whose
prefixes differ in more than the stamp come from several writers (`[rank 0]`, `[rank 1]`), which are
concatenated. A line without a prefix belongs to the writer of the previous line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gpuasync_lsp.ide.dumps.rope import Rope
from gpuasync_lsp.text import Span

MOST_WRITERS = 64
"""The maximum number of distinguished writers; with more, prefixes are assumed to number the lines."""
_MOST_FORMS = 8
"""The maximum number of prefix patterns that are distinguished in one log."""
_LONGEST = 200
"""The maximum length of a line's prefix."""

_DAY = 86_400.0
_TIME = (
    r"(?:\d{4}-\d\d-\d\d[T ])?(?:\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|(?<![\d.])\d{1,9}\.\d{2,9}(?![\d.])"
)
_PART = re.compile(rf"(?P<time>{_TIME})|(?P<number>\d+)|(?P<space>[ \t]+)")
_CLOCK = re.compile(r"(?:(\d{4})-(\d\d)-(\d\d)[T ])?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
_OF_IR = frozenset('%{}"=')
"""Characters that occur in IR but in no prefix; before a header, they show that the header interrupts IR."""


@dataclass(frozen=True, slots=True)
class Log:
    """The contents of a log without the prefixes."""

    text: str
    rope: Rope | None
    """Maps positions in `text` to the log; None if `text` is the whole log."""
    times: Sequence[float | None] = ()
    """The time stamp of each line of `text` in seconds."""

    def took(self, offset: int) -> float | None:
        """Return the seconds from the previous time stamp to that of the line at `offset` of `text`."""
        if self.rope is None:
            return None
        line = self.rope.piece(offset)
        stamp = self.times[line]
        before = next((time for time in reversed(self.times[:line]) if time is not None), None)
        if stamp is None or before is None:
            return None
        passed = stamp - before
        return passed if passed >= 0 else passed + _DAY if passed + _DAY >= 0 else None


def without_beginnings(text: str, headers: Iterable[Span]) -> Log:
    """Remove the prefixes of the log's lines; the text before `headers` shows what they look like."""
    forms = _forms(text, headers)
    if not forms:
        return Log(text, None)
    lines: dict[str, list[Span]] = {}
    times: dict[str, list[float | None]] = {}
    writer, number = "", 0
    for start, end in _lines(text):
        number += 1
        stamp: float | None = None
        for form in forms:
            found = form.match(text, start, end)
            if found is not None:
                begin, behind = found.span("time") if "time" in form.groupindex else (start, start)
                writer = text[start:begin] + text[behind : found.end()].rstrip()
                stamp = _seconds(text[begin:behind])
                start = found.end()
                break
        lines.setdefault(writer, []).append(Span(start, end))
        times.setdefault(writer, []).append(stamp)
    if len(lines) > MOST_WRITERS or 2 * len(lines) > number:
        in_order = sorted(
            (entry for each in lines for entry in zip(lines[each], times[each], strict=True)),
            key=lambda entry: entry[0],
        )
    else:
        in_order = [entry for each in lines for entry in zip(lines[each], times[each], strict=True)]
    rope = Rope(text, [span for span, _ in in_order])
    return Log(rope.text, rope, [time for _, time in in_order])


def _forms(text: str, headers: Iterable[Span]) -> list[re.Pattern[str]]:
    """Return patterns for the prefixes before `headers`; empty if the lines have no prefix."""
    found: Counter[str] = Counter()
    blank: Counter[str] = Counter()
    number = 0
    for header in headers:
        number += 1
        line = text.rfind("\n", 0, header.start) + 1
        before = text[line : header.start]
        if not before.strip():
            blank[before] += 1
        elif (
            len(before) <= _LONGEST
            and _OF_IR.isdisjoint(before)
            and any(c.isalnum() or c == "|" for c in before)
        ):
            found[_form(before)] += 1
    if len(blank) == 1 and "" not in blank and not found:
        found[re.escape(next(iter(blank)))] = blank.total()
    least = 1 if number < 3 else 2
    return [re.compile(form) for form, count in found.most_common(_MOST_FORMS) if count >= least]


def _form(before: str) -> str:
    """Return a pattern for prefixes that equal `before` except for numbers and the time stamp."""
    inner = before.rstrip(" \t")
    parts: list[str] = []
    at, has_time = 0, False
    for part in _PART.finditer(inner):
        parts.append(re.escape(inner[at : part.start()]))
        at = part.end()
        if part["time"]:
            parts.append(_TIME_AGAIN if has_time else f"(?P<time>{_TIME})")
            has_time = True
        else:
            parts.append(r"\d+" if part["number"] else r"[ \t]+")
    parts.append(re.escape(inner[at:]))
    # Tools that strip trailing blanks leave none after the prefix of an empty line.
    return "".join(parts) + f"(?:{re.escape(before[len(inner) :])}|[ \\t]*\\Z)"


_TIME_AGAIN = f"(?:{_TIME})"


def _lines(text: str) -> Iterator[Span]:
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield Span(at, end - 1 if end > at and text[end - 1] == "\r" else end)
        at = end + 1


def _seconds(stamp: str) -> float | None:
    if not stamp:
        return None
    clock = _CLOCK.match(stamp)
    if clock is None:
        return float(stamp)
    year, month, day, hour, minute, second, fraction = clock.groups()
    seconds = int(hour) * 3_600 + int(minute) * 60 + int(second) + float(f"0.{fraction or 0}")
    if not year:
        return seconds
    try:
        return date(int(year), int(month), int(day)).toordinal() * _DAY + seconds
    except ValueError:
        return None
