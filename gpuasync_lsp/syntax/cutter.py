"""Splits a source into chunks (`// -----`) and items, without parsing it.

An item is one op of a module's body or of the top level: a function, a `gpu.module`, a global. The text
`module ... {` before items is a separate header, and its closing brace belongs to no item, so that an edit
inside one function affects one item.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from gpuasync_lsp.syntax.unclosed import STRING, unclosed_brace
from gpuasync_lsp.text import Span


class PartKind(Enum):
    """The kind of a part of a chunk."""

    ITEM = "item"
    MODULE = "module"
    """A module's header, including its opening brace."""
    CLOSE = "close"
    """The brace that closes a module, and a location after it."""
    PRELUDE = "prelude"
    """An alias definition or file metadata."""


class Part(NamedTuple):
    """A part of a chunk's text: an item, a module header, a closing brace, or an alias definition."""

    kind: PartKind
    span: Span
    unclosed: int | None = None
    """The offset, in the item, of an unclosed brace that the parser treats as closed on its line."""
    is_open: bool = False
    """Whether the item may have unclosed braces, so that an edit can make the following text part of it."""


class ItemEnd(NamedTuple):
    """The end of a top-level op, and how it was found."""

    end: int
    is_closed: bool
    """Whether the op ends with the closing brace of its body."""
    unclosed: int | None = None
    """The unclosed brace (see `Part`)."""


SPLIT = re.compile(r"^[ \t]*// -----(?!-)[^\n\r]*", re.MULTILINE)
"""Matches the line that separates chunks for `--split-input-file`; a line with more dashes is decoration."""
DUMP_MARK = "IR Dump"
"""Text that occurs in the header of each section of an IR dump, a line that also begins with `// -----`."""

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
"""Matches all text up to and including the next brace or the next line that begins like an item.

At the end of the text it matches the rest. One match per string and comment would take five times as
long. Each character matches in only one way, so the time is linear."""
_STATEMENT = re.compile(
    r"^[ \t]*(?:%[\w$.-]+(?::\d+)?(?:[ \t]*,[ \t]*%[\w$.-]+(?::\d+)?)*[ \t]*="
    r'|"[\w.]+"[ \t]*\(|[a-z]\w*\.[a-z])',
    re.MULTILINE,
)
"""Matches a line that begins an op and cannot be part of a function's signature."""
_CONTAINER = re.compile(r"(?:gpu\.module|(?:builtin\.)?module)\b")
"""Matches the names of ops that contain functions."""
_LOCATION = re.compile(r"[ \t]*loc\(")
"""Matches the start of a location after a closing brace."""
_IN_LOCATION = re.compile(r'(?:[^\n\r{}"\\()]|"(?:[^"\\\n\r]|\\[^\n\r])*")*([()])')
"""Matches a location up to its next parenthesis, but not across a brace, so that the time is linear."""
_DEVICE_MODULE = re.compile(r"gpu\.module\b")
_MODULE = re.compile(r"(?:builtin\.)?module\b")
_BEGINS_ANOTHER = re.compile(rf"[ \t]*(?:{_TOP_LEVEL_NAMES}|[#!][A-Za-z_][\w.$-]*\s*=)")
"""Matches a line that ends an alias definition even if its brackets are unclosed."""
_BRACKET = re.compile(rf"//[^\n\r]*|{STRING}|[\n\r]|->|[<>]=|[(\[{{<]|[)\]}}>]")
_PRELUDE = re.compile(r"[#!][A-Za-z_][\w.$-]*\s*=|\{-#")


def chunk_spans(text: str) -> list[Span]:
    """Return the spans of the `// -----` chunks of `text`, without separators; at least one.

    If `text` begins with the header of an IR dump's section, there is no empty chunk before it.
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
    """Return whether the line that ends at `start`, before a chunk, is a section header of an IR dump."""
    line = text.rfind("\n", 0, start) + 1
    return line < start and text.find(DUMP_MARK, line, start) >= 0


def cut(text: str, start: int, end: int) -> list[Part]:
    """Split the chunk `text[start:end]` into parts, in order; spans are offsets in `text`."""
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
    """Combine separate top-level statements into one item, with the text between them, if they use values.

    Compilers print only functions; a test may have `%0 = ...` at the top level, a function, and a use of `%0`
    after it.
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
    """Return whether `text` begins with a function, module or global in custom syntax."""
    return _TOP_LEVEL.match(text) is not None


def item_end(text: str, start: int, end: int, around: int) -> ItemEnd:
    """Return the end of the op that begins at `start`; `around` is the number of enclosing modules.

    An unclosed function ends where another one begins that is not indented deeper, unless a brace in it
    can be identified as the unclosed one, in which case it is ignored. A kernel module may contain
    functions that are not indented, if a brace closes it.
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
    """Return whether the brace before `stop`, which ends an op, belongs to an enclosing module instead.

    This is the case if the brace is indented less than the op, and the enclosing modules lack a closing
    brace."""
    if not ends_left_of_begin(text, start, stop):
        return False
    closed = 0
    while (space := _SPACE.match(text, stop, end)) is not None and text.startswith("}", space.end(), end):
        stop, closed = _with_tail(text, space.end() + 1, end), closed + 1
    is_last = space is not None and space.end() >= end
    return closed < around if is_last else not closed


def ends_left_of_begin(text: str, start: int, stop: int) -> bool:
    """Return whether the brace before `stop`, which ends an op, begins a line indented less than the op.

    Such a brace may close an enclosing op."""
    return _is_indented_less(text, stop - 1, _indent(text, start))


def _indent(text: str, start: int) -> int:
    return start - (text.rfind("\n", 0, start) + 1)


def _body_end(text: str, start: int, end: int, ignored: int | None = None) -> tuple[int, bool]:
    """Return the end of the op in custom syntax at `start`, and whether it ends with a closing brace.

    The brace at `ignored` does not count."""
    name = _TOP_LEVEL.match(text, start)
    assert name is not None
    indent = _indent(text, start)
    depth = 0
    stop, outside = end, name.end()
    holds_functions = _CONTAINER.match(text, start) is not None
    if_open: int | None = None  # The end of a gpu.module that has no closing brace.
    for match in _BRACE.finditer(text, start, end):
        if match.lastgroup == "open":
            brace = match.start("open")
            if brace == ignored:
                continue
            if depth == 0 and (statement := _STATEMENT.search(text, outside, brace)) is not None:
                # The op is a declaration without a body; the following statement is not part of it.
                return _back_over_space(text, start, statement.start()), False
            depth += 1
        elif match.lastgroup == "close":
            if depth == 0:
                stop = match.start("close")
                break
            depth -= 1
            outside = match.end()
            if depth == 0 and if_open is not None and _is_indented_less(text, match.start("close"), indent):
                break  # This brace closes an enclosing op.
            if depth == 0:
                tail = _with_tail(text, match.end(), end)
                # An argument's attributes may precede a location: `%a: i1 {x} loc("f":1:2))`.
                if _ends_after(text, tail, end):
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


def _is_indented_less(text: str, brace: int, indent: int) -> bool:
    """Return whether `brace` begins its line and is indented less than `indent`."""
    line = text.rfind("\n", 0, brace) + 1
    return brace - line < indent and not text[line:brace].strip()


def _loose_end(text: str, start: int, end: int) -> int:
    """Return the end of a sequence of top-level ops other than functions, which may share values."""
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


def _ends_after(text: str, at: int, end: int) -> bool:
    """Return whether the closing brace at `at` ends the op; the first one in `{attrs} {body}` does not."""
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
    """Return the offset of the opening brace of a module's body; None if there is none."""
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
    """Return `end` moved back over trailing blank lines and comments, but no further than `start`."""
    while end > start:
        line = text.rfind("\n", start, end) + 1
        content = text[max(line, start) : end].strip()
        if content and not (line > start and content.startswith("//")):
            return max(line, start) + len(text[max(line, start) : end].rstrip())
        if line <= start:
            return end
        end = line - 1
    return end
