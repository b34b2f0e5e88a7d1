"""Reports a defect of this tool in a pass as an error at the current op, never as a traceback."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.errors import LegalizationError, OwnLimit, PassError
from gpuasync_lsp.syntax.provenance import source_span
from gpuasync_lsp.syntax.worked_on import worked_on
from gpuasync_lsp.text.defects import contained, defect

R = TypeVar("R")

INTENTIONAL = (LegalizationError, PassError)
"""Errors that a pass raises intentionally."""


class InternalError(OwnLimit):
    """A defect of this tool in a pass."""


def reporting_defects(root: Operation, doing: str, work: Callable[[], R], *passing: type[Exception]) -> R:
    """Return the result of `work`, which runs a pass on `root`; raise InternalError if the pass has a defect.

    `doing` describes the pass in the message. Errors that passes raise intentionally, those in `passing`, and
    the exception that stops a pass after too much work are raised unchanged."""

    def report(_message: str, error: Exception) -> NoReturn:
        op = worked_on(error, lambda each: source_span(each) is not None) or root
        raise InternalError(op, defect(f"{doing} at '{op.name}'", error)) from error

    return contained(doing, work, report, *INTENTIONAL, *passing)
