"""Features of RUN lines that this tool does not support."""

from __future__ import annotations


class Unsupported(Exception):
    """Raised for a test or RUN line that cannot be run; the message names the feature, `line` is 1-based."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.line = line
