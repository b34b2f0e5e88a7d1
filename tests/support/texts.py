"""Programs of a test module from the `.mlir` file next to it: each follows a line `//// NAME`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_NAME = re.compile(r"^//// (\w+)\n", re.MULTILINE)


def texts_beside(module: str) -> Mapping[str, str]:
    """Return the programs next to the test module with the path `__file__`, by name."""
    parts = _NAME.split(Path(module).with_suffix(".mlir").read_text("utf-8"))
    assert not parts[0].strip(), f"{module}: text before the first name"
    return dict(zip(parts[1::2], parts[2::2], strict=True))
