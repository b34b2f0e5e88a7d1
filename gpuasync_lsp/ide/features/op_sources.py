"""Go to the definition of an op in a user's dialect, which is a line of its `.td` file.

For each definition, a TableGen dump records the name of a file, without the folder, and a line number (in
`!locs`: `Mine.td:17`). The file is searched for in the project: below the innermost folder that contains the
document, the dump, and the configuration file that names the dump. The search never leaves that folder, and
ends at `MOST_ENTRIES`.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.lookup.tokens import TokenKind, token_at
from gpuasync_lsp.syntax.ods.table import entry, mlir_dialects
from gpuasync_lsp.text import Span, files

MOST_ENTRIES = 20_000
"""The maximum number of visited files and folders of a project, which takes a tenth of a second."""

MOST_FILES = 16
"""The maximum number of files of the same name that are read."""

_PLACE = re.compile(r"([\w+-][\w.+-]{0,200}\.td):(\d{1,7})")
_SKIPPED = frozenset({"node_modules", "__pycache__"})
_NAME_BELOW = 4
"""The number of lines of a definition in which the op's name may be: `def Mine_AddOp :` may be on the line
before `Mine_Op<"add">`."""


class OpSource(NamedTuple):
    """The definition of an op, and its use."""

    at: Span
    """The op's name in the document."""
    path: Path
    line: int
    """The 0-based line of the definition."""


def op_sources(state: FileState, offset: int, cancel: Cancel) -> list[OpSource]:
    """Return the definitions of the op whose name is at `offset`.

    Returns several if several files match, and none for MLIR's own ops, for a document that is not on disk,
    and if the file is not in the project.
    """
    if state.path is None:
        return []
    word = token_at(state.text, offset, state.text.rfind("\n", 0, offset) + 1)
    if word is None or word.kind not in (TokenKind.WORD, TokenKind.STRING):
        return []
    at = word.span
    if word.kind is TokenKind.STRING:
        at = Span(word.start + 1, word.end - 1)
    name = at.of(state.text)
    dialect, dot, mnemonic = name.partition(".")
    found = None if not dot or dialect in mlir_dialects() else entry(name)
    place = None if found is None else _PLACE.fullmatch(found.variants[-1].place)
    root = None if place is None else _project(state)
    if place is None or root is None:
        return []
    ranked: list[tuple[int, OpSource]] = []
    for path in _named(root, place[1], cancel):
        try:
            lines = files.read_text(path, files.MOST_OF_DUMP).split("\n")
        except OSError:
            continue  # The file is missing, too large, or not text.
        rank, line = _line(lines, int(place[2]) - 1, f'"{mnemonic}"')
        ranked.append((rank, OpSource(at, path, line)))
    best = min((rank for rank, _ in ranked), default=0)
    return [each for rank, each in ranked if rank == best]


def _project(state: FileState) -> Path | None:
    """Return the innermost folder that contains the document, its dumps and its configuration file."""
    assert state.path is not None
    named = [Path(each) for each in state.resolved.settings.dialects or ()]
    if state.resolved.config is not None:
        named.append(state.resolved.config)
    try:
        root = Path(os.path.commonpath([str(path.resolve().parent) for path in (state.path, *named)]))
    except (OSError, ValueError):  # A loop of symlinks, or different drives.
        return None
    return None if root == Path(root.anchor) else root


def _named(root: Path, name: str, cancel: Cancel) -> Iterator[Path]:
    """Yield regular files called `name` below `root`, the nearest first, without following links."""
    folders, seen, found = deque([root]), 0, 0
    while folders:
        cancel.check()
        try:
            with os.scandir(folders.popleft()) as entries:
                for each in entries:
                    seen += 1
                    if seen > MOST_ENTRIES:
                        return
                    if each.name == name and each.is_file(follow_symlinks=False):
                        yield Path(each.path)
                        found += 1
                        if found == MOST_FILES:
                            return
                    elif (
                        not each.name.startswith(".")
                        and each.name not in _SKIPPED
                        and each.is_dir(follow_symlinks=False)
                    ):
                        folders.append(Path(each.path))
        except OSError:
            continue  # The folder cannot be listed, so its files cannot be opened.


def _line(lines: list[str], recorded: int, spelling: str) -> tuple[int, int]:
    """Return `(rank, line)`, where `line` of `lines` defines an op, with certainty `rank` (0 is best).

    `recorded` is the 0-based line number in the dump, which may be outdated; `spelling` is the op's name as
    spelled in the file.
    """
    if any(spelling in line for line in lines[recorded : recorded + _NAME_BELOW]):
        return 0, recorded
    near = [number for number, line in enumerate(lines) if spelling in line]
    if near:
        return 1, min(near, key=lambda number: abs(number - recorded))
    return 2, max(0, min(recorded, len(lines) - 1))
