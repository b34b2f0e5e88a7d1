"""Reads and writes files: searches folders, decodes text, and writes it back with the same encoding."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gpuasync_lsp.output import print_text

if TYPE_CHECKING:
    from gpuasync_lsp.ide.document.path_patterns import Excluding

STDIN = "-"
_BOM = "\ufeff"


class UnreadableSource(Exception):
    """Raised for a file that cannot be read; the message names it and the reason."""

    def __init__(self, message: str, file: str = "") -> None:
        super().__init__(message)
        self.file = file
        """The path as the user wrote it; empty if the error is not about a file."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file and its contents. `text` has the file's line ends, but not its byte order mark."""

    name: str
    """The path as the user wrote it, with `/`, or `<stdin>`."""
    path: Path | None
    """The path of the file; None for standard input."""
    text: str
    bom: bool = False

    def encoded(self) -> bytes:
        """Return the text as UTF-8, with the byte order mark if the file has one."""
        return ((_BOM if self.bom else "") + self.text).encode("utf-8")

    def with_text(self, text: str) -> Source:
        """Return this source with a different text."""
        return replace(self, text=text)


def find_sources(
    arguments: Iterable[str],
    excluding: Excluding | None = None,
    *,
    force: bool = False,
    stdin: Path | None = None,
) -> Iterator[Path | UnreadableSource]:
    """Yield the files that `arguments` name, each once; folders are searched for `*.mlir`.

    `@list` means the lines of the file `list`, and `-` standard input, which contains the file `stdin`.
    `excluding` decides which paths a search skips (by default the configuration files decide); with
    `force`, it also applies to paths named by arguments. An unreadable file is yielded as an error, so that
    the remaining files are still processed.
    """
    if excluding is None:
        from gpuasync_lsp.ide.document.config_files import user_config
        from gpuasync_lsp.ide.document.targets import SettingsResolver

        excluding = SettingsResolver(user=user_config()).excluding()
    seen: set[Path] = set()
    for argument in _with_lists(arguments):
        if isinstance(argument, UnreadableSource):
            yield argument
            continue
        if not argument:  # From an unset shell variable; Path("") would be the current folder.
            yield UnreadableSource("cannot read '': the name is empty")
            continue
        path = Path(argument)
        named = stdin if argument == STDIN else path
        if force and named is not None and excluding.leaves_out(named):
            continue
        found, errors = iter([path]), list[OSError]()
        if argument != STDIN and path.is_dir():
            found = excluding.search(path, errors.append, skip=_report_skipped)
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file
        for error in errors:
            name = Path(error.filename).as_posix()
            yield UnreadableSource(f"cannot read {name}: {error.strerror}", name)


def _report_skipped(path: Path) -> None:
    print_text(
        f"gpuasync-lsp: note: {path} is skipped: it links to a location outside the folder", error=True
    )


def _with_lists(arguments: Iterable[str]) -> Iterator[str | UnreadableSource]:
    """Yield the arguments with each `@list` replaced by the lines of the file `list`, unless `@list` is a
    file."""
    from gpuasync_lsp.text.files import MOST_OF_SOURCE, read_text

    for argument in arguments:
        if not argument.startswith("@") or os.path.exists(argument):
            yield argument
            continue
        try:
            yield from filter(None, read_text(Path(argument[1:]), MOST_OF_SOURCE).splitlines())
        except (OSError, ValueError) as error:
            yield UnreadableSource(f"cannot read the list {argument[1:]}: {_reason(error)}", argument[1:])


def read_source(path: Path, stdin_name: Path | None = None) -> Source:
    """Return the contents of `path`; `-` is standard input, whose contents are those of `stdin_name`.

    Raises UnreadableSource."""
    stdin = str(path) == STDIN
    name = (stdin_name.as_posix() if stdin_name else "<stdin>") if stdin else path.as_posix()
    try:
        data = _standard_input() if stdin else _read(path)
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{name} is not UTF-8: byte {error.start}: {error.reason}", name) from error
    except (OSError, ValueError) as error:
        raise UnreadableSource(f"cannot read {name}: {_reason(error)}", name) from error
    return Source(name, None if stdin else path, text.removeprefix(_BOM), text.startswith(_BOM))


def _read(path: Path) -> bytes:
    from gpuasync_lsp.text.files import MOST_OF_SOURCE, read_file

    return read_file(path, MOST_OF_SOURCE)


def _standard_input() -> bytes:
    from gpuasync_lsp.text.files import MOST_OF_SOURCE, NotReadable

    data = sys.stdin.buffer.read(MOST_OF_SOURCE + 1)
    if len(data) > MOST_OF_SOURCE:
        raise NotReadable(f"it is larger than the limit of {MOST_OF_SOURCE} bytes")
    return data


def lines_of(text: str) -> list[str]:
    """Return the lines of `text` with their line ends, split like `patch` splits them.

    `str.splitlines` would also break at form feeds and U+2028.
    """
    return list(io.StringIO(text, newline="\n"))


class NotWritten(Exception):
    """Raised for a file that cannot be written; the message names it and the reason."""


def write_source(source: Source, text: str) -> Source:
    """Write `text` to the file of `source`; return the new source.

    Owner, mode and links are preserved. The file is replaced atomically or, if it has several names or a
    different owner, overwritten in place. Raises NotWritten if the file cannot be written, is read-only, or
    has changed since it was read.
    """
    assert source.path is not None
    written = source.with_text(text)
    path = source.path.resolve()  # So that a link remains a link.
    try:
        state = path.stat()
        # Root could write a read-only file, but the user has protected it.
        if not state.st_mode & 0o222 or not os.access(path, os.W_OK):
            raise NotWritten(f"cannot write {source.name}: it is read-only")
        if not _replace(path, state, source, written.encoded()):
            _write_in_place(path, source, written.encoded())
    except (OSError, UnicodeEncodeError) as error:
        raise NotWritten(f"cannot write {source.name}: {_reason(error)}") from error
    return written


def _replace(path: Path, state: os.stat_result, source: Source, data: bytes) -> bool:
    """Replace the file atomically; return False if it would lose its owner or a hard link."""
    if state.st_nlink > 1 or not os.access(path.parent, os.W_OK) or _has_attributes(path):
        return False
    import tempfile

    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            new = os.fstat(handle)
            if (new.st_uid, new.st_gid) != (state.st_uid, state.st_gid):
                os.unlink(temporary)
                return False
            file.write(data)
            file.flush()
            os.fsync(handle)
        os.chmod(temporary, stat.S_IMODE(state.st_mode))
        _compare(_read(path), source)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    return True


def _has_attributes(path: Path) -> bool:
    # These include access control lists. The system sets the attributes of its security module itself.
    if not hasattr(os, "listxattr"):
        return False
    return any(not name.startswith("security.") for name in os.listxattr(path))


def _write_in_place(path: Path, source: Source, data: bytes) -> None:
    with open(path, "r+b") as file:
        old = file.read(len(source.encoded()) + 1)
        _compare(old, source)
        try:
            # A full disk fails here, before the old contents are lost.
            if hasattr(os, "posix_fallocate") and data:
                os.posix_fallocate(file.fileno(), 0, len(data))
            file.seek(0)
            file.write(data)
            file.flush()
            file.truncate(len(data))
        except BaseException:
            with suppress(OSError):
                file.seek(0)
                file.write(old)
                file.flush()
            os.truncate(path, len(old))
            raise


def _compare(found: bytes, source: Source) -> None:
    if found != source.encoded():
        raise NotWritten(f"{source.name} changed in the meantime and was not written; check it again")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
