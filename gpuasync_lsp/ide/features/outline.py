"""The symbols of a file as a tree: modules, kernels, functions, globals."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from gpuasync_lsp.ide.lookup.symbols import Definition, definitions
from gpuasync_lsp.syntax.source import Chunk, SourceFile
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.defects import one_by_one


class SymbolSort(Enum):
    """The kind of a symbol, which editors show as an icon."""

    MODULE = "module"
    KERNEL = "kernel"
    FUNCTION = "function"
    GLOBAL = "global"
    PASS = "pass"
    """A section of an IR dump."""


_MODULES = ("module", "binary", "class", "dialect", "library")
_FUNCTIONS = ("func", "Func", "sequence", "routine", "recipe", "pattern", "subgraph", "ifunc", "alias")
"""Prefixes of op names, without the dialect, whose symbols are shown as modules or functions."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A symbol, and the symbols nested in it."""

    name: str
    detail: str
    sort: SymbolSort
    span: Span
    name_span: Span
    container: str
    children: list[OutlineEntry] = field(default_factory=list["OutlineEntry"])


def outline(source: SourceFile) -> list[OutlineEntry]:
    """Return the outermost symbols of every chunk, in text order."""
    return list(one_by_one("the outline of a chunk", source.chunks, _of_chunk))


def _of_chunk(chunk: Chunk) -> list[OutlineEntry]:
    top: list[OutlineEntry] = []
    open_: list[OutlineEntry] = []
    for definition in sorted(definitions(chunk), key=lambda d: (d.span.start, -d.span.end)):
        while open_ and not open_[-1].span.contains(definition.span.end):
            open_.pop()
        entry = _entry(definition)
        (open_[-1].children if open_ else top).append(entry)
        open_.append(entry)
    return top


def flat(entries: list[OutlineEntry]) -> list[OutlineEntry]:
    """Return all entries, parents before children."""
    return [found for entry in entries for found in (entry, *flat(entry.children))]


def matches(query: str, name: str) -> bool:
    """Return whether the letters of `query` occur in `name` in order, ignoring case."""
    letters = iter(name.lower())
    return all(letter in letters for letter in query.lower())


def _entry(definition: Definition) -> OutlineEntry:
    kind = definition.op_name.rpartition(".")[2]
    if kind.endswith(_MODULES):
        sort = SymbolSort.MODULE
    elif definition.is_kernel:
        sort = SymbolSort.KERNEL
    elif kind.endswith(_FUNCTIONS):
        sort = SymbolSort.FUNCTION
    else:
        sort = SymbolSort.GLOBAL
    first = definition.header.split("\n", 1)[0]
    return OutlineEntry(
        "@" + definition.path[-1],
        " ".join(first.split()),
        sort,
        definition.span,
        definition.name,
        "::".join("@" + part for part in definition.path[:-1]),
    )
