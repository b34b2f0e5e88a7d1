"""Where in the text each op, operand, result and block label stands."""

from __future__ import annotations

import re
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.text import Span

_ASYNC = re.compile(r"\s*(async\b)?\s*(\[[^\]]*\])?")


class OpSpans(NamedTuple):
    """The places of one op."""

    whole: Span
    name: Span
    operands: tuple[Span | None, ...]


class ValueSpan(NamedTuple):
    """The place where a value is defined and the name it has in the text, `%0` or `%m#1`."""

    span: Span
    name: str


class SpanTable:
    """The spans of one item, relative to its text. Filled by the parser, read by everybody else."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ops: dict[Operation, OpSpans] = {}
        self.values: dict[SSAValue, ValueSpan] = {}
        self.blocks: dict[Block, Span] = {}
        self.block_uses: list[tuple[Block, Span]] = []
        """Every mention of a block as a successor."""

    def op(self, op: Operation) -> Span:
        """Return the text of `op` from its first result to its end."""
        return self.ops[op].whole

    def name(self, op: Operation) -> Span:
        """Return the op's name as written, quotes included."""
        return self.ops[op].name

    def operand(self, op: Operation, index: int) -> Span | None:
        """Return the mention of the operand `index`, or None where the text does not show it."""
        spans = self.ops.get(op)
        return spans.operands[index] if spans is not None and index < len(spans.operands) else None

    def result(self, value: SSAValue) -> Span | None:
        """Return the place that defines `value`, an op result or a block argument, if it is named."""
        found = self.values.get(value)
        return None if found is None else found.span

    def value_name(self, value: SSAValue) -> str:
        """Return the name of `value` as operands write it (`%0`, `%m#1`); `<unnamed>` if it has none."""
        found = self.values.get(value)
        return "<unnamed>" if found is None else found.name

    def uses(self, value: SSAValue) -> list[Span]:
        """Return every mention of `value` as an operand, in text order."""
        spans = [self.operand(use.operation, use.index) for use in value.uses]
        return sorted(span for span in spans if span is not None)

    def block_label(self, block: Block) -> Span | None:
        """Return the label that begins `block`, or None for an entry block without one."""
        return self.blocks.get(block)

    def deps(self, op: Operation) -> Span | None:
        """Return the `[...]` of the op's async dependencies, brackets included, or None."""
        return self._async_part(op, 2)

    def keyword_async(self, op: Operation) -> Span | None:
        """Return the keyword `async` of the op, or None."""
        return self._async_part(op, 1)

    def _async_part(self, op: Operation, group: int) -> Span | None:
        spans = self.ops.get(op)
        if spans is None:
            return None
        match = _ASYNC.match(self.text, spans.name.end, spans.whole.end)
        return Span(*match.span(group)) if match and match[group] else None
