"""Explanations of values: the defining op, the size, and the lifetime of a buffer."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.hover_types import explained
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.source import PlacedItem

_LONGEST = 200
"""The maximum number of characters of an op that are shown."""


def about_value(state: FileState, placed: PlacedItem, value: SSAValue) -> str:
    """Return Markdown about a value, its name and type first."""
    item = placed.item
    parts = [f"```mlir\n{item.spans.value_name(value)} : {attribute_text(value.type)}\n```"]
    if isinstance(value.owner, Block):
        around = value.owner.parent_op()
        if around is not None and around in item.spans.ops:
            parts.append(f"An argument of `{item.spans.name(around).of(item.text)}`.")
    elif value.owner in item.spans.ops:
        parts.append(f"```mlir\n{_one_line(item.spans.op(value.owner).of(item.text))}\n```")
    parts += explained(value.type)
    if isinstance(value.type, MemRefType | UnrankedMemRefType):
        life = list(_life(state, placed, value))
        if life:
            parts.append("\n".join(f"- {line}" for line in life))
    return "\n\n".join(parts)


def _life(state: FileState, placed: PlacedItem, value: SSAValue) -> Iterator[str]:
    """Yield the allocation, last use and free of a buffer."""
    for function in state.models_at_once(placed):
        buffer = next((b for b in function.buffers if b.value is value), None)
        if buffer is None:
            continue
        if buffer.op is not None:
            where = "device memory" if buffer.device else "host memory"
            yield f"allocated {_at(state, placed, buffer.op)}, {where}"
        last = _last(placed, value, buffer.frees)
        if last is not None:
            yield f"last used {_at(state, placed, last)}"
        for op in buffer.frees:
            yield f"freed {_at(state, placed, op)}"
        if not buffer.frees and buffer.op is not None and not buffer.escapes:
            yield "never freed"
        if buffer.escapes:
            yield f"escapes {_at(state, placed, buffer.escapes[0])}"
        return


def _last(placed: PlacedItem, value: SSAValue, frees: list[Operation]) -> Operation | None:
    ops = placed.item.spans.ops
    users = [use.operation for use in value.uses]
    users = [op for op in users if op in ops and op not in frees]
    return max(users, key=lambda op: placed.item.spans.op(op).start, default=None)


def _at(state: FileState, placed: PlacedItem, op: Operation) -> str:
    spans = placed.item.spans
    if op not in spans.ops:
        return "here"
    line = state.lines.position(spans.op(op).start + placed.offset)[0] + 1
    return f"in line {line}, by `{spans.name(op).of(placed.item.text)}`"


def _one_line(text: str) -> str:
    line = " ".join(text.partition("{\n")[0].split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
