"""Replaces the numeric name of a value with a descriptive name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.repairs.dependencies import NAMES
from gpuasync_lsp.ide.lookup.mentions import base_name, mentions_of
from gpuasync_lsp.ide.lookup.tokens import TokenKind, item_tokens
from gpuasync_lsp.ide.refactor.place import Place
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.text import Edit, Span


def name_value(place: Place) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the edits for the value under the cursor, or for the only result of the op under the cursor."""
    value = place.mention.value if place.mention is not None else None
    if value is None and len(place.op.results) == 1:
        value = place.op.results[0]
    item = place.placed.item
    definition = None if value is None else item.spans.result(value)
    if value is None or definition is None:
        return
    name = base_name(item.spans.value_name(value))
    if not name[1:].isdecimal():
        return
    taken = {item.text[t.start : t.end] for t in item_tokens(item) if t.kind is TokenKind.VALUE}
    base = _base(value)
    fresh, count = f"%{base}", 0
    while fresh in taken:
        fresh, count = f"%{base}_{count}", count + 1
    owner = value.owner
    group = owner.results if isinstance(owner, Operation) else (value,)
    same = [v for v in group if item.spans.result(v) == definition]
    starts = sorted({m.span.start for v in same for m in mentions_of(item, v)})
    edits = tuple(Edit(Span(start, start + len(name)), fresh) for start in starts)
    yield f"Name {name} {fresh}", edits


def _base(value: SSAValue) -> str:
    owner = value.owner
    if not isinstance(owner, Operation):
        return "arg"
    if isinstance(value.type, AsyncTokenType):
        return NAMES.get(owner.name, "token")
    hint = {"gpu.alloc": "memref", "arith.constant": "constant"}.get(owner.name)
    return hint or re.sub(r"\W", "_", owner.name.rpartition(".")[2])
