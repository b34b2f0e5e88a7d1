"""Finds the prose of the project: documentation, docstrings, comments, strings and the extension's texts."""

import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

ROOT = Path(__file__).parents[2]

_CODE_SPAN = re.compile(r"``[^`]*``|`[^`\n]*`")
_LINK_TARGET = re.compile(r"\]\([^)]*\)")
_INTERPOLATION = re.compile(r"\{[^{}]*\}")
_IR = re.compile(r"\s*(%[\w.]+ = |br |store |(tail )?call |[\w.]+:$)")
_SCRIPT_COMMENT = re.compile(r"(?:^|\s)(?://+|\*|/\*+|;+)\s(?P<text>.*)")
_SCRIPT_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`")
_MARKUP = re.compile(r"<[^<>]*>")


class Prose(NamedTuple):
    """A line of prose: its file, relative to the repository, its 1-based line, and its text without code."""

    path: str
    line: int
    text: str


def project_prose() -> Iterator[Prose]:
    """Yield every line of prose of the project, except the change log of old versions."""
    pages = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *_extension("*.md"),
        ROOT / "examples/README.md",
    ]
    for page in sorted(set(pages) - {ROOT / "docs/history.md"}):
        yield from _in_file(page, markdown)
    for module in sorted({*(ROOT / "gpuasync_lsp").rglob("*.py"), *(ROOT / "tools").rglob("*.py")}):
        yield from _in_file(module, python)
    scripts = [*_extension("*.ts"), *(ROOT / "playground/src").rglob("*.ts")]
    for script in sorted(scripts):
        yield from _in_file(script, typescript)
    yield from _in_file(ROOT / "vscode-extension/package.json", manifest)
    for html in sorted((ROOT / "playground/static").rglob("*.html")):
        yield from _in_file(html, markup)


def _extension(pattern: str) -> Iterator[Path]:
    folder = ROOT / "vscode-extension"
    yield from folder.glob(pattern)
    for part in ("src", "walkthrough"):
        yield from (folder / part).rglob(pattern)


def _in_file(path: Path, read: "ReadProse") -> Iterator[Prose]:
    for line, text in read(path.read_text(encoding="utf-8")):
        yield Prose(path.relative_to(ROOT).as_posix(), line, text)


class ReadProse(Protocol):
    """The type of the functions below: takes the text of a file and yields numbered lines of prose."""

    def __call__(self, text: str) -> Iterator[tuple[int, str]]: ...


def markdown(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of code blocks; of a change log only its newest version."""
    fence, versions = "", 0
    is_change_log = text.startswith(("# Change log", "# Changelog"))
    for number, line in enumerate(text.splitlines(), 1):
        mark = line.strip()[:3]
        if mark in ("```", "~~~"):
            fence = "" if mark == fence else fence or mark
            continue
        versions += line.startswith("## ")
        if is_change_log and versions > 1:
            return
        if not fence and not line.startswith("    "):
            yield number, _LINK_TARGET.sub("]", _CODE_SPAN.sub("`", line))


def python(text: str) -> Iterator[tuple[int, str]]:
    """Yield comments, docstrings, and string literals that contain a space but no IR."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] not in ("COMMENT", "STRING", "FSTRING_MIDDLE"):
            continue
        words = _INTERPOLATION.sub("{}", token.string)
        if " " not in words.strip("'\""):
            continue
        for offset, line in enumerate(words.splitlines()):
            if not _IR.match(line):
                yield token.start[0] + offset, _CODE_SPAN.sub("`", line)


def typescript(text: str) -> Iterator[tuple[int, str]]:
    """Yield comments, and string literals that contain a space."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = _SCRIPT_COMMENT.search(line)
        if comment:
            yield number, _CODE_SPAN.sub("`", comment["text"])
            line = line[: comment.start()]
        for literal in _SCRIPT_STRING.findall(line):
            if " " in literal:
                yield number, _INTERPOLATION.sub("{}", literal)


def manifest(text: str) -> Iterator[tuple[int, str]]:
    """Yield the strings of a JSON file that contain a space, with their line numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        for literal in re.findall(r'"(?:[^"\\]|\\.)*"', line):
            if " " in literal:
                yield number, _CODE_SPAN.sub("`", json.loads(literal))


def markup(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of an HTML page without tags."""
    for number, line in enumerate(text.splitlines(), 1):
        yield number, _MARKUP.sub("", line)
