"""Cuts a text into chunks (`// -----`) and items, without parsing it.

An item is one op of a module's body or of the top level: a function, a `gpu.module`, a global. The text
`module ... {` in front of items is a header of its own, and its closing brace belongs to no item, so that an
edit inside one function touches one item.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from gpuasync_lsp.syntax.unclosed import STRING, unclosed_brace
from gpuasync_lsp.text import Span


class PartKind(Enum):
    """What a part of a chunk is."""

    ITEM = "item"
    MODULE = "module"
    """A module's header, up to and with its opening brace."""
    CLOSE = "close"
    """The brace that closes a module, with the location after it."""
    PRELUDE = "prelude"
    """An alias definition or file metadata."""


class Part(NamedTuple):
    """One part of a chunk's text."""

    kind: PartKind
    span: Span
    unclosed: int | None = None
    """The brace in an item that nothing closes, counted from its start, where the item is read as if its line
    did."""
    is_open: bool = False
    """Whether an item may have braces that are not closed, so that what follows may come to belong to it."""


class ItemEnd(NamedTuple):
    """Where an op at the top level ends."""

    end: int
    is_closed: bool
    """Whether that is the brace that closes its body."""
    unclosed: int | None = None
    """As in `Part`."""


SPLIT = re.compile(r"^[ \t]*// -----(?!-)[^\n\r]*", re.MULTILINE)
"""The line that separates chunks, as `--split-input-file` reads it; more strokes are an ornament."""
DUMP_MARK = "IR Dump"
"""What is in the header of each section of an IR dump, after `// -----//` but in early releases."""

_BLANK = r"[ \t\r\n\0\ufeff]*"
_SPACE = re.compile(rf"{_BLANK}(?://[^\n\r]*(?:[\n\r]{_BLANK}|\Z))*")
_TOP_LEVEL_NAMES = (
    r"(?:func\.func|llvm\.func|gpu\.module|gpu\.binary|(?:builtin\.)?module|func(?!\.)"
    r"|memref\.global|llvm\.mlir\.global|async\.func)\b"
)
_TOP_LEVEL = re.compile(_TOP_LEVEL_NAMES)
_PLAIN = r"[^\"/{}\n]*"
_ALIAS = r"[#!][A-Za-z_][\w.$-]*[ \t]*="
_BRACE = re.compile(
    rf"{_PLAIN}(?:(?:\n(?![ \t]*(?:{_TOP_LEVEL_NAMES}|{_ALIAS}))"
    rf"|//[^\n\r]*(?=[\n\r]|\Z)|/(?!/)|{STRING}){_PLAIN})*"
    r"(?:(?P<open>\{)|(?P<close>\})|\n(?P<line>[ \t]*)|\Z)"
)
"""The next brace, or line that begins as an item does, with all text in front of it; the end of the text if
there is none. All in one match: a match for each string and comment would take five times as long. Each
character can be read in one way only, so the time is linear."""
_STATEMENT = re.compile(
    r"^[ \t]*(?:%[\w$.-]+(?::\d+)?(?:[ \t]*,[ \t]*%[\w$.-]+(?::\d+)?)*[ \t]*="
    r'|"[\w.]+"[ \t]*\(|[a-z]\w*\.[a-z])',
    re.MULTILINE,
)
"""A line that begins an op, and can be no part of a function's signature."""
_CONTAINER = re.compile(r"(?:gpu\.module|(?:builtin\.)?module)\b")
"""What holds functions."""
_LOCATION = re.compile(r"[ \t]*loc\(")
"""A location after a closing brace."""
_IN_LOCATION = re.compile(r'(?:[^\n\r{}"\\()]|"(?:[^"\\\n\r]|\\[^\n\r])*")*([()])')
"""The next parenthesis of a location. It reaches over no other brace: where many braces have one that is not
closed, each is looked at once."""
_DEVICE_MODULE = re.compile(r"gpu\.module\b")
_MODULE = re.compile(r"(?:builtin\.)?module\b")
_BEGINS_ANOTHER = re.compile(rf"[ \t]*(?:{_TOP_LEVEL_NAMES}|[#!][A-Za-z_][\w.$-]*\s*=)")
"""A line that ends an alias definition whose brackets were never closed."""
_BRACKET = re.compile(rf"//[^\n\r]*|{STRING}|[\n\r]|->|[<>]=|[(\[{{<]|[)\]}}>]")
_PRELUDE = re.compile(r"[#!][A-Za-z_][\w.$-]*\s*=|\{-#")


def chunk_spans(text: str) -> list[Span]:
    """Return the spans of the `// -----` chunks of `text`, separators excluded; at least one.

    The header of a dump's first section has no chunk before it unless something is there.
    """
    spans: list[Span] = []
    start = 0
    if "-----" in text:
        for match in SPLIT.finditer(text):
            is_first = not start and not text[: match.start()].strip()
            if not (is_first and begins_in_dump(text, match.end())):
                spans.append(Span(start, match.start()))
            start = match.end()
    spans.append(Span(start, len(text)))
    return spans


def begins_in_dump(text: str, start: int) -> bool:
    """Return whether the line that ends at `start`, where a chunk begins, is the header of a
    dump's section."""
    line = text.rfind("\n", 0, start) + 1
    return line < start and text.find(DUMP_MARK, line, start) >= 0


def cut(text: str, start: int, end: int) -> list[Part]:
    """Cut the chunk `text[start:end]` into parts, in order; spans are offsets in `text`."""
    parts: list[Part] = []
    at, around = start, 0
    while True:
        if (space := _SPACE.match(text, at, end)) is not None:
            at = space.end()
        if at >= end:
            return _together(text, parts)
        part = _part(text, at, end, around)
        around += (part.kind == PartKind.MODULE) - (part.kind == PartKind.CLOSE and around > 0)
        parts.append(part)
        at = part.span.end


def _together(text: str, parts: list[Part]) -> list[Part]:
    """Make one item of statements that are apart but share names, with what is between them.

    Compilers print functions only; a test may well have `%0 = ...` at the top level, a function, and a use of
    `%0` after it.
    """
    loose = [
        number
        for number, (kind, span, *_) in enumerate(parts)
        if kind == PartKind.ITEM and not _TOP_LEVEL.match(text, span.start) and "%" in span.of(text)
    ]
    if len(loose) < 2:
        return parts
    first, last = loose[0], loose[-1]
    if any(part.kind != PartKind.ITEM for part in parts[first:last]):
        return parts
    span = Span(parts[first].span.start, parts[last].span.end)
    return [*parts[:first], Part(PartKind.ITEM, span), *parts[last + 1 :]]


def _part(text: str, at: int, end: int, around: int) -> Part:
    if text[at] == "}":
        return Part(PartKind.CLOSE, Span(at, _with_tail(text, at + 1, end)))
    if _MODULE.match(text, at):
        opening = _module_brace(text, at, end)
        if opening is not None:
            return Part(PartKind.MODULE, Span(at, opening + 1))
    if _PRELUDE.match(text, at):
        return Part(PartKind.PRELUDE, Span(at, _prelude_end(text, at, end)))
    stop = item_end(text, at, end, around)
    is_open = not stop.is_closed and text.find("{", at, stop.end) >= 0
    return Part(PartKind.ITEM, Span(at, stop.end), stop.unclosed, is_open)


def is_top_level(text: str) -> bool:
    """Return whether `text` begins with an op, in its own syntax, that is at the top level: a function, a
    module, a global."""
    return _TOP_LEVEL.match(text) is not None


def item_end(text: str, start: int, end: int, around: int) -> ItemEnd:
    """Return where the op ends that begins at `start`, in so many modules `around` it.

    A function that is never closed ends where another begins that is not indented deeper; but if one brace in
    it is seen to be the one that nothing closes, it ends where it would without that. A module of the device
    may hold functions that are not indented, as long as a brace closes it.
    """
    if _TOP_LEVEL.match(text, start) is None:
        return ItemEnd(_loose_end(text, start, end), False)
    stop, is_closed = _body_end(text, start, end)
    if is_closed and not (around and _takes_brace_of_module(text, start, stop, end, around)):
        return ItemEnd(stop, True)
    brace = unclosed_brace(text, start, stop)
    if brace is not None:
        without, is_closed_without = _body_end(text, start, end, brace)
        if is_closed_without and not ends_left_of_begin(text, start, without):
            return ItemEnd(without, True, brace - start)
    return ItemEnd(stop, is_closed)


def _takes_brace_of_module(text: str, start: int, stop: int, end: int, around: int) -> bool:
    """Return whether the brace in front of `stop`, with which an op in so many modules ends, is one that
    these lack: it is indented less than the op, and not all of them are closed after it."""
    if not ends_left_of_begin(text, start, stop):
        return False
    closed = 0
    while (space := _SPACE.match(text, stop, end)) is not None and text.startswith("}", space.end(), end):
        stop, closed = _with_tail(text, space.end() + 1, end), closed + 1
    is_last = space is not None and space.end() >= end
    return closed < around if is_last else not closed


def ends_left_of_begin(text: str, start: int, stop: int) -> bool:
    """Return whether the brace in front of `stop` that ends an op begins a line and is indented less than the
    op: it may close an enclosing op."""
    return _stands_left_of(text, stop - 1, _indent(text, start))


def _indent(text: str, start: int) -> int:
    return start - (text.rfind("\n", 0, start) + 1)


def _body_end(text: str, start: int, end: int, but: int | None = None) -> tuple[int, bool]:
    """Return where the op in its own syntax ends that begins at `start`, and whether that is the brace that
    closes its body; the brace `but` is left out."""
    name = _TOP_LEVEL.match(text, start)
    assert name is not None
    indent = _indent(text, start)
    depth = 0
    stop, outside = end, name.end()
    holds_functions = _CONTAINER.match(text, start) is not None
    if_open: int | None = None  # where a module of the device ends that nothing closes
    for match in _BRACE.finditer(text, start, end):
        if match.lastgroup == "open":
            brace = match.start("open")
            if brace == but:
                continue
            if depth == 0 and (statement := _STATEMENT.search(text, outside, brace)) is not None:
                # A declaration has no body; what follows it is not its own.
                return _back_over_space(text, start, statement.start()), False
            depth += 1
        elif match.lastgroup == "close":
            if depth == 0:
                stop = match.start("close")
                break
            depth -= 1
            outside = match.end()
            if depth == 0 and if_open is not None and _stands_left_of(text, match.start("close"), indent):
                break  # the brace of an enclosing op
            if depth == 0:
                tail = _with_tail(text, match.end(), end)
                # An argument's attributes may be followed by a location, too: `%a: i1 {x} loc("f":1:2))`.
                if _ends_behind(text, tail, end):
                    return tail, True
        elif match.lastgroup == "line" and (depth == 0 or len(match["line"]) <= indent):
            stop = match.start("line")
            if depth != 1 or not holds_functions or _DEVICE_MODULE.match(text, match.end("line")):
                break
            if_open = stop if if_open is None else if_open
    if if_open is not None:
        stop, depth = if_open, 1
    statement = _STATEMENT.search(text, outside, stop) if depth == 0 else None
    return _back_over_space(text, start, statement.start() if statement else stop), False


def _stands_left_of(text: str, brace: int, indent: int) -> bool:
    """Return whether `brace` is the first of its line, and indented less than `indent`."""
    line = text.rfind("\n", 0, brace) + 1
    return brace - line < indent and not text[line:brace].strip()


def _loose_end(text: str, start: int, end: int) -> int:
    """Ops at the top level that are no functions share their names: they stay together as one item."""
    depth = 0
    for match in _BRACE.finditer(text, start, end):
        if match.lastgroup == "open":
            if depth == 0 and text.startswith("{-#", match.start("open")):
                return _back_over_space(text, start, match.start("open"))
            depth += 1
        elif match.lastgroup == "close":
            if depth == 0:
                return _back_over_space(text, start, match.start("close"))
            depth -= 1
        elif match.lastgroup == "line" and depth == 0:
            return _back_over_space(text, start, match.start("line"))
    return _back_over_space(text, start, end)


def _ends_behind(text: str, at: int, end: int) -> bool:
    """Return whether nothing of the op follows its closing brace (`{attrs} {body}`, `} loc(...)`)."""
    space = _SPACE.match(text, at, end)
    following = space.end() if space else at
    return following >= end or text[following] not in "{([:,)>]" or text.startswith("{-#", following)


def _with_tail(text: str, at: int, end: int) -> int:
    tail = _LOCATION.match(text, at, end)
    depth = 1
    while tail is not None and depth:
        tail = _IN_LOCATION.match(text, tail.end(), end)
        depth += 0 if tail is None else 1 if tail[1] == "(" else -1
    return at if tail is None else tail.end()


def _module_brace(text: str, start: int, end: int) -> int | None:
    """Return the offset of the brace that opens the body of the module at `start`."""
    depth = 0
    for match in _BRACE.finditer(text, start, end):
        if match.lastgroup == "open":
            if depth == 0 and not _is_attributes(text, start, match.start("open")):
                return match.start("open")
            depth += 1
        elif match.lastgroup == "close":
            depth -= 1
            if depth < 0 or (depth == 0 and not _is_body_next(text, match.end(), end)):
                return None
        elif match.lastgroup == "line" and depth == 0:
            return None
    return None


def _is_body_next(text: str, at: int, end: int) -> bool:
    space = _SPACE.match(text, at, end)
    return text.startswith("{", space.end() if space else at, end)


def _is_attributes(text: str, start: int, brace: int) -> bool:
    while brace > start and text[brace - 1].isspace():
        brace -= 1
    return text.endswith("attributes", start, brace)


def _prelude_end(text: str, start: int, end: int) -> int:
    if text.startswith("{-#", start):
        closing = text.find("#-}", start, end)
        return end if closing < 0 else closing + 3
    depth = 0
    for match in _BRACKET.finditer(text, start, end):
        token = match[0]
        if token in "\n\r" and (depth <= 0 or _BEGINS_ANOTHER.match(text, match.end())):
            return _back_over_space(text, start, match.start())
        if token in "([{<":
            depth += 1
        elif token in ")]}>":
            depth -= 1
    return _back_over_space(text, start, end)


def _back_over_space(text: str, start: int, end: int) -> int:
    """Return the end of the last line of `text[start:end]` that is not blank or only a comment."""
    while end > start:
        line = text.rfind("\n", start, end) + 1
        content = text[max(line, start) : end].strip()
        if content and not (line > start and content.startswith("//")):
            return max(line, start) + len(text[max(line, start) : end].rstrip())
        if line <= start:
            return end
        end = line - 1
    return end
