"""The MLIR files of a workspace, and the symbols that they define."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.path_patterns import Excluding
from gpuasync_lsp.ide.features.outline import OutlineEntry, flat, outline
from gpuasync_lsp.syntax.cutter import chunk_spans
from gpuasync_lsp.syntax.source import Chunk, Item, PlacedItem, SourceFile
from gpuasync_lsp.text import files

MOST_FILES = 2_000
"""The maximum number of checked files; an LLVM checkout has ten thousand, most irrelevant to the user."""


def mlir_files(folders: Iterable[tuple[Path, Excluding]], cancel: Cancel) -> Iterator[Path]:
    """Yield the `.mlir` files below `folders` that are not excluded, each once."""
    seen = set[Path]()
    for folder, excluding in folders:
        for path in excluding.search(folder, step=cancel.check):
            if path not in seen:
                seen.add(path)
                yield path
                if len(seen) >= MOST_FILES:
                    return


def read_text(path: Path) -> str | None:
    """Return the text of a file, or None if it is not UTF-8, not a regular file, or too large."""
    try:
        return files.read_text(path, files.MOST_OF_SOURCE)
    except OSError:
        return None


def symbols_of(text: str) -> list[OutlineEntry]:
    """Return every symbol that a file defines, without parsing the file."""
    chunks: list[Chunk] = []
    for span in chunk_spans(text):
        part = span.of(text)
        placed = PlacedItem(Item.unread(part), span.start)
        chunks.append(Chunk(span, (placed,), (), "", (), ()))
    return flat(outline(SourceFile(text, tuple(chunks))))
