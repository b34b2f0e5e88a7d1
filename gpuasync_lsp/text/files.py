"""Reads files that a workspace holds or names: regular files only, and no more than a limit of each."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MOST_OF_SOURCE = 64 * 2**20
"""Bytes of a file of MLIR. Ten million lines are no program that somebody edits."""
MOST_OF_SETTINGS = 128 * 2**10
"""Bytes of a configuration file."""
MOST_OF_IRDL = 2**20
"""Bytes of an IRDL file."""
MOST_OF_DUMP = 8 * 2**20
"""Bytes of a TableGen dump; that of the nvvm dialect, the largest of MLIR, has four million."""
MOST_OF_ARRAY = 2**30
"""Bytes of an array that a run takes from a file."""

_PART = 2**20


class NotReadable(OSError):
    """A file that is not read, though the system would; `strerror` says why."""

    def __init__(self, why: str) -> None:
        super().__init__(None, why)

    def __str__(self) -> str:
        return str(self.strerror)


def read_file(path: Path, most: int) -> bytes:
    """Return the bytes of the regular file at `path`, of which there are at most `most`.

    Raises OSError where the system cannot read it, and NotReadable, at once, where it is a folder, a pipe, a
    device, or larger: a link in a workspace may lead to anything.
    """
    _must_be_regular(os.stat(path).st_mode)  # opening a device may do something already
    # What became a pipe since then is not waited for.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        _must_be_regular(os.fstat(handle).st_mode)
        parts: list[bytes] = []
        left = most + 1
        # Not `read(left)`, which takes that much memory first.
        while left > 0 and (part := file.read(min(left, _PART))):
            parts.append(part)
            left -= len(part)
    if left == 0:
        raise NotReadable(f"it is larger than {_size(most)}, the most that is read")
    return b"".join(parts)


def read_text(path: Path, most: int) -> str:
    """Return the UTF-8 text of the regular file at `path`, without a byte order mark, line ends as they are.

    Raises what `read_file` raises, and NotReadable where it is not UTF-8.
    """
    data = read_file(path, most)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotReadable(f"it is not UTF-8: byte {error.start}: {error.reason}") from error


def leads_out(path: Path, folder: Path) -> bool:
    """Return whether `path`, found below `folder`, is a link to what is not below it, or to nothing.

    Whoever searches a folder of somebody else's skips these: to read or repair them would reach any file."""
    if not path.is_symlink():
        return False
    try:
        return not path.resolve(strict=True).is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a link to nothing, or in a cycle
        return True


def _must_be_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotReadable("it is a folder" if stat.S_ISDIR(mode) else "it is no regular file")


def _size(count: int) -> str:
    return f"{count // 2**20} MiB" if count >= 2**20 else f"{count // 2**10} KiB"
