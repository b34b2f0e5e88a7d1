"""What a RUN line has that this tool does not do."""

from __future__ import annotations


class Unsupported(Exception):
    """A test, or a RUN line, that is not run; the message names what it has, `line` counts from 1."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.line = line
