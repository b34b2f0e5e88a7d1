"""The preview with the user's own mlir-opt, and its differences from the built-in preview.

The program comes from the user's own settings or command line, never from a file of a workspace. The debug
locations in its output provide the links between lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import pairwise
from typing import NamedTuple

from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.document.targets import installed_version
from gpuasync_lsp.ide.preview.by_items import for_file
from gpuasync_lsp.ide.preview.page import Note, Page, Preview
from gpuasync_lsp.ide.preview.view import View
from gpuasync_lsp.lowering import DEFAULT_STAGE, Part, Place, Printed
from gpuasync_lsp.lowering.pipeline.explain import Comment, explain
from gpuasync_lsp.lowering.pipeline.line_map import Mark, marks_in
from gpuasync_lsp.lowering.pipeline.pipeline import TRANSLATIONS
from gpuasync_lsp.processes import Command, NotAllowed, run
from gpuasync_lsp.syntax import module_of, parse_source, source_span
from gpuasync_lsp.syntax.source import Chunk
from gpuasync_lsp.text import LineIndex, Span

TIMEOUT = 60.0

_LOCATION = re.compile(r" ?\bloc\(")
_NEXT = re.compile(r'"(?:[^"\\]|\\.)*"?|[()]')
_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_PLACE = re.compile(r'"[^"]*":(\d+):(\d+)')
_FIRST_ALIAS = re.compile(r"#loc\d*")
_FUNCTION = re.compile(r"\s*(?:llvm|func)\.func\b.*\{$")
_DECLARATION = re.compile(r"\s*(?:llvm|func)\.func\b(?!.*\{$)")
_CALL = re.compile(r"\bllvm\.call @mgpu|\bgpu\.launch_func\b")
_CREATE = re.compile(r"\s*(%[\w$.-]+) = llvm\.call @mgpuStreamCreate\(")
_RECORD = re.compile(r"\bllvm\.call @mgpuEventRecord\((%[\w$.-]+), (%[\w$.-]+)\)")
MESSAGE = re.compile(r"^\S*?:(\d+):(\d+): (error|warning): (.*)")
"""Matches a diagnostic of mlir-opt: line and column (1-based), kind and message."""


class EngineError(Exception):
    """The user's mlir-opt could not be run; the message gives the reason."""


def engine_preview(state: FileState, command: Command, view: View) -> Preview:
    """Return the output of `command` for the file with the passes of `view`.

    An error of the tool becomes a note at its location. Raises EngineError if the tool cannot be run,
    or for a stage that mlir-opt does not have.
    """
    view = for_file(view, state)
    if view.stage in TRANSLATIONS:
        raise EngineError(f"mlir-opt cannot print {view.stage}: choose another stage, or the builtin engine")
    arguments = [f"--pass-pipeline={view.pipeline}"] if view.pipeline.steps else []
    page = Page(state, view.explained, "//", folds_descriptors=view.folds_descriptors)
    notes: list[Note] = []
    lowered = DEFAULT_STAGE in (step.name for step in view.pipeline.steps)
    for chunk in state.source.chunks:
        # Leading blank lines keep the line numbers of the file.
        above = "\n" * state.lines.position(chunk.span.start)[0]
        text = above + chunk.span.of(state.text)
        done = run_tool(command, text, "--mlir-print-debuginfo", *arguments)
        printed, places = without_locations(done.stdout)
        page.add([Part(_printed(printed, _spans(state, chunk, places), view.explained and lowered))])
        found = list(_notes(state, done.stderr))
        if done.returncode and not found:
            last = (done.stderr.strip().splitlines() or ["it printed no message"])[-1]
            found.append(Note(f"{command.name} ended with status {done.returncode}: {last}", None, last))
        notes += found
    return page.preview(notes, installed_version(command), view.stage, " ".join(arguments))


class TextPlace(NamedTuple):
    """A line of printed text, and its 0-based location in the source."""

    row: int
    line: int
    column: int
    """The column in bytes of UTF-8."""


def without_locations(printed: str) -> tuple[str, list[TextPlace]]:
    """Split text printed with `--mlir-print-debuginfo` into text without locations, and the locations.

    An op's location follows its regions; if it has any, the location is assigned to the line that opens the
    first."""
    rows: list[str] = []
    locations: list[tuple[int, str]] = []
    open_rows: list[int] = []
    aliases: dict[str, str] = {}
    for line in printed.splitlines():
        alias = _ALIAS.match(line)
        if alias is not None:
            aliases[alias[1]] = alias[2]
            continue
        text, location = _cut_locations(line)
        row = len(rows)
        if text.lstrip().startswith("}") and open_rows:
            row = open_rows.pop()
        rows.append(text.rstrip())
        if rows[-1].endswith("{"):
            open_rows.append(row)
        elif location is not None:
            locations.append((row, location))
    while rows and not rows[-1]:
        rows.pop()
    places: list[TextPlace] = []
    for row, location in locations:
        at = _source_place(location, aliases)
        if at is not None:
            places.append(TextPlace(row, *at))
    return "".join(f"{text}\n" for text in rows), sorted(places)


def _spans(state: FileState, chunk: Chunk, places: Iterable[TextPlace]) -> list[Place]:
    """Return, for each printed line with a location, the span of the source op at that location."""
    wholes: dict[int, Span] = {}
    for placed in (*chunk.headers, *chunk.items):
        for spans in placed.item.spans.ops.values():
            wholes[placed.offset + spans.name.start] = spans.whole.shift(placed.offset)
    found: list[Place] = []
    for row, line, column in places:
        start = state.lines.offset(line, column, "utf-8")
        found.append(Place(row, wholes.get(start, Span(start, start))))
    return found


def _printed(text: str, places: Sequence[Place], explained: bool) -> Printed:
    """Return another tool's output with marks of streams and, if `explained`, comments."""
    lines = text.splitlines()
    marks: list[Mark] = []
    firsts: dict[Span, int] = {}
    calls: dict[Span, int] = {}
    for row, span in places:
        if _CALL.search(lines[row]):
            calls.setdefault(span, row)
        elif not _DECLARATION.match(lines[row]):
            firsts.setdefault(span, row)
    for rows in _functions(lines):
        streams = _streams(lines[row] for row in rows)
        if streams:
            for row in rows:
                marks += marks_in(lines[row], row, streams)
    comments = _comments(text, places) if explained else ()
    return Printed(text, tuple(places), tuple(marks), tuple(comments), firsts | calls)


def _functions(lines: Sequence[str]) -> Iterator[range]:
    """Yield the lines of each function, including the text up to the next one."""
    starts = [row for row, line in enumerate(lines) if _FUNCTION.match(line)]
    for start, end in pairwise((*starts, len(lines))):
        yield range(start, end)


def _streams(lines: Iterable[str]) -> dict[str, int]:
    """Return the names of streams and events in a function, each with the number of its stream."""
    streams: dict[str, int] = {}
    for line in lines:
        created, recorded = _CREATE.match(line), _RECORD.search(line)
        if created is not None:
            streams[created[1]] = len(set(streams.values()))
        elif recorded is not None and recorded[2] in streams:
            streams[recorded[1]] = streams[recorded[2]]
    return streams


def _comments(text: str, places: Sequence[Place]) -> Iterator[tuple[int, Comment]]:
    """Yield the comments on the runtime calls in another tool's text, with their lines."""
    lines = LineIndex(text)
    sources = dict(reversed(places))
    for chunk in parse_source(text).chunks:
        for op, comment in explain(module_of(chunk)).comments.items():
            span = source_span(op)
            rows = [lines.position(each.start)[0] for each in comment.sources]
            if span is not None and all(row in sources for row in rows):
                named = tuple(sources[row] for row in rows)
                yield lines.position(span.start)[0], comment._replace(sources=named)


def compare(ours: Preview, theirs: Preview, command: Command, state: FileState) -> str:
    """Report the differences of two previews, as Markdown for a bug report; empty if they are equal.

    If the user's tool can parse both previews, it prints both again, so that differences in spelling are
    ignored.
    """
    left, right = normalized(ours.text, command), normalized(theirs.text, command)
    if left is None or right is None:
        left, right = ours.text, theirs.text
    diff = list(
        unified_diff(
            _plain(right), _plain(left), f"{command.name} (LLVM {theirs.llvm})", "gpuasync-lsp", lineterm=""
        )
    )
    if not diff:
        return ""
    return "\n".join(
        (
            "The two differ. This is a bug in gpuasync-lsp, not in your program: its output differs from "
            f"that of LLVM {ours.llvm}. Please report it with the text below, which contains your whole "
            "program.",
            "",
            f"- pipeline: `{ours.pipeline}`",
            f"- mlir-opt: LLVM {theirs.llvm}, called with `{theirs.pipeline}`",
            "",
            "```diff",
            *diff,
            "```",
            "",
            "```mlir",
            state.text.rstrip("\n"),
            "```",
            "",
        )
    )


def normalized(text: str, command: Command) -> str | None:
    """Return `text` as printed by the user's mlir-opt; None if mlir-opt cannot parse it."""
    done = run_tool(command, text, "--split-input-file", "--allow-unregistered-dialect")
    return done.stdout if done.returncode == 0 else None


@dataclass(frozen=True, slots=True)
class _Done:
    returncode: int
    stdout: str
    stderr: str


def run_tool(command: Command, text: str, *arguments: str) -> _Done:
    """Run the user's tool on `text`. Raises EngineError if the tool cannot be run, or takes too long."""
    try:
        done = run(command.with_arguments(*arguments), text.encode(), TIMEOUT)
    except NotAllowed as error:
        raise EngineError(str(error)) from error
    except TimeoutError as error:
        raise EngineError(f"{command.name} took more than {TIMEOUT:.0f} s") from error
    except OSError as error:
        raise EngineError(f"cannot run {command.name}: {error.strerror}") from error
    return _Done(done.status, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def _cut_locations(line: str) -> tuple[str, str | None]:
    """Return a line without its locations, and the last location, which is the op's."""
    kept, at, last = "", 0, None
    while (start := _LOCATION.search(line, at)) is not None:
        kept += line[at : start.start()]
        at, depth = start.end(), 1
        while depth:
            token = _NEXT.search(line, at)
            if token is None:  # The location continues on the next line: ignore it.
                return kept, last
            at = token.end()
            depth += {"(": 1, ")": -1}.get(token[0], 0)
        last = line[start.end() : at - 1]
    return kept + line[at:], last


def _source_place(location: str | None, aliases: dict[str, str]) -> tuple[int, int] | None:
    """Return the 0-based line and column of a location, or of the first part of a composite location."""
    for _ in range(len(aliases) + 1):
        if location is None:
            return None
        place = _PLACE.search(location)
        if place is not None:
            return int(place[1]) - 1, max(int(place[2]) - 1, 0)
        name = _FIRST_ALIAS.search(location)
        location = aliases.get(name[0]) if name else None
    return None


def _notes(state: FileState, stderr: str) -> list[Note]:
    found: list[Note] = []
    for line in stderr.splitlines():
        message = MESSAGE.match(line)
        if message is not None:
            start = state.lines.offset(int(message[1]) - 1, max(int(message[2]) - 1, 0))
            error = message[4] if message[3] == "error" else ""
            found.append(Note(message[4], Span(start, start), error))
    return found


def _plain(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
