"""Links in the text: locations that name a file, and kernels that a launch refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuasync_lsp.ide.document.origins import named_file
from gpuasync_lsp.ide.lookup.symbols import by_path, references, resolve
from gpuasync_lsp.syntax.source import SourceFile
from gpuasync_lsp.text import Span

_FILE_LOCATION = re.compile(r'loc\("(?P<file>[^"\n]+)":(?P<line>\d+):(?P<column>\d+)')


@dataclass(frozen=True, slots=True)
class Link:
    """A span that links to a file or to another span of this file."""

    span: Span
    tooltip: str
    path: Path | None = None
    line: int = 0
    """The 1-based line in the file `path`."""
    column: int = 0
    target: Span | None = None
    """A span of this file, if there is no `path`."""


def links(source: SourceFile, folder: Path | None) -> Iterator[Link]:
    """Yield the links of a file; file names in locations are relative to `folder`."""
    if 'loc("' in source.text:
        for match in _FILE_LOCATION.finditer(source.text):
            path = named_file(match["file"], folder)
            if path is not None:
                span = Span(match.start("file"), match.end("file"))
                yield Link(span, f"Open {path.name}", path, int(match["line"]), int(match["column"]))
    for chunk in source.chunks:
        known = by_path(chunk)
        for reference in references(chunk):
            if reference.defines or len(reference.path) < 2:
                continue
            definition = resolve(known, reference)
            if definition is not None:
                yield Link(reference.span, f"Go to @{definition.path[-1]}", target=definition.name)
