"""How a conversion ends where it cannot go on."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation

from gpuasync_lsp.syntax.crashes import Crash, known_crash, rejected_launch


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


class OwnLimit(PassError):
    """A pass of this tool does not do at `op` what the release does."""


class PassCrash(PassError):
    """A pass of the release crashes at `op`."""

    def __init__(self, op: Operation, crash: Crash) -> None:
        super().__init__(op, crash.words)
        self.advice = crash.advice


def stop_where_known(root: Operation, name: str, pipeline: Collection[str], version: int) -> None:
    """Raise PassCrash or PassError where the pass `name` of LLVM `version` is known to end so on `root`.

    `pipeline` has the names of all passes of the run."""
    if (crash := known_crash(root, name, pipeline, version)) is not None:
        raise PassCrash(*crash)
    if (rejected := rejected_launch(root, name, version)) is not None:
        raise PassError(*rejected)
