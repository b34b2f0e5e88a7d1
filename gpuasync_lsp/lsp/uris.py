"""Conversion between document URIs and paths."""

from __future__ import annotations

import os
from pathlib import Path

from pygls.uris import from_fs_path, to_fs_path


def path_of(uri: str) -> Path | None:
    """Return the path of a `file:` URI; None if the URI does not refer to a file."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
        if not path or "\0" in path or any(len(os.fsencode(part)) > 255 for part in path.split("/")):
            return None
    except ValueError:
        return None
    return Path(path) if os.path.isabs(path) and len(path) < 4096 else None


def uri_of(path: Path) -> str:
    """Return the `file:` URI of an absolute path, which need not be valid UTF-8."""
    try:
        return from_fs_path(str(path)) or path.as_uri()
    except UnicodeEncodeError:
        return path.as_uri()
