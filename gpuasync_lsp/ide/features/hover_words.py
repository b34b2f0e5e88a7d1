"""Explanations of words in an op's assembly: keywords, enum cases, attribute names."""

from __future__ import annotations

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.lookup.assembly import Place, Word, follow, words_of
from gpuasync_lsp.ide.lookup.mentions import op_at
from gpuasync_lsp.ide.lookup.op_tables import op_syntax
from gpuasync_lsp.syntax.ods.table import Variant, entry
from gpuasync_lsp.syntax.source import PlacedItem
from gpuasync_lsp.text import Span

_LONGEST = 20_000
"""The maximum number of characters of an op that are searched."""
_CASES = 20


def about_word(state: FileState, placed: PlacedItem, offset: int) -> tuple[str, Span] | None:
    """Return Markdown about the word at `offset` of the file, unless it is a name, and its span; or None."""
    item, at = placed.item, offset - placed.offset
    op = op_at(item, at)
    if op is None or op not in item.spans.ops:
        return None
    name, whole = item.spans.name(op), item.spans.op(op)
    if at < name.end or at - name.end > _LONGEST:
        return None
    shift = name.end + placed.offset
    words = words_of(item.text[name.end : min(whole.end, name.end + _LONGEST)])
    number = next((n for n, w in enumerate(words) if w.start <= offset - shift < w.end), None)
    if number is None:
        return None
    word = words[number]
    text = _word(item.text[name.start : name.end], words[:number], word)
    return None if text is None else (text, Span(word.start, word.end).shift(shift))


def _word(name: str, before: list[Word], word: Word) -> str | None:
    written = follow(name, before)
    if written is None:
        return None
    for expected in written.expected:
        if expected.place is Place.WORD and expected.name == word.text:
            syntax = op_syntax(written.variant.name) if written.variant is not None else None
            about = f"`{word.text}`: a keyword of `{name}`"
            # If a directive of the syntax is implemented in C++, its name explains nothing: omit the syntax.
            return f"{about}\n\n```mlir\n{syntax}\n```" if syntax and "custom<" not in syntax else about
        if expected.place is Place.CASE and written.variant is not None:
            text = _attribute(written.variant, expected.name, word.text)
            if text is not None:
                return text
        if expected.place is Place.ATTRIBUTE and written.variant is not None and expected.name:
            return _attribute(written.variant, expected.name)
    return _entry(written.variant, before, word)


def _entry(variant: Variant | None, before: list[Word], word: Word) -> str | None:
    """Describe the name of an attribute in a dictionary."""
    found = variant if variant is None else entry(variant.name)
    inside = bool(before) and before[-1].text in ("{", ",") and any(w.text == "{" for w in before)
    if found is None or variant is None or not inside or word.text not in variant.attributes:
        return None
    return _attribute(variant, word.text)


def _attribute(variant: Variant, name: str, case: str = "") -> str | None:
    constraint = variant.attributes.get(name)
    if constraint is None or (case and case not in constraint.cases):
        return None
    about = f"`{case or name}`: {f'`{name}` of ' if case else 'an attribute of '}`{variant.name}`"
    parts = [about, constraint.summary[:1].upper() + constraint.summary[1:]]
    if constraint.cases:
        more = ", ..." if len(constraint.cases) > _CASES else ""
        parts.append("One of " + ", ".join(f"`{c}`" for c in constraint.cases[:_CASES]) + more)
    return "\n\n".join(filter(None, parts))
