"""Files that commands read and write: found in folders, decoded, and written back as they were."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

STDIN = "-"
_BOM = "\ufeff"


class UnreadableSource(Exception):
    """A file that cannot be checked; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text and where it came from. Line ends are those of the file; a byte order mark is kept apart."""

    name: str
    """The path as the user wrote it, or `<stdin>`."""
    path: Path | None
    """None for standard input."""
    text: str
    bom: bool = False

    def encoded(self) -> bytes:
        """Return the bytes of the file."""
        return ((_BOM if self.bom else "") + self.text).encode("utf-8")

    def with_text(self, text: str) -> Source:
        """Return this source with another text."""
        return replace(self, text=text)


def find_sources(arguments: Iterable[str]) -> Iterator[Path | UnreadableSource]:
    """Yield the files that `arguments` name, folders searched for `*.mlir`, each file once, `-` as it is.

    Hidden folders and those that hold packages (`node_modules`) are not searched. What is missing, and a
    folder without any such file, is yielded as an error, so that the other arguments still count.
    """
    seen: set[Path] = set()
    for argument in arguments:
        if argument == STDIN or not os.path.isdir(argument):
            found = [Path(argument)]
        else:
            errors: list[OSError] = []
            found = list(_search(Path(argument), errors))
            for error in errors:
                yield UnreadableSource(f"cannot read {error.filename}: {error.strerror}")
            if not found and not errors:
                yield UnreadableSource(f"no *.mlir file in {argument}")
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


def read_source(path: Path) -> Source:
    """Return the contents of `path`, `-` being standard input. Raises UnreadableSource."""
    stdin = str(path) == STDIN
    name = "<stdin>" if stdin else str(path)
    try:
        text = (sys.stdin.buffer.read() if stdin else path.read_bytes()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{name} is not UTF-8: byte {error.start}: {error.reason}") from error
    except OSError as error:
        raise UnreadableSource(f"cannot read {name}: {error.strerror}") from error
    return Source(name, None if stdin else path, text.removeprefix(_BOM), text.startswith(_BOM))


def write_source(source: Source) -> None:
    """Write `source` back to its file at once: a reader sees the old text or the new one, never a part.

    Raises OSError.
    """
    assert source.path is not None
    path = source.path.resolve()  # a link stays a link
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(source.encoded())
        os.chmod(temporary, path.stat().st_mode)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _search(folder: Path, errors: list[OSError]) -> Iterator[Path]:
    for above, folders, files in os.walk(folder, onerror=errors.append):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "node_modules")
        yield from (Path(above, file) for file in sorted(files) if file.endswith(".mlir"))
