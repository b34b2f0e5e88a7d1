"""Explanations of types, attributes and aliases in ops, signatures and alias definitions."""

from __future__ import annotations

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.hover_attributes import meaning
from gpuasync_lsp.ide.lookup.assembly import Word, words_of
from gpuasync_lsp.ide.lookup.entities import EntityKind, entity_at
from gpuasync_lsp.ide.lookup.tokens import TokenKind
from gpuasync_lsp.syntax import parse_item
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.source import Chunk
from gpuasync_lsp.text import Span

_FAR = 4_000
"""The number of characters to search before and after the position."""
_MOST_AROUND = 4
"""The maximum number of enclosing types that are parsed."""
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_AFFINE = ("affine_map", "affine_set")
_LONGEST = 2_000
"""The maximum number of characters of an alias's definition that are shown."""
_MOST_USERS = 10
"""The maximum number of users of an alias that are listed."""


def about_written(state: FileState, offset: int) -> tuple[str, Span] | None:
    """Return Markdown about the type, attribute or alias at `offset`, and its span; or None."""
    chunk = state.source.chunk_at(offset)
    begin, words = _words(state, offset)
    closing = _closing(words)
    tries = 0
    for number in range(len(words) - 1, -1, -1):
        word = words[number]
        begins = word.kind in (TokenKind.TYPE, TokenKind.ATTRIBUTE) or word.text in _AFFINE
        if not begins or begin + word.start > offset:
            continue
        end = closing.get(number + 1, word.end)
        if offset > begin + end or (offset == begin + end and end > word.end):
            continue
        span = Span(begin + word.start, begin + end)
        text = _alias(state, chunk, offset, word.text)
        text = _meaning(chunk, span.of(state.text)) if text is None else text
        tries += 1
        if text is not None or tries == _MOST_AROUND:
            return None if text is None else (text, span)
    return None


def _closing(words: list[Word]) -> dict[int, int]:
    """Return the end of the matching `>` for the index of each `<`."""
    found: dict[int, int] = {}
    open_ones: list[int] = []
    for number, word in enumerate(words):
        if word.kind is not TokenKind.MARK:
            continue
        if word.text in _PAIRS:
            open_ones.append(number)
        elif open_ones and word.text == _PAIRS[words[open_ones[-1]].text]:
            found[open_ones.pop()] = word.end
    return {number: end for number, end in found.items() if words[number].text == "<"}


def _words(state: FileState, offset: int) -> tuple[int, list[Word]]:
    """Return the text around `offset`, which begins at the start of a line, and the offset of its start."""
    text, lines = state.text, state.lines
    line = lines.starts[lines.position(offset)[0]]
    if offset - line > _FAR:
        return line, []
    # A type may extend over several lines.
    begin = lines.starts[lines.position(max(line - _FAR, 0))[0]]
    while begin < line and offset - begin > _FAR:
        begin = lines.starts[lines.position(begin)[0] + 1]
    return begin, words_of(text[begin : offset + _FAR])


def _alias(state: FileState, chunk: Chunk, offset: int, name: str) -> str | None:
    attribute = chunk.aliases.get(name)
    entity = None if attribute is None else entity_at(state.source, offset)
    if attribute is None or entity is None or entity.kind is not EntityKind.ALIAS or entity.name != name:
        return None
    written = attribute_text(attribute)
    shown = written if len(written) <= _LONGEST else f"{written[:_LONGEST]}..."
    parts = [f"```mlir\n{name} = {shown}\n```", *meaning(attribute)]
    places = {
        defines: list(
            dict.fromkeys(
                state.lines.position(o.span.start)[0] + 1 for o in entity.occurrences if o.defines == defines
            )
        )
        for defines in (True, False)
    }
    if places[True]:
        users = f"used in {listed_lines(places[False])}" if places[False] else "without uses"
        parts.append(f"Defined in {listed_lines(places[True])}, {users}.")
    return "\n\n".join(parts)


def listed_lines(numbers: list[int]) -> str:
    """Format line numbers: `lines 1, 2 and 3 more`."""
    listed = ", ".join(str(number) for number in numbers[:_MOST_USERS])
    more = f" and {len(numbers) - _MOST_USERS} more" if len(numbers) > _MOST_USERS else ""
    return f"line{'s' * (len(numbers) > 1)} {listed}{more}"


def _meaning(chunk: Chunk, text: str) -> str | None:
    """Return the explanation of a type or attribute with this text, or None if it is neither."""
    if text[0] == "#" or text.startswith(_AFFINE):
        item = parse_item(f'"t.t"() {{a = {text}}} : () -> ()', chunk.aliases)
        found = None if item.problems else next((op.attributes.get("a") for op in item.ops), None)
    else:
        item = parse_item(f'"t.t"() : () -> ({text})', chunk.aliases)
        found = None if item.problems else next((op.result_types[0] for op in item.ops if op.results), None)
    if found is None:
        return None
    return "\n\n".join([f"```mlir\n{text}\n```", *meaning(found)])
