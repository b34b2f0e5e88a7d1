"""How a conversion ends where it cannot go on."""

from __future__ import annotations

from xdsl.ir import Operation


class Refused(Exception):
    """A pattern does not take this op; the text is its reason."""


class LegalizationError(Exception):
    """An op had to be converted and no pattern took it: the run ends."""

    def __init__(self, op: Operation, reason: str) -> None:
        super().__init__(f"failed to legalize operation '{op.name}' that was explicitly marked illegal")
        self.op = op
        self.reason = reason
        self.diagnostics: list[str] = []
        """Errors that were printed before."""


class PassError(Exception):
    """A pattern ended the run with a message of its own, at `op`."""

    def __init__(self, op: Operation, message: str) -> None:
        super().__init__(message)
        self.op = op
        self.diagnostics: list[str] = []
        """Errors that were printed before."""
