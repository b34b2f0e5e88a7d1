"""Generates CHECK lines from an output, in the manner of MLIR's generate-test-checks.

A section is a CHECK-LABEL with a symbol, and the checks up to the next one. Only failed sections are
regenerated, and only their CHECK lines: other comments and the code between are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpuasync_lsp.ide.runlines.results import FileResult, Kind, RunResult
from gpuasync_lsp.ide.runlines.unsupported import Unsupported
from gpuasync_lsp.text import LineIndex

_SYMBOL = re.compile(r"@[\w$.-]+")
_VALUE = re.compile(r"%[\w$.-]+")
_SPECIAL = re.compile(r"\[\[|\{\{")
_FORMS = ("", "-LABEL", "-NEXT", "-SAME", "-DAG", "-NOT", "-EMPTY")
_COUNT = re.compile(r"-COUNT-\d+")


@dataclass(frozen=True, slots=True)
class _Check:
    row: int
    is_label: bool
    text: str


def updated_and_held(
    lines: LineIndex, result: FileResult, run: Callable[[LineIndex], FileResult]
) -> tuple[str, FileResult]:
    """Return the test from `updated`, and the result of running it, which passes.

    `run` runs a test. Raises Unsupported like `updated`, and if the generated checks would fail, too.
    """
    after = updated(lines, result)
    again = run(LineIndex(after))
    if any(each.kind is Kind.CHECK for each_run in again.runs for each in each_run.failures):
        raise Unsupported("the generated checks would fail on the same output")
    return after, again


def updated(lines: LineIndex, result: FileResult) -> str:
    """Return the text of a test with failed sections regenerated from the output.

    Raises Unsupported with the reason if a section has no unique counterpart in the output.
    """
    rows = lines.text.split("\n")
    replaced: dict[int, list[str]] = {}
    gone: set[int] = set()
    failed = [run for run in result.runs if any(each.kind is Kind.CHECK for each in run.failures)]
    for run in failed:
        prefix = _prefix(run, result)
        for section in _sections(rows, prefix):
            span = range(section[0].row, section[-1].row + 1)
            if not any(each.kind is Kind.CHECK and each.line - 1 in span for each in run.failures):
                continue
            symbol = _SYMBOL.search(section[0].text)
            if not section[0].is_label or symbol is None:
                raise Unsupported(f"line {section[0].row + 1}: no {prefix}-LABEL before it names a function")
            body = _printed(run.output, symbol[0])
            if body is None:
                raise Unsupported(f"line {section[0].row + 1}: the output has no {symbol[0]}")
            end = "\r" if rows[section[0].row].endswith("\r") else ""
            indent = rows[section[0].row].partition("//")[0]
            replaced[section[0].row] = [f"{indent}// {line}{end}" for line in _checks(body, prefix)]
            gone.update(check.row for check in section)
    if not replaced:
        raise Unsupported("no CHECK line of this file has failed")
    found: list[str] = []
    for number, row in enumerate(rows):
        found += replaced.get(number, [] if number in gone else [row])
    return "\n".join(found)


def _prefix(run: RunResult, result: FileResult) -> str:
    if len(run.prefixes) != 1:
        raise Unsupported(f"line {run.run.line}: it has several prefixes, or several FileCheck")
    (prefix,) = run.prefixes
    if sum(prefix in each.prefixes for each in result.runs) > 1:
        raise Unsupported(f"line {run.run.line}: another RUN line checks {prefix} as well")
    return prefix


def _sections(rows: Sequence[str], prefix: str) -> list[list[_Check]]:
    """Return the checks of a prefix by section; the checks before the first label form a section."""
    sections: list[list[_Check]] = []
    for row, line in enumerate(rows):
        at = line.find("//")
        words = line[at + 2 :].strip()
        if at < 0 or not words.startswith(prefix):
            continue
        form, colon, text = words[len(prefix) :].partition(":")
        form = form.removesuffix("{LITERAL}")
        if not colon or not (form in _FORMS or _COUNT.fullmatch(form)):
            continue
        if line[:at].strip():
            raise Unsupported(f"line {row + 1}: a check after code")
        check = _Check(row, form == "-LABEL", text)
        if check.is_label or not sections:
            sections.append([])
        sections[-1].append(check)
    return sections


def _printed(output: str, symbol: str) -> list[str] | None:
    """Return the printed lines of the op that defines `symbol`; None unless exactly one op does."""
    lines = output.split("\n")
    starts = [
        row
        for row, line in enumerate(lines)
        if (at := line.find(f"{symbol}(")) >= 0 and line.lstrip().split(" ", 1)[0].endswith(".func") and at
    ]
    if len(starts) != 1:
        return None
    first = lines[starts[0]]
    if not first.endswith("{"):
        return [first]
    close = first[: len(first) - len(first.lstrip())] + "}"
    for row in range(starts[0] + 1, len(lines)):
        if lines[row].startswith(close):
            return lines[starts[0] : row + 1]
    return None


def _checks(body: Sequence[str], prefix: str) -> Iterator[str]:
    """Yield the check lines for a function, without the leading slashes."""
    names: dict[str, str] = {}

    def named(text: str) -> str:
        # Escape doubled brackets, which would begin a FileCheck block.
        escaped = _SPECIAL.sub(lambda found: r"{{\[\[}}" if found[0] == "[[" else r"{{\{\{}}", text)
        return _VALUE.sub(lambda found: _variable(found[0], names, found.start() == 0), escaped)

    width = len(f"{prefix}-LABEL:")
    head, bracket, rest = body[0].strip().partition("(")
    yield f"{prefix}-LABEL: {named(head)}{bracket}"
    arguments = rest.split(", %")
    for number, argument in enumerate(arguments):
        text = argument if number == 0 else f"%{argument}"
        comma = "," if number + 1 < len(arguments) else ""
        # Without the blank, the argument would begin the line and be parsed as a result.
        yield f"{f'{prefix}-SAME:':>{width}}  {named(f' {text}')}{comma}"
    for line in body[1:]:
        if line.strip():
            text = line.strip()
            indent = line[: len(line) - len(line.lstrip())]
            yield f"{f'{prefix}:':>{width}} {indent}{named(text)}"


def _variable(name: str, names: dict[str, str], is_result: bool) -> str:
    """Return the FileCheck variable for a value: a definition at the first occurrence, else a use.

    The pattern of an argument is not `.*`, which would also match the arguments after it.
    """
    known = names.get(name)
    if known is not None:
        return f"%[[{known}]]"
    names[name] = f"VAL_{len(names)}"
    return f"%[[{names[name]}:{'.*' if is_result else '[a-zA-Z0-9_]+'}]]"
