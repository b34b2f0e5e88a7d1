"""The same preview from the user's own mlir-opt, and what differs from ours.

The program comes from the user's own settings or command line, never from a file of a workspace. Its debug
locations give the links between lines.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff

from gpuasync_lsp.ide.preview import SEPARATOR, Note, Preview, View
from gpuasync_lsp.ide.state import FileState
from gpuasync_lsp.ide.targets import installed_version
from gpuasync_lsp.lowering.pipeline import TRANSLATIONS
from gpuasync_lsp.text import Span

TIMEOUT = 60.0

_LOCATION = re.compile(r" ?\bloc\(")
_NEXT = re.compile(r'"(?:[^"\\]|\\.)*"|[()]')
_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_PLACE = re.compile(r'"[^"]*":(\d+):(\d+)')
_FIRST_ALIAS = re.compile(r"#loc\d*")
_MESSAGE = re.compile(r"^\S*?:(\d+):(\d+): (error|warning): (.*)")


class EngineError(Exception):
    """The user's mlir-opt could not be asked; the message says why."""


def engine_preview(state: FileState, command: Sequence[str], view: View) -> Preview:
    """Return what `command` prints for the file with the passes of `view`.

    A failure of the tool is a note with its message, at its place. Raises EngineError if it cannot be run, or
    for a stage that is not mlir-opt's.
    """
    if view.stage in TRANSLATIONS:
        raise EngineError(f"mlir-opt prints no {view.stage}: choose another stage, or the builtin engine")
    arguments = [f"--pass-pipeline={view.pipeline}"] if view.pipeline.steps else []
    parts: list[str] = []
    line_map: dict[int, list[int]] = {}
    notes: list[Note] = []
    row = 0
    for chunk in state.source.chunks:
        # Blank lines in front keep the numbers of the file's lines.
        above = "\n" * state.lines.position(chunk.span.start)[0]
        text = above + chunk.span.of(state.text)
        done = _run(command, text, "--mlir-print-debuginfo", *arguments)
        printed, lines = without_locations(done.stdout)
        for line, rows in lines.items():
            line_map.setdefault(line, []).extend(row + each for each in rows)
        parts.append(printed)
        row += printed.count("\n") + 1
        said = list(_notes(state, done.stderr))
        if done.returncode and not said:
            last = (done.stderr.strip().splitlines() or ["it printed no message"])[-1]
            said.append(Note(f"{command[0]} ended with status {done.returncode}: {last}", None, last))
        notes += said
    version = installed_version(tuple(command))
    return Preview(SEPARATOR.join(parts), line_map, tuple(notes), version, view.stage, " ".join(arguments))


def without_locations(printed: str) -> tuple[str, dict[int, list[int]]]:
    """Return text printed with `--mlir-print-debuginfo` without locations, and its rows by source line."""
    rows: list[str] = []
    locations: list[str | None] = []
    aliases: dict[str, str] = {}
    for line in printed.splitlines():
        alias = _ALIAS.match(line)
        if alias is not None:
            aliases[alias[1]] = alias[2]
            continue
        text, location = _cut_locations(line)
        rows.append(text.rstrip())
        locations.append(location)
    while rows and not rows[-1]:
        rows.pop()
    lines: dict[int, list[int]] = {}
    for row, location in enumerate(locations[: len(rows)]):
        line = _source_line(location, aliases)
        if line is not None:
            lines.setdefault(line, []).append(row)
    return "".join(f"{text}\n" for text in rows), lines


def compare(ours: Preview, theirs: Preview, command: Sequence[str], state: FileState) -> str:
    """Return a report on the difference of two previews, in Markdown to be copied; nothing if they are equal.

    Both texts are printed anew by the user's tool where it reads both, so that only what they mean counts."""
    left, right = normalised(ours.text, command), normalised(theirs.text, command)
    if left is None or right is None:
        left, right = ours.text, theirs.text
    diff = list(
        unified_diff(
            _plain(right), _plain(left), f"{command[0]} (LLVM {theirs.llvm})", "gpuasync-lsp", lineterm=""
        )
    )
    if not diff:
        return ""
    return "\n".join(
        (
            "The two differ. That is a bug of gpuasync-lsp, not of your program: we say that "
            f"LLVM {ours.llvm} prints what it does not. Please report it with the text below; it holds your "
            "whole program.",
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


def normalised(text: str, command: Sequence[str]) -> str | None:
    """Return `text` as the user's mlir-opt prints it; None if it does not read it."""
    done = _run(command, text, "--split-input-file", "--allow-unregistered-dialect")
    return done.stdout if done.returncode == 0 else None


@dataclass(frozen=True, slots=True)
class _Done:
    returncode: int
    stdout: str
    stderr: str


def _run(command: Sequence[str], text: str, *arguments: str) -> _Done:
    try:
        done = subprocess.run(
            [*command, *arguments],
            input=text.encode(),
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineError(f"{command[0]} took more than {TIMEOUT:.0f} s") from error
    except OSError as error:
        raise EngineError(f"cannot run {command[0]}: {error.strerror}") from error
    return _Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def _cut_locations(line: str) -> tuple[str, str | None]:
    """Return a line without its locations, and the last of them, which is that of its op."""
    kept, at, last = "", 0, None
    while (start := _LOCATION.search(line, at)) is not None:
        kept += line[at : start.start()]
        at, depth = start.end(), 1
        while depth:
            token = _NEXT.search(line, at)
            if token is None:  # it goes on in the next line: no location then
                return kept, last
            at = token.end()
            depth += {"(": 1, ")": -1}.get(token[0], 0)
        last = line[start.end() : at - 1]
    return kept + line[at:], last


def _source_line(location: str | None, aliases: dict[str, str]) -> int | None:
    """Return the line, from 0, that a location is at or, if made of several, begins at."""
    for _ in range(len(aliases) + 1):
        if location is None:
            return None
        place = _PLACE.search(location)
        if place is not None:
            return int(place[1]) - 1
        name = _FIRST_ALIAS.search(location)
        location = aliases.get(name[0]) if name else None
    return None


def _notes(state: FileState, stderr: str) -> list[Note]:
    found: list[Note] = []
    for line in stderr.splitlines():
        message = _MESSAGE.match(line)
        if message is not None:
            start = state.lines.offset(int(message[1]) - 1, max(int(message[2]) - 1, 0))
            error = message[4] if message[3] == "error" else ""
            found.append(Note(message[4], Span(start, start), error))
    return found


def _plain(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
