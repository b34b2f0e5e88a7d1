"""The named entity at a position: a value, a block, a symbol or an alias, with all its mentions.

In ops that could not be parsed, value names are matched textually within the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from gpuasync_lsp.ide.lookup.mentions import block_mentions, mention_at, mentions_of
from gpuasync_lsp.ide.lookup.symbols import bare, definition_of, references_to, symbol_at, written
from gpuasync_lsp.ide.lookup.tokens import TokenKind, item_tokens, token_at, tokens
from gpuasync_lsp.syntax.source import PlacedItem, SourceFile
from gpuasync_lsp.text import Span

_NAME = re.compile(r"[%^#!][\w$.\-]+")


class EntityKind(Enum):
    """The kind of entity that a name refers to."""

    VALUE = "value"
    BLOCK = "block"
    SYMBOL = "symbol"
    ALIAS = "alias"


class Occurrence(NamedTuple):
    """One mention, with its span in the file: the name with its sigil, without `#1`."""

    span: Span
    defines: bool


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity, with all its mentions."""

    kind: EntityKind
    name: str
    """The name as written, sigil included."""
    at: Span
    """The mention at the requested position."""
    occurrences: tuple[Occurrence, ...]
    """All mentions, in text order."""
    whole: Span | None
    """The span of the op that defines the entity."""
    placed: PlacedItem | None = None
    """The item to which the name is local; None for symbols and aliases."""

    @property
    def definitions(self) -> list[Occurrence]:
        """The mentions that define the entity; several if the text defines it more than once."""
        return [o for o in self.occurrences if o.defines]


def entity_at(source: SourceFile, offset: int) -> Entity | None:
    """Return the entity whose name is at `offset`; None if there is no name."""
    word = token_at(source.text, offset, source.text.rfind("\n", 0, offset) + 1)
    if word is not None and word.kind is TokenKind.SYMBOL:
        return _symbol(source, offset)
    placed = source.item_at(offset)
    if placed is not None:
        found = _value(placed, offset) or _block(placed, offset) or _value_by_text(placed, offset)
        if found is not None:
            return found
    return _symbol(source, offset) or _alias(source, offset)


def _value(placed: PlacedItem, offset: int) -> Entity | None:
    item, shift = placed.item, placed.offset
    found = mention_at(item, offset - shift)
    if found is None:
        return None
    # Results that share a definition (`%m:2`) share their name.
    definition = item.spans.result(found.value)
    owner = found.value.owner
    values = [found.value]
    if definition is not None:
        values = [v for v in getattr(owner, "results", ()) if item.spans.result(v) == definition] or values
    spans = {
        (mention.span, mention.defines): None for value in values for mention in mentions_of(item, value)
    }
    occurrences = tuple(
        Occurrence(_bare(item.text, span).shift(shift), defines) for span, defines in sorted(spans)
    )
    at = _bare(item.text, found.span).shift(shift)
    places = item.spans.ops.get(owner) if definition is not None else None  # pyright: ignore[reportArgumentType]
    whole = definition if places is None else places.whole
    return Entity(
        EntityKind.VALUE,
        _bare(item.text, found.span).of(item.text),
        at,
        occurrences,
        None if whole is None else whole.shift(shift),
        placed,
    )


def _value_by_text(placed: PlacedItem, offset: int) -> Entity | None:
    item, shift = placed.item, placed.offset
    words = item_tokens(item)
    for word in words:
        if word.kind is TokenKind.VALUE and word.start <= offset - shift <= word.end:
            name = item.text[word.start : word.end]
            same = [w for w in words if w.kind is TokenKind.VALUE and item.text[w.start : w.end] == name]
            occurrences = tuple(
                Occurrence(w.span.shift(shift), _looks_defining(item.text, w.end)) for w in same
            )
            return Entity(EntityKind.VALUE, name, word.span.shift(shift), occurrences, None, placed)
    return None


def _looks_defining(text: str, end: int) -> bool:
    return re.compile(r"(?::\d+)?\s*(?:,\s*%[\w$.\-]+(?::\d+)?\s*)*=(?!=)").match(text, end) is not None


def _block(placed: PlacedItem, offset: int) -> Entity | None:
    item, shift = placed.item, placed.offset
    found = block_mentions(item)
    for mention in found:
        at = _bare(item.text, mention.span)
        if not at.contains(offset - shift):
            continue
        same = [m for m in found if m.block is mention.block]
        occurrences = tuple(Occurrence(_bare(item.text, m.span).shift(shift), m.defines) for m in same)
        whole = next((m.span.shift(shift) for m in same if m.defines), None)
        return Entity(EntityKind.BLOCK, at.of(item.text), at.shift(shift), occurrences, whole, placed)
    return None


def _symbol(source: SourceFile, offset: int) -> Entity | None:
    mention = symbol_at(source, offset)
    if mention is None:
        return None
    definition = definition_of(source, mention)
    name = mention.span.of(source.text)
    if not name.startswith("@"):
        name = written(bare(name))
    if definition is None:
        return Entity(EntityKind.SYMBOL, name, mention.span, (Occurrence(mention.span, False),), None)
    occurrences = tuple(Occurrence(r.span, r.defines) for r in references_to(source, definition))
    return Entity(EntityKind.SYMBOL, name, mention.span, occurrences, definition.span)


def _alias(source: SourceFile, offset: int) -> Entity | None:
    chunk = source.chunk_at(offset)
    line = source.text.rfind("\n", 0, offset) + 1
    word = token_at(source.text, offset, line)
    if word is None or word.kind not in (TokenKind.ATTRIBUTE, TokenKind.TYPE):
        return None
    name = source.text[word.start : word.end]
    # `#nvvm.target` is an attribute of a dialect; aliases have no dot.
    if name[:1] not in "#!" or "." in name or name[1:].isdigit() or len(name) == 1:
        return None
    occurrences = tuple(_alias_mentions(source.text, chunk.span, name))
    whole = next((o.span for o in occurrences if o.defines), None)
    return Entity(EntityKind.ALIAS, name, word.span, occurrences, whole)


def _alias_mentions(text: str, within: Span, name: str) -> Iterator[Occurrence]:
    for word in tokens(text, within.start, within.end):
        if word.kind in (TokenKind.ATTRIBUTE, TokenKind.TYPE) and text[word.start : word.end] == name:
            line = text.rfind("\n", 0, word.start) + 1
            defines = not text[line : word.start].strip() and text[word.end :].lstrip(" \t")[:1] == "="
            yield Occurrence(word.span, defines)


def _bare(text: str, span: Span) -> Span:
    """Return the name in a mention: `%m` of `%m#1`, `^bb1` of `^bb1(%a: i32):`."""
    match = _NAME.match(text, span.start, span.end)
    return span if match is None else Span(match.start(), match.end())
