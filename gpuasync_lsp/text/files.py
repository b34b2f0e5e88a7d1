"""Reads files from workspaces: regular files only, with a size limit."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MOST_OF_SOURCE = 64 * 2**20
"""The maximum size of an MLIR file in bytes, about ten million lines."""
MOST_OF_SETTINGS = 128 * 2**10
"""The maximum size of a configuration file in bytes."""
MOST_OF_IRDL = 2**20
"""The maximum size of an IRDL file in bytes."""
MOST_OF_DUMP = 8 * 2**20
"""The maximum size of a TableGen file or dump in bytes; nvvm's dump, MLIR's largest, has four million."""
MOST_OF_ARRAY = 2**30
"""The maximum size of a file that contains an array argument of `run`, in bytes."""

_PART = 2**20


class NotReadable(OSError):
    """Raised for a file that this tool rejects although the system can read it; `strerror` is the reason."""

    def __init__(self, why: str) -> None:
        super().__init__(None, why)

    def __str__(self) -> str:
        return str(self.strerror)


def read_file(path: Path, most: int) -> bytes:
    """Return the contents of the regular file at `path`, if they are at most `most` bytes.

    Raises OSError if the system cannot read the file. Raises NotReadable, without blocking, for a folder,
    pipe, device or larger file, since a link in a workspace may point to anything.
    """
    _must_be_regular(os.stat(path).st_mode)  # Merely opening a device may have side effects.
    # Do not block if the path has become a pipe in the meantime.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        _must_be_regular(os.fstat(handle).st_mode)
        parts: list[bytes] = []
        left = most + 1
        # Not `read(left)`, which allocates that much memory first.
        while left > 0 and (part := file.read(min(left, _PART))):
            parts.append(part)
            left -= len(part)
    if left == 0:
        raise NotReadable(f"it is larger than the limit of {_size(most)}")
    return b"".join(parts)


def read_text(path: Path, most: int) -> str:
    """Return the UTF-8 text of the regular file at `path`, with its line ends, without its byte order mark.

    Raises the exceptions of `read_file`, and NotReadable if the contents are not UTF-8.
    """
    data = read_file(path, most)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotReadable(f"it is not UTF-8: byte {error.start}: {error.reason}") from error


def links_outside(path: Path, folder: Path) -> bool:
    """Return whether `path`, found below `folder`, is a broken link, or a link out of `folder`.

    A search of a folder that the user does not control skips such links: otherwise it could read or fix
    any file."""
    if not path.is_symlink():
        return False
    try:
        return not path.resolve(strict=True).is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # A dangling link, or a cycle of links.
        return True


def _must_be_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotReadable("it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file")


def _size(count: int) -> str:
    return f"{count // 2**20} MiB" if count >= 2**20 else f"{count // 2**10} KiB"
