"""Removable elements of lists: unused arguments, with the operands for them, results, and types.

Removing an argument of a function or block also removes the corresponding operand of calls, launches and
branches. A removal is a set of list elements; several removals are applied at once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation

from gpuasync_lsp.ide.lookup.tokens import TokenKind, tokens
from gpuasync_lsp.syntax import PlacedItem, SourceFile
from gpuasync_lsp.text import Edit, Span, apply_edits

_FUNCTIONS = frozenset({"func.func", "gpu.func", "llvm.func", "async.func"})
_CALLS = frozenset({"func.call", "async.call", "llvm.call"})
_RETURNS = frozenset({"func.return", "llvm.return"})
_NAME_AND_LIST = re.compile(r"\s*@[\w$.-]+\(")
_NAMED_LIST = re.compile(r"@[\w$.-]+\(")
_TYPES = re.compile(r"\s*:\s*\(")
_ARGS = re.compile(r"\bargs\(")
_RESULTS = re.compile(r"\s*->\s*")
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_SHAPED = frozenset({"memref", "tensor", "vector"})
_FIRST_DIMENSION = re.compile(r"<(?:\d+|\?|\[\d+\])x(?=[\d?\[])")


class Kind(Enum):
    """The syntax of a list."""

    PLAIN = "(a, b)"
    OPTIONAL = "word(a, b), or nothing"
    TYPED = "(a, b : t, u), or nothing"


class Element(NamedTuple):
    """One element of a list."""

    opening: int
    """The position of the list's opening bracket."""
    number: int
    kind: Kind


class Removal(NamedTuple):
    """List elements and spans that must be removed together."""

    elements: tuple[Element, ...]
    spans: tuple[Span, ...] = ()


def removals(source: SourceFile) -> list[Removal]:
    """Return the removable elements of a program's lists, in reverse order."""
    found: list[Removal] = []
    for placed in source.items:
        for op in placed.item.ops:
            for each in op.walk():
                if each.name in _FUNCTIONS and each in placed.item.spans.ops:
                    found += _of_function(source, placed, each)
                found += _of_blocks(source.text, placed, each)
    return found[::-1]


def _of_function(source: SourceFile, placed: PlacedItem, function: Operation) -> Iterator[Removal]:
    body = function.regions[0].first_block if function.regions else None
    symbol = function.attributes.get("sym_name") or function.properties.get("sym_name")
    if body is None or not isinstance(symbol, StringAttr):
        return
    text, callers = source.text, list(users(source, symbol.data))
    opening = _NAMED_LIST.search(text, placed.item.spans.name(function).end + placed.offset)
    parts = None if opening is None else split(text, opening.end() - 1)
    if opening is None or parts is None:
        return
    for number, argument in enumerate(body.args[: len(parts)]):
        if argument.uses:
            continue
        given = [_operand(text, user, number) for user in callers]
        if None not in given:
            others = [element for each in given if each is not None for element in each]
            yield Removal((Element(opening.end() - 1, number, Kind.PLAIN), *others))
    returns = [op for op in function.walk() if op.name in _RETURNS and op in placed.item.spans.ops]
    if not callers and (gone := _results(text, placed, parts[-1].end if parts else opening.end(), returns)):
        yield Removal((), tuple(gone))


class User(NamedTuple):
    """An op that refers to a symbol."""

    placed: PlacedItem
    op: Operation


def users(source: SourceFile, name: str) -> Iterator[User]:
    """Yield the ops that refer to a symbol, except for functions."""
    for placed in source.items:
        if name not in placed.item.text:
            continue
        for op in placed.item.ops:
            for each in op.walk():
                attributes = (*each.attributes.values(), *each.properties.values())
                symbols = [a for a in attributes if isinstance(a, SymbolRefAttr)]
                if any(symbol.string_value().rpartition(".")[2] == name for symbol in symbols):
                    yield User(placed, each)


def _operand(text: str, user: User, number: int) -> list[Element] | None:
    """Return the list elements for one argument of a call or launch; None if they cannot be found."""
    spans = user.placed.item.spans
    if user.op not in spans.ops:
        return None
    begin, end = (at + user.placed.offset for at in (spans.name(user.op).end, spans.op(user.op).end))
    if user.op.name == "gpu.launch_func":
        opening = _ARGS.search(text, begin, end)
        return None if opening is None else [Element(opening.end() - 1, number, Kind.OPTIONAL)]
    opening = _NAME_AND_LIST.match(text, begin, end) if user.op.name in _CALLS else None
    if opening is None:
        return None
    last = closing(text, opening.end() - 1)
    types = None if last is None else _TYPES.match(text, last + 1, end)
    if types is None:
        return None
    return [Element(each.end() - 1, number, Kind.PLAIN) for each in (opening, types)]


def _results(text: str, placed: PlacedItem, at: int, returns: Sequence[Operation]) -> list[Span] | None:
    """Return the spans that remove a function's results and the operands of its returns.

    None if the function has no results, or is written in an unusual form."""
    last = text.find(")", at)
    arrow = None if last < 0 else _RESULTS.match(text, last + 1)
    if arrow is None or not returns:
        return None
    if text[arrow.end()] == "(":
        end = closing(text, arrow.end())
        end = None if end is None else end + 1
    else:
        end = type_end(text, arrow.end())
    if end is None:
        return None
    spans = placed.item.spans
    gone = [Span(spans.name(op).end, spans.op(op).end).shift(placed.offset) for op in returns]
    return [Span(last + 1, end), *gone]


def _of_blocks(text: str, placed: PlacedItem, op: Operation) -> Iterator[Removal]:
    spans = placed.item.spans
    branches: defaultdict[Block, list[Span]] = defaultdict(list)
    for block, span in spans.block_uses if any(len(region.blocks) > 1 for region in op.regions) else ():
        branches[block].append(span.shift(placed.offset))
    for region in op.regions:
        for block in list(region.blocks)[1:]:
            label = spans.block_label(block)
            if label is None:
                continue
            opening = text.find("(", label.start + placed.offset, label.end + placed.offset + 1)
            for number, argument in enumerate(block.args):
                given = [_after_successor(text, span) for span in branches[block]]
                if opening >= 0 and not argument.uses and None not in given:
                    ends = [Element(at, number, Kind.TYPED) for at in given if at is not None]
                    yield Removal((Element(opening, number, Kind.OPTIONAL), *ends))


def _after_successor(text: str, span: Span) -> int | None:
    """Return the position of the parenthesis that follows a successor's name; None without one."""
    found = re.compile(r"\^[\w$.-]+\s*\(").match(text, span.start)
    return None if found is None else found.end() - 1


def split(text: str, opening: int) -> list[Span] | None:
    """Return the spans of the elements of the list whose bracket is at `opening`; None if it is not
    closed."""
    last = closing(text, opening)
    return None if last is None else pieces(text, opening + 1, last, ",")


def pieces(text: str, start: int, end: int, mark: str) -> list[Span]:
    """Return the spans separated by `mark` outside of brackets, without surrounding blanks."""
    found: list[Span] = []
    depth, begin = 0, start
    for token in tokens(text, start, end):
        word = text[token.start : token.end]
        if token.kind is not TokenKind.MARK:
            continue
        depth += (word in _PAIRS) - (word in _PAIRS.values())
        if word == mark and depth == 0:
            found.append(_trimmed(text, begin, token.start))
            begin = token.end
    last = _trimmed(text, begin, end)
    return [*found, last] if found or last.end > last.start else []


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def closing(text: str, opening: int) -> int | None:
    """Return the position of the bracket that closes the one at `opening`; None if it is not closed."""
    open_ones: list[str] = []
    for token in tokens(text, opening):
        word = text[token.start : token.end]
        if token.kind is not TokenKind.MARK:
            continue
        if word in _PAIRS:
            open_ones.append(_PAIRS[word])
        elif word in _PAIRS.values():
            if not open_ones or open_ones.pop() != word:
                return None
            if not open_ones:
                return token.start
    return None


def type_end(text: str, start: int) -> int | None:
    """Return the end of the type that begins at `start`."""
    word = next(tokens(text, start), None)
    if word is None or word.start != start or word.kind is not TokenKind.TYPE:
        return None
    if text[word.end : word.end + 1] != "<":
        return word.end
    last = closing(text, word.end)
    return None if last is None else last + 1


def without_elements(text: str, cuts: Iterable[Removal]) -> str | None:
    """Return `text` without the given elements; None if a list cannot be parsed."""
    gone: defaultdict[tuple[int, Kind], set[int]] = defaultdict(set)
    edits: set[Edit] = set()
    for cut in cuts:
        edits.update(Edit(span, "") for span in cut.spans)
        for element in cut.elements:
            gone[element.opening, element.kind].add(element.number)
    for (opening, kind), numbers in gone.items():
        edit = _without(text, opening, kind, numbers)
        if edit is None:
            return None
        edits.add(edit)
    ordered = sorted(edits, key=lambda edit: edit.span)
    if any(one.span.end > other.span.start for one, other in pairwise(ordered)):
        return None
    return apply_edits(text, ordered)


def _without(text: str, opening: int, kind: Kind, numbers: set[int]) -> Edit | None:
    last = closing(text, opening)
    if last is None:
        return None
    halves = [Span(opening + 1, last)]
    if kind is Kind.TYPED:
        halves = pieces(text, opening + 1, last, ":")
        if len(halves) != 2:
            return None
    kept: list[str] = []
    for half in halves:
        parts = pieces(text, half.start, half.end, ",")
        if max(numbers) >= len(parts):
            return None
        kept.append(", ".join(part.of(text) for n, part in enumerate(parts) if n not in numbers))
    if kind is Kind.PLAIN or kept[0]:
        return Edit(Span(opening + 1, last), " : ".join(kept))
    begin = opening
    if kind is Kind.OPTIONAL and text[:opening].endswith("args"):
        begin = len(text[: begin - len("args")].rstrip())
    return Edit(Span(begin, last + 1), "")


def simpler_types(text: str) -> Iterator[str]:
    """Yield `text` with a type simplified everywhere: without layout or memory space, or of a lower rank."""
    found: dict[str, None] = {}
    for token in tokens(text):
        if token.kind is TokenKind.TYPE and text[token.start : token.end] in _SHAPED:
            end = type_end(text, token.start)
            if end is not None and end > token.end:
                found[text[token.start : end]] = None
    for type in sorted(found, key=len, reverse=True):
        opening = type.index("<")
        parts = split(type, opening) or []
        for number in range(len(parts) - 1, 0, -1):
            kept = ", ".join(part.of(type) for n, part in enumerate(parts) if n != number)
            yield text.replace(type, f"{type[: opening + 1]}{kept}>")
        smaller = _FIRST_DIMENSION.sub("<", type, count=1)
        if smaller != type:
            yield text.replace(type, smaller)
