"""Finds the sections of an IR dump, each a header that names a pass, and the op printed below the header.

    // -----// IR Dump After CSE (cse) //----- //
    // -----// IR Dump Before CSE (cse) ('func.func' operation: @f) //----- //
    // -----// IR Dump After GpuToLLVMConversionPass Failed (gpu-to-llvm) //----- //
    // -----// IR Dump After CanonicalizerPass: canonicalize{max-iterations=10} //----- //

MLIR's pass manager prints these (mlir/lib/Pass/IRPrinting.cpp; the last one in LLVM 24), and so do compilers
based on it. The pass `print-ir` prints `IR Dump LABEL`, early MLIR `*** IR Dump After CSE ***`. Text between
sections (messages, reports of `--mlir-timing`, logs) belongs to no section. Takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from gpuasync_lsp.syntax.cutter import DUMP_MARK
from gpuasync_lsp.text import Span


class Phase(Enum):
    """When the IR of a section was printed."""

    INPUT = "input"
    """IR before the first header."""
    BEFORE = "before"
    AFTER = "after"
    FAILED = "failed"
    """IR after a pass that failed, which may be invalid."""
    LABEL = "label"
    """IR that the pass `print-ir` prints."""
    STEP = "step"
    """IR printed while a pass runs, by Triton's `dump-intermediate-steps` or `--debug`; no pass is named."""
    OUTPUT = "output"
    """The tool's final output after the last section of a run, which has no header."""


@dataclass(frozen=True, slots=True)
class Section:
    """A printed op, and the facts in its header."""

    phase: Phase
    name: str
    """The class name of the pass, or the label; empty if the section has no header."""
    argument: str
    """The pass's name in pipelines; empty if the header has none."""
    options: str
    """The options after the argument, without braces."""
    scope: str
    """The op that the pass ran on, such as `func.func @f`, from the header or else from the printed op."""
    header: Span
    """The span of the header; without a header, an empty span at the start of the body."""
    body: Span
    """The op with its aliases; empty if nothing was printed."""
    torn: bool = False
    """Whether the op is incomplete, because the text ends or other output interrupts the op."""

    @property
    def pass_name(self) -> str:
        """The pass's name in pipelines, or its class name."""
        return self.argument or self.name

    @property
    def whole(self) -> Span:
        """The span of header and body."""
        return Span(self.header.start, max(self.header.end, self.body.end))


_END = "//----- //"
_STARS = "***"
_INTERNAL = " internal"
"""The suffix of passes that print their steps: `// -----// WarpSpec internal IR Dump After: doTaskPartition`.
"""
_DEBUG_STEPS = ("Pattern Application", "Successful Folding")
"""Labels that pattern drivers print with `--debug` after each pattern, as if the pattern were a pass."""
_NO_ARGUMENT = "unknown<"
"""The beginning of the text in parentheses if the pass has no argument."""
_LONGEST_HEADER = 1 << 16

_OPERATION = re.compile(r"\('([^'\n]*)' operation(?:: (@[^\n]*))?\)\Z")
_OP_NAME = re.compile(r'[ \t]*"?([A-Za-z_][\w$.]*)')
_SYMBOL = re.compile(r'@(?:[A-Za-z_$.][\w$.-]*|"[^"\n]*")')
_SYM_NAME = re.compile(r'\bsym_name = "([^"\n]*)"')
_ALIAS = re.compile(r"[#!][\w$.-]+ = ")
_BEGINS = re.compile(
    r"(?:[#!][A-Za-z_][\w$.-]* = |\{-#|(?:builtin\.)?module(?=[ \t@{])|func @"
    r"|\"(?:func|module|[a-z_][\w$]*\.[\w$.]+)\"\(|%[\w$.-]+(?::\d+)? = "
    r"|[a-z_][\w$]*\.[a-z_][\w$.]*(?=[ \t{@(<\r\n]))"
)
"""Matches the beginning of a line of printed IR, at column 0."""
_TOP = re.compile(r"(?:[#!][A-Za-z_][\w$.-]* = |\{-#|(?:builtin\.)?module(?=[ \t@{])|\"builtin\.module\"\()")
"""Matches the beginning of IR without a header, which cannot be the beginning of a line of a log."""


_Begins = Callable[[str, int, int], "re.Match[str] | None"]
"""Matches the beginning of a line, given a text, a position and an end."""

_CARET = re.compile(r"\r?\n[ \t]*\^[~^ \t]*(?=\r?\n|\Z)")


def is_dump(text: str) -> bool:
    """Return whether `text` has a section with a header."""
    return next(_headers(text), None) is not None


def header_spans(text: str) -> list[Span]:
    """Return the spans of the headers of `text`."""
    return [header.span for header in _headers(text)]


def sections(text: str) -> tuple[Section, ...]:
    """Return the sections of `text` in order; empty if it has no header."""
    headers = list(_headers(text))
    if not headers:
        return ()
    found = _unannounced(text, 0, headers[0].span.start, Phase.INPUT)
    for number, header in enumerate(headers):
        end = headers[number + 1].span.start if number + 1 < len(headers) else len(text)
        body, is_whole = _printed(text, header.span.end, end, _BEGINS.match)
        found.append(
            Section(
                header.phase,
                header.name,
                header.argument,
                header.options,
                header.scope or scope_of(text, body),
                header.span,
                body,
                not is_whole,
            )
        )
        found += _unannounced(text, max(body.end, header.span.end), end, Phase.OUTPUT)
    return tuple(found)


class _Header(NamedTuple):
    phase: Phase
    name: str
    argument: str
    options: str
    scope: str
    span: Span


def _headers(text: str) -> Iterator[_Header]:
    at = text.find(DUMP_MARK)
    while at >= 0:
        line = text.rfind("\n", 0, at) + 1
        end = _line_end(text, at)
        # A line longer than this is not a header, and is not searched.
        if at - line <= _LONGEST_HEADER and end - at <= _LONGEST_HEADER:
            header = _header(text, line, at, end)
            if header is not None:
                yield header
                end = header.span.end
        at = text.find(DUMP_MARK, max(end, at + len(DUMP_MARK)))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _header(text: str, line: int, at: int, end: int) -> _Header | None:
    """Parse the header whose `IR Dump` is at `at`, in the line from `line` to `end`."""
    before = text[line:at].rstrip()
    inside = ""
    if before.endswith(_INTERNAL):
        before, opening, inside = before.rpartition("// -----//")
        before, inside = before + opening, inside.removesuffix(_INTERNAL).strip()
    marks = (("// -----//", _END), ("// ***", _STARS))  # Without `//`, stars are LLVM's.
    opening, closing = next((mark for mark in marks if before.endswith(mark[0])), ("", ""))
    if not opening:
        return None
    start = line + len(before) - len(opening)
    # In a test, `// CHECK: // -----// IR Dump` is a comment, not a header; prefixes of logs contain no `//`.
    if "//" in text[line:start]:
        return None
    stop = text.find(closing, at, end)
    content = text[at + len(DUMP_MARK) : end if stop < 0 else stop].strip()
    span = Span(start, end if stop < 0 else stop + len(closing))
    if inside:
        return _Header(Phase.STEP, f"{inside}: {content.removeprefix('After:').strip()}", "", "", "", span)
    phase, title = _phase(content)
    if opening.endswith(_STARS) and title in _DEBUG_STEPS:
        return _Header(Phase.STEP, title, "", "", "", span)
    scope = ""
    operation = _OPERATION.match(title.rstrip(" \t"), max(0, title.rfind("('")))
    if operation is not None:
        scope = " ".join(word for word in operation.groups() if word)
        title = title[: operation.start()].rstrip()
    if phase is Phase.LABEL:
        return _Header(phase, title, "", "", scope, span)
    name, argument = _name_and_argument(title)
    if name.endswith(" Failed") and phase is Phase.AFTER:
        phase, name = Phase.FAILED, name.removesuffix(" Failed").rstrip()
    argument, _, options = argument.partition("{")
    return _Header(phase, name, argument.strip(), " ".join(options.removesuffix("}").split()), scope, span)


def _phase(content: str) -> tuple[Phase, str]:
    word, _, rest = content.partition(" ")
    if word == "After":
        return Phase.AFTER, rest.strip()
    if word == "Before":
        return Phase.BEFORE, rest.strip()
    return Phase.LABEL, content


def _name_and_argument(title: str) -> tuple[str, str]:
    """Split `Name (argument)`, or `Name: argument` as in LLVM 24.

    A name may have parentheses of its own: `(anonymous namespace)::Name`."""
    name, colon, argument = title.partition(": ")
    if colon and (not title.endswith(")") or "(" not in argument):
        return name, "" if argument.startswith(_NO_ARGUMENT) else argument
    if not title.endswith(")"):
        return title, ""
    depth = 0
    for at in range(len(title) - 1, -1, -1):
        depth += (title[at] == ")") - (title[at] == "(")
        if depth == 0:
            name = title[:at].rstrip()
            return (name, title[at + 1 : -1]) if name else (title, "")
    return title, ""


def _unannounced(text: str, start: int, end: int, phase: Phase) -> list[Section]:
    """Return the section for IR that no header announces: the first op in the range, with its aliases."""
    body, is_whole = _printed(text, start, end, _TOP.match)
    if body.start == body.end:
        return []
    here = Span(body.start, body.start)
    return [Section(phase, "", "", "", scope_of(text, body), here, body, not is_whole)]


def _printed(text: str, start: int, end: int, begins: _Begins) -> tuple[Span, bool]:
    """Return the span of the op printed in `text[start:end]`, with its aliases, and whether it is complete.

    The span is empty if nothing is printed.

    MLIR's printer indents nested ops, so the op ends at the line of the next brace in the op's own column; an
    op without a body ends with its line.
    """
    at = _first_line(text, start, end, begins)
    if at < 0:
        return Span(start, start), True
    first = at
    at = _after_aliases(text, at, end)
    if at >= end:
        return Span(first, _trimmed(text, first, end)), False
    stop = _op_end(text, at, end)
    if stop is None:
        return Span(first, _trimmed(text, first, end)), False
    return Span(first, _trimmed(text, first, _after_aliases(text, min(stop + 1, end), end))), True


def _first_line(text: str, start: int, end: int, begins: _Begins) -> int:
    """Return the start of the first line of IR in `text[start:end]`, or -1."""
    at = start
    while at < end:
        column = at
        while column < end and text[column] in " \t":
            column += 1
        if begins(text, column, end) and not _is_quoted(text, column, end):
            return column
        at = text.find("\n", column, end) + 1
        if at == 0:
            return -1
    return -1


def _is_quoted(text: str, at: int, end: int) -> bool:
    """Return whether a message quotes the line at `at`, with a caret below."""
    return _CARET.match(text, _line_end(text, at), end) is not None


def _after_aliases(text: str, at: int, end: int) -> int:
    """Return the start of the first line from `at` on that is neither an alias nor file metadata."""
    while at < end:
        if text.startswith("{-#", at):
            closing = text.find("#-}", at, end)
            if closing < 0:
                return end
            at = closing
        elif not _ALIAS.match(text, at, end):
            return at
        at = text.find("\n", at, end) + 1
        if at == 0:
            return end
    return at


def _op_end(text: str, at: int, end: int) -> int | None:
    """Return the end of the last line of the op at `at`; None if the text ends inside it."""
    line_end = text.find("\n", at, end)
    if line_end < 0:
        return None if _opens(text, at, end) else end
    if not _opens(text, at, line_end):
        return line_end
    column = at - (text.rfind("\n", 0, at) + 1)
    closes = "\n" + " " * column + "}"
    while (brace := text.find(closes, line_end, end)) >= 0:
        line_end = text.find("\n", brace + 1, end)
        stop = end if line_end < 0 else line_end
        if not _opens(text, brace + 1, stop):  # Not `} else {` or `}, {`.
            return stop
        if line_end < 0:
            return None
    return None


def _opens(text: str, start: int, end: int) -> bool:
    line = text[start:end].rstrip()
    if not line.endswith("{"):
        line = line.partition("  // ")[0].rstrip()
    return line.endswith("{")


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def scope_of(text: str, body: Span) -> str:
    """Return the name and symbol of the op in `body`, `func.func @f`; empty if there is no op."""
    at = _after_aliases(text, body.start, body.end)
    line = text[at : min(_line_end(text, at), body.end, at + _LONGEST_HEADER)]
    name = _OP_NAME.match(line)
    if name is None:
        return ""
    op_name = {"module": "builtin.module", "func": "func.func"}.get(name[1], name[1])
    if line.lstrip().startswith('"'):
        # Before LLVM 17 the attributes follow the regions.
        last = max(text.rfind("\n}", at, body.end), at)
        symbol = _SYM_NAME.search(line) or _SYM_NAME.search(
            text, last, min(body.end, _line_end(text, last + 1))
        )
        return f"{op_name} @{symbol[1]}" if symbol else op_name
    head = line.partition("(" if "func" in op_name else "{")[0]
    found = _SYMBOL.search(head)
    return f"{op_name} {found[0]}" if found else op_name
