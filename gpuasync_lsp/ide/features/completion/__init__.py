"""Completion by position: the format of the current op determines what may come next.

Values are filtered by the type that the operand requires, and symbols by their kind. Types are suggested
where a type is expected, and ops, as snippets, only at the beginning of a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.completion.ops import is_terminator, ops
from gpuasync_lsp.ide.features.completion.place import Cursor, cursor_at
from gpuasync_lsp.ide.features.completion.suggestion import MOST, Completion, CompletionKind
from gpuasync_lsp.ide.features.completion.symbols import symbols
from gpuasync_lsp.ide.features.completion.types import (
    aliases,
    in_shaped_type,
    is_type_place,
    signatures,
    types,
)
from gpuasync_lsp.ide.features.completion.values import dependencies, is_dependency, operands
from gpuasync_lsp.ide.features.completion.words import attributes, words
from gpuasync_lsp.ide.lookup.assembly import Place
from gpuasync_lsp.ide.lookup.op_docs import op_documentation
from gpuasync_lsp.ide.lookup.tokens import TokenKind, tokens
from gpuasync_lsp.releases import PROFILES
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Span

_TARGET = "// gpuasync: llvm="

__all__ = ["MOST", "Completion", "CompletionKind", "completions", "documentation"]


def completions(state: FileState, offset: int) -> list[Completion]:
    """Return the suggestions at `offset`, best first, at most `MOST`."""
    text = state.text
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    if _is_prose(before):
        return _target_comment(before.lstrip(), offset)
    if shaped := in_shaped_type(before, offset):
        return shaped
    cursor = cursor_at(state, offset)
    return _fitting(list(_found(cursor)), cursor)


def _target_comment(begun: str, offset: int) -> list[Completion]:
    """Return the comment that sets a file's release, if the typed text is the beginning of one."""
    if len(begun) < len("// g") or not _TARGET.startswith(begun):
        return []
    versions = ",".join(str(version) for version in sorted(PROFILES, reverse=True))
    span = Span(offset - len(begun), offset)
    detail = "The LLVM release that this file targets"
    snippet = f"{_TARGET}${{1|{versions}|}}"
    return [Completion(_TARGET, CompletionKind.KEYWORD, span, _TARGET, detail, snippet=snippet)]


def _is_prose(before: str) -> bool:
    """Return whether a line ends in a comment or in a string other than a quoted symbol."""
    last = None
    for last in tokens(before):
        if last.kind is TokenKind.COMMENT:
            return True
    if last is None or last.kind is not TokenKind.STRING or last.end < len(before):
        return False
    text = before[last.start :]
    return len(text) == 1 or not text.endswith('"') or text.endswith('\\"')


def _found(cursor: Cursor) -> Iterator[Completion]:
    sigil = cursor.typed[:1]
    if sigil == "%":
        yield from _values(cursor)
    elif sigil == "@":
        if not cursor.expects(Place.NEW_SYMBOL):
            yield from symbols(cursor)
    elif sigil == "^":
        yield from _blocks(cursor)
    elif sigil in ("#", "!"):
        yield from aliases(cursor)
    elif cursor.dictionary:
        yield from attributes(cursor)
    else:
        yield from _words(cursor)


def _values(cursor: Cursor) -> Iterator[Completion]:
    # Before the op's name, a value is a result, whose name is new: suggest no existing values.
    if cursor.begins and not cursor.expects(Place.OPERAND):
        return
    if not cursor.name and not cursor.has_results and "(" not in cursor.statement:
        return
    yield from dependencies(cursor) if is_dependency(cursor) else operands(cursor)


def _words(cursor: Cursor) -> Iterator[Completion]:
    if is_dependency(cursor):
        yield from dependencies(cursor)
    yield from words(cursor)
    if cursor.begins:
        yield from ops(cursor)
        return
    written = cursor.written
    if written is None:
        # The op is unknown.
        if is_type_place(cursor.statement):
            yield from types(cursor)
        return
    begins_type = cursor.statement.rstrip().endswith((":", "->", ",", "("))
    if not written.expected and begins_type and is_type_place(cursor.statement):
        # The format does not describe the part at this position.
        yield from types(cursor)
    if cursor.expects(Place.SIGNATURE):
        yield from signatures(cursor)
    if cursor.expects(Place.TYPE):
        yield from types(cursor)
    if not cursor.typed:
        if cursor.expects(Place.OPERAND) and not is_dependency(cursor):
            yield from operands(cursor)
        # Any attribute may be a symbol, but a symbol that the op requires has a name in the format.
        if any(expected.place is Place.SYMBOL and expected.name for expected in written.expected):
            yield from symbols(cursor)
        if cursor.expects(Place.BLOCK):
            yield from _blocks(cursor)
    if cursor.goes_on and not written.is_whole and not cursor.statement.rpartition("\n")[2].strip():
        # The cursor is on a continuation line; the op above may also be incomplete, so a new op may begin.
        yield from ops(cursor)


def _blocks(cursor: Cursor) -> Iterator[Completion]:
    placed = cursor.placed
    if placed is None or cursor.begins:
        return
    for block, place in placed.item.spans.blocks.items():
        name = place.of(placed.item.text).split("(")[0].rstrip(":")
        types_of = ", ".join(attribute_text(argument.type) for argument in block.args)
        yield Completion(name, CompletionKind.BLOCK, cursor.span, name, types_of)
    # While the successor is missing, the parser takes the next label for it.
    for label in re.findall(r"(?m)^[ \t]*(\^[\w$.\-]+)", placed.item.text):
        yield Completion(label, CompletionKind.BLOCK, cursor.span, label, rank=1)


def _fitting(found: list[Completion], cursor: Cursor) -> list[Completion]:
    """Return the suggestions that match the typed text, best first.

    Some editors accept the first suggestion on Enter, which people press after a complete word to end
    the line. So a completely typed word is not suggested if it may end the op, and otherwise comes before
    longer words. An op whose name is typed completely is still suggested, with the rest of its snippet,
    because except for terminators, a name rarely ends the line.
    """
    typed = cursor.typed
    whole = next((c for c in found if c.label == typed), None)
    if whole is not None:
        is_name = whole.kind is CompletionKind.OP and not is_terminator(typed)
        if typed.startswith("@") or (cursor.ends_with(typed) and not is_name):
            return []
        found = [c for c in found if c.label.startswith(typed)]
        if len(found) == 1 and whole.snippet in ("", typed):
            return []
    low = typed.lower()

    def order(suggestion: Completion) -> tuple[bool, bool, int, str]:
        label = suggestion.label
        return label != typed, not label.lower().startswith(low), suggestion.rank, label

    unique = {(c.label, c.kind): c for c in reversed(found) if low in c.label.lower()}
    return sorted(unique.values(), key=order)[:MOST]


def documentation(name: str) -> str | None:
    """Return the Markdown for a suggested op, or None."""
    return op_documentation(name)
