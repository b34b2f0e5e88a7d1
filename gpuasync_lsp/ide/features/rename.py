"""Rename a value, a block, a symbol or an alias."""

from __future__ import annotations

import re

from gpuasync_lsp.ide.lookup.entities import Entity, EntityKind, entity_at
from gpuasync_lsp.ide.lookup.symbols import bare, definitions, written
from gpuasync_lsp.ide.lookup.tokens import TokenKind, is_written
from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Edit, Span

_SUFFIX = re.compile(r"\d+|[A-Za-z_$.\-][\w$.\-]*")
_ALIAS = re.compile(r"[A-Za-z_][\w$]*")
_SYMBOL = re.compile(r"[A-Za-z_][\w$.]*")


class CannotRename(Exception):
    """The name cannot be changed, or cannot be changed to the requested name."""


def renameable(source: SourceFile, offset: int) -> Entity | None:
    """Return the entity that a rename at `offset` applies to, or None."""
    entity = entity_at(source, offset)
    if entity is None or (entity.kind is EntityKind.SYMBOL and not entity.definitions):
        return None
    return entity


def rename(source: SourceFile, offset: int, new_name: str) -> list[Edit]:
    """Return the edits that rename the entity at `offset` to `new_name`, with or without its sigil.

    Raises CannotRename if there is nothing to rename, or if the new name is invalid or taken.
    """
    entity = renameable(source, offset)
    if entity is None:
        raise CannotRename("there is nothing to rename here")
    new = _written(entity, new_name.strip())
    if new == entity.name:
        return []
    if _is_taken(new, source, entity):
        raise CannotRename(f"{new} is already used for something else here")
    return [
        Edit(occurrence.span, f'"{bare(new)}"' if _is_string(source, occurrence.span) else new)
        for occurrence in entity.occurrences
    ]


def _is_string(source: SourceFile, span: Span) -> bool:
    """Return whether the name at `span` is a string, as the symbol of an op in the generic form is."""
    return source.text.startswith('"', span.start)


def _written(entity: Entity, new_name: str) -> str:
    sigil = entity.name[0]
    name = new_name.removeprefix(sigil)
    if entity.kind is EntityKind.SYMBOL:
        # Any text may be a symbol if it is quoted.
        plain = name.strip('"')
        if not plain:
            raise CannotRename("a symbol needs a name")
        return f"@{plain}" if _SYMBOL.fullmatch(plain) else '@"' + plain.replace('"', '\\"') + '"'
    pattern = _ALIAS if entity.kind is EntityKind.ALIAS else _SUFFIX
    if not pattern.fullmatch(name):
        raise CannotRename(f"{new_name!r} cannot be the name of a {entity.kind.value}")
    return sigil + name


def _is_taken(new: str, source: SourceFile, entity: Entity) -> bool:
    if entity.kind is EntityKind.SYMBOL:
        chunk = source.chunk_at(entity.at.start)
        known = list(definitions(chunk))
        own = next(d for d in known if d.name == entity.definitions[0].span)
        # Only siblings conflict: `@a::@k` and `@b::@k` may both exist.
        return new in {written(d.label) for d in known if d.path[:-1] == own.path[:-1]}
    if entity.placed is None:
        text = source.chunk_at(entity.at.start).span.of(source.text)
        return any(is_written(text, new, kind) for kind in (TokenKind.ATTRIBUTE, TokenKind.TYPE))
    kind = TokenKind.VALUE if entity.kind is EntityKind.VALUE else TokenKind.BLOCK
    return is_written(entity.placed.item.text, new, kind)
