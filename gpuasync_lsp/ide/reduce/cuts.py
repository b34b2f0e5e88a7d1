"""Removable parts of a program, as edits of its text.

An op is removed with its text. Uses of its results are replaced with an earlier value of the same type or, in
a function, with a new argument of that type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from textwrap import dedent

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax import OpaqueOp, PlacedItem, SourceFile, parse_source
from gpuasync_lsp.syntax.captures import ancestors
from gpuasync_lsp.syntax.cutter import PartKind
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Edit, Span, apply_edits

_FUNCTIONS = frozenset({"func.func", "gpu.func", "llvm.func"})
_ARGUMENTS = re.compile(r"@[\w$.-]+\(")
_LIST = re.compile(r"\[(%[\w$.#-]+(?:, *%[\w$.#-]+)*)\]")
_BLANK = re.compile(r"\n(?:[ \t]*\n)+")
_DIMENSION = re.compile(r"(?<=[<x])(\d+)(?=x)")


@dataclass(frozen=True)
class Cut:
    """A removable op."""

    placed: PlacedItem
    op: Operation


def parts(text: str) -> list[str]:
    """Return the spans between `// -----` lines, if there are several."""
    spans = [chunk.span for chunk in parse_source(text).chunks if chunk.items]
    return [span.of(text).strip("\n") + "\n" for span in spans] if len(spans) > 1 else []


def items(source: SourceFile) -> list[Span]:
    """Return the spans of the top-level ops and alias definitions."""
    preludes = [part.span for chunk in source.chunks for part in chunk.parts if part.kind is PartKind.PRELUDE]
    return sorted([*preludes, *(placed.span for placed in source.items)])


def unwrapped(text: str) -> Iterator[str]:
    """Yield, for each module in `text`, the text with that module replaced with its body."""
    for chunk in parse_source(text).chunks:
        opened: list[Span] = []
        for part in chunk.parts:
            if part.kind is PartKind.MODULE:
                opened.append(part.span)
            elif part.kind is PartKind.CLOSE and opened:
                whole = Span(opened[-1].start, part.span.end)
                held = dedent(text[opened.pop().end : part.span.start])
                yield _without_blank_lines(apply_edits(text, [Edit(whole, held)]).lstrip("\n"))


def without(text: str, spans: Iterable[Span]) -> str:
    """Return `text` without `spans`, and without lines that become blank."""
    return _without_blank_lines(apply_edits(text, [Edit(span, "") for span in sorted(set(spans))]))


def ops(source: SourceFile) -> list[Cut]:
    """Return the removable ops in reverse order, outer ops before inner ones."""
    found: list[Cut] = []
    for placed in source.items:
        for op in placed.item.ops:
            inner = [each for each in op.walk() if each is not op and each in placed.item.spans.ops]
            found += (Cut(placed, each) for each in inner if not _ends_block(each))
    return found[::-1]


def _ends_block(op: Operation) -> bool:
    block = op.parent
    return op.has_trait(IsTerminator) or (
        isinstance(op, OpaqueOp) and block is not None and block.last_op is op
    )


def without_ops(text: str, cuts: Sequence[Cut]) -> str | None:
    """Return `text` without the ops of `cuts`; None if a value that is still used has no replacement."""
    gone = {cut.op for cut in cuts}
    edits: list[Edit] = []
    arguments: dict[Operation, tuple[PlacedItem, dict[str, str]]] = {}
    for cut in cuts:
        if any(parent in gone for parent in ancestors(cut.op)):
            continue
        spans, offset = cut.placed.item.spans, cut.placed.offset
        edits.append(Edit(spans.op(cut.op).shift(offset), ""))
        for result in cut.op.results:
            used = [use for use in result.uses if not _is_in(use.operation, gone)]
            if not used:
                continue
            other = _other(result, cut, gone)
            if other is None:
                other = _argument(result, cut, arguments)
            if other is None:
                return None
            for use in used:
                place = spans.operand(use.operation, use.index)
                if place is None:
                    return None
                edits.append(Edit(place.shift(offset), other))
    for function, (placed, named) in arguments.items():
        head = placed.item.spans.name(function).shift(placed.offset)
        opening = _ARGUMENTS.search(text, head.end)
        if opening is None:
            return None
        empty = text[opening.end() :].lstrip().startswith(")")
        words = ", ".join(f"{name}: {kind}" for name, kind in named.items())
        at = Span(opening.end(), opening.end())
        edits.append(Edit(at, words if empty else f"{words}, "))
    return _applied(text, edits)


def _applied(text: str, edits: list[Edit]) -> str | None:
    unique = sorted(set(edits), key=lambda edit: edit.span)
    if any(one.span.end > other.span.start for one, other in pairwise(unique)):
        return None
    return _without_blank_lines(apply_edits(text, unique))


def _without_blank_lines(text: str) -> str:
    return _BLANK.sub("\n", text)


def _is_in(op: Operation, gone: set[Operation]) -> bool:
    return op in gone or any(parent in gone for parent in ancestors(op))


def _other(value: SSAValue, cut: Cut, gone: set[Operation]) -> str | None:
    """Return the name of the last remaining value of the type of `value` before the op that is cut."""
    spans = cut.placed.item.spans
    for op in (cut.op, *ancestors(cut.op)):
        if op.name in _FUNCTIONS:
            return None
        before = op.prev_op
        while before is not None:
            if before not in gone:
                for each in before.results:
                    if each.type == value.type and each in spans.values:
                        return spans.values[each].name
            before = before.prev_op
        block = op.parent
        for argument in block.args if block is not None else ():
            if argument.type == value.type and argument in spans.values:
                return spans.values[argument].name
    return None


def _argument(
    value: SSAValue, cut: Cut, arguments: dict[Operation, tuple[PlacedItem, dict[str, str]]]
) -> str | None:
    function = next((op for op in ancestors(cut.op) if op.name in _FUNCTIONS), None)
    place = cut.placed.item.spans.values.get(value)
    if function is None or place is None or "#" in place.name:
        return None
    arguments.setdefault(function, (cut.placed, {}))[1][place.name] = attribute_text(value.type)
    return place.name


def flattened(text: str, cut: Cut) -> str | None:
    """Return `text` with an op replaced with the body of its only block; None if results or arguments prevent
    it."""
    spans, offset = cut.placed.item.spans, cut.placed.offset
    blocks: list[Block] = [block for region in cut.op.regions for block in region.blocks]
    if len(blocks) != 1 or cut.op.results or any(argument.uses for argument in blocks[0].args):
        return None
    inner = [op for op in blocks[0].ops if op in spans.ops]
    kept = [op for op in inner if not _ends_block(op)]
    if not kept:
        return None
    body = Span(spans.op(kept[0]).start, spans.op(kept[-1]).end).shift(offset)
    return _applied(text, [Edit(spans.op(cut.op).shift(offset), body.of(text))])


def shorter_lists(text: str) -> Iterator[str]:
    """Yield `text` with shorter dependency lists: one value removed, or only one left."""
    for found in _LIST.finditer(text):
        values = found[1].replace(" ", "").split(",")
        if len(values) < 2:
            continue
        for left in range(len(values)):
            kept = ", ".join(value for number, value in enumerate(values) if number != left)
            yield f"{text[: found.start()]}[{kept}]{text[found.end() :]}"


def smaller_shapes(text: str) -> Iterator[str]:
    """Yield `text` with all dimensions of one size set to 1."""
    for size in sorted({found for found in _DIMENSION.findall(text) if found != "1"}, key=int, reverse=True):
        yield _DIMENSION.sub(partial(_or_one, size), text)


def _or_one(size: str, found: re.Match[str]) -> str:
    return "1" if found[0] == size else found[0]


def without_comments(text: str) -> str:
    """Return `text` without comment lines, except for separators of parts."""
    lines = [line for line in text.splitlines() if not re.match(r"\s*//(?! *-----)", line)]
    return "\n".join(line for line in lines if line.strip()) + "\n"


__all__ = [
    "Cut",
    "flattened",
    "items",
    "ops",
    "parts",
    "shorter_lists",
    "smaller_shapes",
    "unwrapped",
    "without",
    "without_comments",
    "without_ops",
]
