"""Pages of the rules on disk, for clients that cannot open virtual documents."""

from __future__ import annotations

from pathlib import Path

import gpuasync_lsp

_PACKAGE = Path(gpuasync_lsp.__file__).parent
_FOLDERS = (_PACKAGE / "rule_pages", _PACKAGE.parent / "docs" / "rules")
"""The folders with the pages: in an installed package (the wheel includes them), and in a checkout."""


def rule_page(code: str) -> Path | None:
    """Return the page of a rule, `GA101.md`, or None if the pages are not installed."""
    return next((page for folder in _FOLDERS if (page := folder / f"{code}.md").is_file()), None)
