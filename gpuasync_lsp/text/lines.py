"""Line and column of an offset, in the three position encodings of the Language Server Protocol."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal

from gpuasync_lsp.text.span import Span

Encoding = Literal["utf-8", "utf-16", "utf-32"]

# LSP 3.17 defines three line ends. `str.splitlines` also breaks at form feeds and U+2028, unlike editors.
_LINE_END = re.compile(r"\r\n|\n|\r")


class LineIndex:
    """Converts between code-point offsets of `text` and zero-based (line, column) pairs."""

    def __init__(self, text: str, starts: list[int] | None = None) -> None:
        self.text = text
        self._is_plain = text.isascii() and "\r" not in text
        """Whether each character is one code unit, and each line end one character."""
        self.starts: list[int] = [0, *_line_starts(text)] if starts is None else starts
        """Offset of the first code point of each line."""

    @property
    def line_count(self) -> int:
        """The number of lines, including an empty one after a final line end."""
        return len(self.starts)

    def position(self, offset: int, encoding: Encoding = "utf-32") -> tuple[int, int]:
        """Return the (line, column) of `offset`; columns count code units of `encoding`."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        start = self.starts[line]
        if 0 < offset < len(self.text) and self.text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1  # No position is between \r and \n: use the end of the line.
        if encoding == "utf-32" or self.text.isascii():
            return line, offset - start
        return line, _units(self.text[start:offset], encoding)

    def range(self, span: Span, encoding: Encoding = "utf-32") -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the (line, column) of both ends of `span`."""
        start, end = span
        if not self._is_plain or not 0 <= start <= end <= len(self.text):
            return self.position(start, encoding), self.position(end, encoding)
        starts = self.starts
        line = bisect_right(starts, start) - 1
        at = starts[line]
        if line + 1 == len(starts) or end < starts[line + 1]:
            return (line, start - at), (line, end - at)
        last = bisect_right(starts, end, line) - 1
        return (line, start - at), (last, end - starts[last])

    def offset(self, line: int, column: int, encoding: Encoding = "utf-32") -> int:
        """Return the offset of (line, column); columns past the end of a line are clamped to it."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[line], self.line_end(line)
        if encoding == "utf-32":
            return min(start + max(column, 0), end)
        prefix = self.text[start : min(start + max(column, 0), end)]
        if prefix.isascii():
            return start + len(prefix)
        units = 0
        for at in range(start, end):
            if units >= column:
                return at
            units += _units(self.text[at], encoding)
        return end

    def edited(self, start: int, end: int, replacement: str) -> LineIndex:
        """Return the index of the text with `start` to `end` replaced, scanning only the adjacent lines."""
        text = self.text[:start] + replacement + self.text[end:]
        # Scan one more line on either side: an edit can split or create a \r\n there.
        first = max(bisect_right(self.starts, start) - 2, 0)
        last = min(bisect_right(self.starts, end) + 1, len(self.starts))
        shift = len(text) - len(self.text)
        scanned_to = self.starts[last] + shift if last < len(self.starts) else len(text)
        scanned_from = self.starts[first]
        region = text[scanned_from:scanned_to]
        fresh = [scanned_from + at for at in _line_starts(region)]
        if last < len(self.starts):
            fresh.pop()  # The start of line `last`, which belongs to the part that follows.
        rest = self.starts[last:]
        if shift:
            rest = [at + shift for at in rest]
        return LineIndex(text, self.starts[: first + 1] + fresh + rest)

    def line_end(self, line: int) -> int:
        """Return the offset of the end of `line`, before its line end."""
        if line + 1 >= len(self.starts):
            return len(self.text)
        end = self.starts[line + 1]
        while end > self.starts[line] and self.text[end - 1] in "\r\n":
            end -= 1
        return end

    def line_text(self, line: int) -> str:
        """Return the text of `line` without its line end."""
        return self.text[self.starts[line] : self.line_end(line)]


def _line_starts(text: str) -> list[int]:
    if "\r" in text:
        return [m.end() for m in _LINE_END.finditer(text)]
    starts: list[int] = []
    append, find, at = starts.append, text.find, text.find("\n")
    while at >= 0:
        append(at + 1)
        at = find("\n", at + 1)
    return starts


def _units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    # Lone surrogates cannot be encoded strictly, but an editor may send them.
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
