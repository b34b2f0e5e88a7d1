"""Errors of conversions."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation

from gpuasync_lsp.syntax.crashes import Crash, known_crash, rejected_launch


class MatchFailure(Exception):
    """A pattern does not match an op; the message is the reason."""


class LegalizationError(Exception):
    """No pattern converts an illegal op: the pass fails."""

    def __init__(self, op: Operation, reason: str) -> None:
        super().__init__(f"failed to legalize operation '{op.name}' that was explicitly marked illegal")
        self.op = op
        self.reason = reason
        self.diagnostics: list[str] = []
        """Messages reported before this error."""


OWN = "this tool "
"""The first words of a failure reason that concerns this tool rather than the release."""


class PassError(Exception):
    """The pass fails with an error message at `op`."""

    def __init__(self, op: Operation, message: str) -> None:
        super().__init__(message)
        self.op = op
        self.diagnostics: list[str] = []
        """Messages reported before this error."""


class OwnLimit(PassError):
    """The release supports `op`, but this tool's pass does not."""


def own_limit(error: LegalizationError) -> Exception:
    """Convert an error to an OwnLimit if its reason concerns this tool."""
    if not error.reason.startswith(OWN):
        return error
    return OwnLimit(error.op, f"{error.op.name}: {error.reason}")


class PassCrash(PassError):
    """A pass of the release crashes at `op`."""

    def __init__(self, op: Operation, crash: Crash) -> None:
        super().__init__(op, crash.words)
        self.advice = crash.advice


def stop_where_known(root: Operation, name: str, pipeline: Collection[str], version: int) -> None:
    """Raise PassCrash or PassError if the pass `name` of LLVM `version` is known to crash or fail on `root`.

    `pipeline` lists the names of all passes in the pipeline."""
    if (crash := known_crash(root, name, pipeline, version)) is not None:
        raise PassCrash(*crash)
    if (rejected := rejected_launch(root, name, version)) is not None:
        raise PassError(*rejected)
