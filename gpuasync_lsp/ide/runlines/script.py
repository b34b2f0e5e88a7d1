"""The lines of a test that lit reads: `RUN:`, `DEFINE:`, `REDEFINE:`, `XFAIL:`, and conditions.

Source: lit's TestRunner (LLVM 16 to 23). A keyword may be anywhere in a line, but only the first one of a
line counts; a RUN line that ends with a backslash continues on the next line; `END.` ends the script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.text import LineIndex

MOST_RUNS = 200
"""The maximum number of RUN lines of a test; LLVM's longest test has 60."""
MOST_OF_LINE = 65_536
"""The maximum length of a command in characters, including continuations and substitutions."""

_KEYWORD = re.compile(r"RUN:|REDEFINE:|DEFINE:|XFAIL:|REQUIRES:|UNSUPPORTED:|END\.")
_DEFINITION = re.compile(r"\s*%\{([A-Za-z_][-:\w]*)\}\s*=(.*)", re.DOTALL)
_LINE_NUMBER = re.compile(r"%\(line(?: *([+-]) *(\d{1,9}))?\)")


@dataclass(frozen=True, slots=True)
class RunLine:
    """A command of a test, with its continuations joined."""

    line: int
    """The 1-based line at which the command begins."""
    last: int
    """The line of the command's last continuation."""
    command: str
    definitions: Mapping[str, str]
    """Maps each `NAME` of a `%{NAME}` to its value at this RUN line."""


@dataclass(frozen=True, slots=True)
class Script:
    """The parts of a test that lit reads."""

    runs: tuple[RunLine, ...]
    fails: bool
    """Whether the test has `XFAIL: *`, and is thus expected to fail."""
    conditions: tuple[str, ...]
    """Conditions on the LLVM build (`REQUIRES: asserts`), which are unknown here."""


def read_script(lines: LineIndex, *, accept_open: bool = False) -> Script:
    """Return the script that lit reads from a test. Raises Unsupported, with a line, if it is invalid.

    With `accept_open`, a last RUN line that ends with a backslash is complete: a commented-out part of the
    command (`RUN-DISABLED:`) may follow it."""
    runs: list[RunLine] = []
    conditions: list[str] = []
    definitions: dict[str, str] = {}
    fails = False
    parts: list[str] = []
    """The parts of a command that continues on the next line."""
    first, kind = 0, ""
    at = 0
    text = lines.text
    while (found := _KEYWORD.search(text, at)) is not None:
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        at = end
        number = lines.position(found.start())[0] + 1
        keyword = found[0].removesuffix(":")
        if keyword == "END.":
            break
        # Copy no more than a command's limit: a line may have a hundred million characters.
        rest = text[found.end() : min(end, found.end() + MOST_OF_LINE + 1)].rstrip()
        if keyword in ("XFAIL", "REQUIRES", "UNSUPPORTED"):
            if keyword == "XFAIL" and rest.strip() in ("*", "true"):
                fails = True
            else:
                conditions.append(f"{keyword}: {rest.strip()[:200]}")
            continue
        if parts and keyword != kind:
            raise Unsupported(f"a {kind} line that ends with \\ and is followed by {keyword}", first)
        if not parts:
            first, kind = number, keyword
        parts.append(_LINE_NUMBER.sub(lambda m, n=number: str(_shifted(n, m[1], m[2])), rest))
        if sum(map(len, parts)) > MOST_OF_LINE:
            raise Unsupported(f"a command of more than {MOST_OF_LINE} characters", first)
        if parts[-1].endswith("\\"):
            parts[-1] = parts[-1][:-1]
            continue
        command = "".join(parts)
        parts = []
        if kind == "RUN":
            runs.append(RunLine(first, number, command.strip(), dict(definitions)))
            if len(runs) > MOST_RUNS:
                raise Unsupported(f"more than {MOST_RUNS} RUN lines", number)
        else:
            _define(definitions, kind, command, first)
    if parts and accept_open and kind == "RUN":
        runs.append(RunLine(first, first, "".join(parts).strip(), dict(definitions)))
    elif parts:
        raise Unsupported(f"a {kind} line that ends with \\ and is not continued", first)
    return Script(tuple(runs), fails, tuple(conditions))


def _define(definitions: dict[str, str], kind: str, command: str, line: int) -> None:
    found = _DEFINITION.fullmatch(command)
    if found is None:
        raise Unsupported(f"a {kind} line that is not `%{{name}} = text`", line)
    if (found[1] in definitions) != (kind == "REDEFINE"):
        raise Unsupported(
            f"{kind} of %{{{found[1]}}}, which is {'' if kind == 'DEFINE' else 'not '}defined", line
        )
    if len(definitions) >= MOST_RUNS:
        raise Unsupported(f"more than {MOST_RUNS} DEFINE lines", line)
    definitions[found[1]] = found[2].strip()


def _shifted(line: int, sign: str | None, by: str | None) -> int:
    return line + (0 if by is None else int(by) if sign == "+" else -int(by))
