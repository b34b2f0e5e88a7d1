"""The cursor's context: the op around it, the preceding words of the op, the typed part of the next word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.line_format import starts_op
from gpuasync_lsp.ide.lookup.assembly import Place, Word, Written, follow, words_of
from gpuasync_lsp.ide.lookup.custom_formats import full_name
from gpuasync_lsp.ide.lookup.tokens import TokenKind, tokens
from gpuasync_lsp.ide.lookup.visible_values import visible_values
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.source import PlacedItem
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.cached_property import cached_property

_PREFIX = re.compile(
    r'(?:[%^#!][\w$.\-]*|@(?:"[^"\n]*"|[\w$.\-]*)(?:::(?:@(?:"[^"\n]*"?|[\w$.]*))?)?|@"[^"\n]*|[A-Za-z_][\w$.]*)$'
)
_STATEMENT_LINES = 20
"""The maximum number of lines searched backwards for the beginning of an op."""


@dataclass(frozen=True)
class Cursor:
    """A position at which something is being typed."""

    state: FileState
    span: Span
    """The typed part of the current word."""
    typed: str
    name: str
    """The current op's name with its dialect; empty at the op's beginning, or if it has no name."""
    words: Sequence[Word]
    """The op's words after its name, up to the current word."""
    has_results: bool
    """Whether the op has result names."""
    begins: bool
    """Whether a new op may begin here."""
    goes_on: bool
    """Whether the op before the cursor may continue at the cursor."""
    dictionary: str
    """The name of the op whose attribute dictionary contains the cursor; empty if none does."""
    statement: str
    """The text of the op up to the cursor, from at most `_STATEMENT_LINES` lines."""

    @cached_property
    def written(self) -> Written | None:
        """The written part of the op, matched against its assembly format."""
        return follow(self.name, self.words) if self.name else None

    @cached_property
    def placed(self) -> PlacedItem | None:
        """The item around the cursor."""
        return self.state.source.item_at(self.span.start)

    @cached_property
    def visible(self) -> dict[str, SSAValue]:
        """The values that are visible here, the nearest first."""
        return dict(self.nearest())

    def nearest(self) -> Iterator[tuple[str, SSAValue]]:
        """Yield the visible values, the nearest first, lazily because a large function has many."""
        placed = self.placed
        if placed is not None:
            name_of = placed.item.spans.value_name
            for value in visible_values(placed, self.span.start):
                # Results of incomplete ops, such as the one being written, have no type.
                if not isinstance(value.type, UnknownType):
                    yield name_of(value), value

    def expects(self, *places: Place) -> bool:
        """Return whether the format allows a word of one of the kinds `places` next."""
        return self.written is not None and any(e.place in places for e in self.written.expected)

    def ends_with(self, label: str) -> bool:
        """Return whether the op may end with `label` in place of the current word."""
        if self.begins and not self.goes_on and not self.name:
            written = follow(label, ())
            return written is None or written.is_whole
        written = follow(self.name, [*self.words, *words_of(label)]) if self.name else None
        return written is not None and written.is_whole


def cursor_at(state: FileState, offset: int) -> Cursor:
    """Return the cursor's context at `offset`."""
    text = state.text
    line = text.rfind("\n", 0, offset) + 1
    match = _PREFIX.search(text[line:offset])
    typed = match[0] if match else ""
    # Editors close a quote as soon as it is typed.
    closing = typed.startswith("@") and typed.count('"') % 2 == 1 and text.startswith('"', offset)
    span = Span(offset - len(typed), offset + closing)
    start = _statement_start(state, offset)
    above = _op(_innermost(words_of(text[start:line]))[0]) if start < line else None
    if above is not None and _is_done(above[0], above[1]):
        # A new op may begin on this line, or a keyword may continue the op above.
        name, rest, _ = above
        start = line
        if not text[line : span.start].strip() and follow(name, rest) is not None:
            return Cursor(state, span, typed, name, rest, False, True, True, "", text[start : span.start])
    statement = text[start : span.start]
    if statement.strip() == "}" and (closed := _closed_op(state, line + statement.index("}"))) is not None:
        name, rest = closed
        return Cursor(state, span, typed, name, rest, False, True, True, "", statement)
    words, dictionary = _innermost(words_of(statement))
    name, rest, has_results = _op(words) if not dictionary else ("", words, False)
    begins = not name and not dictionary and not rest
    goes_on = bool(name)
    return Cursor(state, span, typed, name, rest, has_results, begins, goes_on, dictionary, statement)


def _is_done(name: str, words: Sequence[Word]) -> bool:
    """Return whether an op is complete; if its format is unknown, whether its brackets are closed."""
    written = follow(name, words) if name else None
    return not _opens(words) and (written is None or written.is_whole)


def _closed_op(state: FileState, closing: int) -> tuple[str, Sequence[Word]] | None:
    """Return the op whose region the brace at `closing` closes, and its words up to that brace."""
    text = state.text
    placed = state.source.item_at(closing)
    if placed is None:
        return None
    open_ones: list[int] = []
    for word in tokens(text, placed.offset, closing):
        if text[word.start : word.end] == "{":
            open_ones.append(word.start)
        elif text[word.start : word.end] == "}" and open_ones:
            open_ones.pop()
    if not open_ones:
        return None
    start = _statement_start(state, open_ones[-1])
    name, rest, _ = _op(_after_label(words_of(text[start : open_ones[-1]])))
    braces = [Word(TokenKind.MARK, mark, closing, closing + 1) for mark in "{}"]
    return (name, [*rest, *braces]) if name else None


def _opens(words: Sequence[Word]) -> bool:
    """Return whether a bracket is open after `words`, or a further word must follow."""
    depth = 0
    for word in words:
        depth += (word.text in ("(", "[", "{")) - (word.text in (")", "]", "}"))
    return depth > 0 or (bool(words) and words[-1].text in (",", ":", "->", "="))


def _statement_start(state: FileState, offset: int) -> int:
    """Return the beginning of the op at `offset`, which is on this or an earlier line."""
    lines = state.lines
    here = lines.position(offset)[0]
    if starts_op(state.text[lines.starts[here] : offset]):
        return lines.starts[here]
    for number in range(here - 1, max(here - _STATEMENT_LINES, -1), -1):
        line = lines.line_text(number).strip()
        if starts_op(line) or line.endswith(("{", "}")) or not line:
            goes_on = starts_op(line) and not line.endswith("{") and not line.startswith("//")
            return lines.starts[number] if goes_on else lines.starts[here]
    return lines.starts[here]


def _op(words: Sequence[Word]) -> tuple[str, Sequence[Word], bool]:
    """Return an op's name, the words after it, and whether it has result names."""
    at = 0
    has_results = False
    if words and words[0].kind is TokenKind.VALUE:
        equals = next((n for n, word in enumerate(words) if word.text == "="), None)
        if equals is None:
            return "", words, False
        at, has_results = equals + 1, True
    if at >= len(words):
        return "", (), has_results
    if words[at].kind is not TokenKind.WORD:
        return "", words[at:], has_results
    return full_name(words[at].text), words[at + 1 :], has_results


def _innermost(words: Sequence[Word]) -> tuple[Sequence[Word], str]:
    """Return the words of the op in the innermost open region, and the op whose dictionary is open there."""
    open_ones: list[int] = []
    for number, word in enumerate(words):
        if word.text == "{":
            open_ones.append(number)
        elif word.text == "}" and open_ones:
            open_ones.pop()
    begin = 0
    for number in open_ones:
        name, rest, _ = _op(_after_label(words[begin:number]))
        written = follow(name, rest) if name else None
        if written is not None and any(e.place is Place.DICTIONARY for e in written.expected):
            if not any(e.place is Place.REGION for e in written.expected):
                return words[number + 1 :], name
        elif name and written is not None and not any(e.place is Place.REGION for e in written.expected):
            # These braces enclose an attribute, for example.
            continue
        begin = number + 1
    return _after_label(words[begin:]), ""


def _after_label(words: Sequence[Word]) -> Sequence[Word]:
    """Return `words` without a leading end of a region (`}`, `else`, `do`) and without a block's label."""
    while words and words[0].text in ("}", "else", "do"):
        words = words[1:]
    if words and words[0].kind is TokenKind.BLOCK:
        depth = 0
        for number, word in enumerate(words):
            depth += (word.text in ("(", "<")) - (word.text in (")", ">"))
            if word.text == ":" and depth == 0:
                return words[number + 1 :]
    return words
