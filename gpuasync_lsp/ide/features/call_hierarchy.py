"""Callers and callees, launches included, within a chunk."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from gpuasync_lsp.ide.lookup.symbols import (
    Definition,
    by_path,
    definition_of,
    definitions,
    references,
    resolve,
    symbol_at,
)
from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Span

_CALLABLE = frozenset({"func.func", "func", "gpu.func", "llvm.func", "async.func"})


@dataclass(frozen=True, slots=True)
class Calls:
    """One caller or callee, and the locations of the calls."""

    other: Definition
    places: tuple[Span, ...]


def callable_at(source: SourceFile, offset: int) -> Definition | None:
    """Return the function or kernel whose name is at `offset`, or else the one that contains `offset`."""
    mention = symbol_at(source, offset)
    found = None if mention is None else definition_of(source, mention)
    if found is not None and found.op_name in _CALLABLE:
        return found
    return enclosing(source, offset)


def enclosing(source: SourceFile, offset: int) -> Definition | None:
    """Return the innermost function around `offset`."""
    around = [
        d for d in definitions(source.chunk_at(offset)) if d.op_name in _CALLABLE and d.span.contains(offset)
    ]
    return min(around, key=lambda d: d.span.end - d.span.start, default=None)


def outgoing(source: SourceFile, caller: Definition) -> list[Calls]:
    """Return the calls and launches in `caller`."""
    return _grouped((callee, place) for callee, user, place in _calls(source, caller) if user == caller)


def incoming(source: SourceFile, callee: Definition) -> list[Calls]:
    """Return the calls and launches of `callee`."""
    return _grouped((user, place) for called, user, place in _calls(source, callee) if called == callee)


def _calls(source: SourceFile, near: Definition) -> Iterator[tuple[Definition, Definition, Span]]:
    chunk = source.chunk_at(near.span.start)
    known = by_path(chunk)
    functions = [d for d in definitions(chunk) if d.op_name in _CALLABLE]
    starts = [d.span.start for d in functions]
    for reference in references(chunk):
        if reference.defines:
            continue
        called = resolve(known, reference)
        if called is None or called.op_name not in _CALLABLE:
            continue
        # Functions do not nest: the last one that begins before a call contains it.
        at = bisect_right(starts, reference.span.start) - 1
        if at >= 0 and functions[at].span.contains(reference.span.start):
            yield called, functions[at], reference.span


def _grouped(calls: Iterator[tuple[Definition, Span]]) -> list[Calls]:
    places: dict[Span, tuple[Definition, list[Span]]] = {}
    for other, place in calls:
        places.setdefault(other.name, (other, []))[1].append(place)
    return [Calls(other, tuple(found)) for other, found in places.values()]
