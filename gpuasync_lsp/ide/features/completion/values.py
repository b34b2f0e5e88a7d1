"""Completion of values: tokens in a dependency list, and operands by their required type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.ir import OpResult, SSAValue

from gpuasync_lsp.analysis import AsyncFunction, Handle, Kind
from gpuasync_lsp.ide.features.completion.place import Cursor
from gpuasync_lsp.ide.features.completion.suggestion import MOST, Completion, CompletionKind
from gpuasync_lsp.ide.features.completion.wanted import fits_chosen, wanted_operand
from gpuasync_lsp.ide.lookup.assembly import Place
from gpuasync_lsp.ide.streams.words import function_with, label
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.printer import attribute_text

_DEPENDENCIES = re.compile(r"\basync\s*\[([^\]\n]*)$|\bgpu\.wait\s*\[([^\]\n]*)$")
_MISFIT, _ORDERED, _WAITED_FOR = 10_000, 10_000, 20_000
"""Rank penalties: a value of the wrong type; a token that a listed one already implies; a destroyed token."""


def is_dependency(cursor: Cursor) -> bool:
    """Return whether the cursor is in a dependency list."""
    written = cursor.written
    if written is not None:
        return any(e.place is Place.OPERAND and e.name == "asyncDependencies" for e in written.expected)
    return _DEPENDENCIES.search(cursor.statement) is not None


def dependencies(cursor: Cursor, typed: str | None = None) -> Iterator[Completion]:
    """Yield tokens for a dependency list, the nearest first; those that a listed token implies come last.

    Yields only names that contain `typed`, by default the current word."""
    placed, state, span = cursor.placed, cursor.state, cursor.span
    if placed is None:
        return
    functions = state.models_at_once(placed)
    listed_text = cursor.statement[cursor.statement.rfind("[") + 1 :]
    named = set(re.findall(r"%[\w$.\-]+(?:#\d+)?", listed_text))
    listed: list[SSAValue] = []
    fitting: dict[str, SSAValue] = {}
    typed = cursor.typed.lower() if typed is None else typed
    for name, value in cursor.nearest():
        if not isinstance(value.type, AsyncTokenType):
            continue
        if name in named:
            listed.append(value)
        elif len(fitting) < MOST and typed in name.lower():
            fitting.setdefault(name, value)
        if len(fitting) == MOST and len(listed) == len(named):
            break
    ordered = _ordered_before(
        functions, {h for f in functions for v in listed if (h := f.handle(v)) is not None}
    )
    for distance, (name, value) in enumerate(fitting.items()):
        function = function_with(functions, value)
        handle = None if function is None else function.handle(value)
        if function is None or handle is None:
            yield Completion(name, CompletionKind.VALUE, span, name, "", distance)
            continue
        detail, rank = label(function, handle), distance
        if handle in ordered:
            detail, rank = f"{detail}, ordered already", rank + _ORDERED
        elif _is_destroyed(function, handle, span.start - placed.offset):
            detail, rank = f"{detail}, waited for above", rank + _WAITED_FOR
        yield Completion(name, CompletionKind.VALUE, span, name, detail, rank)


def free_tokens(cursor: Cursor) -> list[str]:
    """Return the names of tokens that an op can depend on here, nearest first, without destroyed ones."""
    return [c.label for c in sorted(dependencies(cursor, ""), key=lambda c: c.rank) if c.rank < _ORDERED]


def _ordered_before(functions: list[AsyncFunction], handles: set[Handle]) -> set[Handle]:
    """Return `handles`, and the streams whose work they wait on through an event, transitively."""
    found = set(handles)
    if not found:
        return found
    joined = {
        (handle, function.handle(result))
        for function in functions
        for handle in function.handles
        for joiner in handle.joins
        for result in joiner.op.results
    }
    while True:
        more = {handle for handle, behind in joined if behind in found} - found
        if not more:
            return found
        found |= more


def _is_destroyed(function: AsyncFunction, handle: Handle, offset: int) -> bool:
    """Return whether an earlier wait, outside of conditional regions, has destroyed the stream."""
    if handle.kind is not Kind.STREAM or handle.op is None:
        return False
    return any(
        wait.op.parent is handle.op.parent and function.spans.op(wait.op).end <= offset
        for wait in handle.waits
        if wait.op in function.spans.ops
    )


def operands(cursor: Cursor) -> Iterator[Completion]:
    """Yield visible values; those of the required type come first, and the nearest first among these."""
    written = cursor.written
    names = [e.name for e in written.expected if e.place is Place.OPERAND] if written is not None else []
    if written is not None and not names and cursor.expects(Place.WORD, Place.BLOCK, Place.TYPE):
        return
    wanted = wanted_operand(cursor, names[0] if names else "")
    typed, count = cursor.typed.lower(), 0
    chosen = _chosen(cursor) if names and names[0] in ("src", "value") else {}
    for distance, (name, value) in enumerate(cursor.nearest()):
        if typed not in name.lower():
            continue
        takes = wanted.takes(value.type)
        if chosen:  # A copy takes two buffers of one type, a fill an element.
            takes = takes and value not in chosen.values() and fits_chosen(names[0], value.type, chosen)
        count += takes
        rank = distance + (0 if takes else _MISFIT)
        yield Completion(name, CompletionKind.VALUE, cursor.span, name, attribute_text(value.type), rank)
        if count == MOST and typed in ("", "%"):
            break  # Values that are further away are not shown.


def _chosen(cursor: Cursor) -> dict[str, SSAValue]:
    """Return the first value already written for each operand, by the operand's name."""
    written = cursor.written.values if cursor.written is not None else {}
    return {
        name: cursor.visible[values[0]]
        for name, values in written.items()
        if values and values[0] in cursor.visible
    }


def sizes(cursor: Cursor) -> str:
    """Return three sizes: visible constants, or names of constants that the user has to add."""
    constants = [
        name
        for name, value in cursor.visible.items()
        if f"{value.type}" == "index" and isinstance(value, OpResult) and value.op.name == "arith.constant"
    ]
    size = "%c1" if "%c1" in constants or not constants else constants[0]
    return ", ".join([size] * 3)
