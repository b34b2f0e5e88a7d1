"""Features of RUN lines that this tool does not support."""

from __future__ import annotations


class Unsupported(Exception):
    """A test, or a RUN line, that is not run; the message names the feature, `line` counts from 1."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.line = line
