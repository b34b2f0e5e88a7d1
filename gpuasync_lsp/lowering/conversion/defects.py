"""Defects of this tool in a lowering: told as an error of the op that was worked on, never as a traceback."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.errors import LegalizationError, PassError
from gpuasync_lsp.syntax.provenance import source_span
from gpuasync_lsp.text.defects import defect
from gpuasync_lsp.text.effort import Cancelled, TookTooLong

logger = logging.getLogger(__name__)

_SAID = (LegalizationError, PassError, Cancelled, TookTooLong, MemoryError)
"""What a pass ends with that is no defect of it."""


class InternalError(PassError):
    """A pass met what it has no answer for."""


@contextmanager
def telling_defects(root: Operation, doing: str, *passing: type[Exception]) -> Generator[None]:
    """Raise InternalError where what is done inside, a pass on `root` called `doing`, trips.

    Where it tripped is logged. The errors of passes, those of `passing`, the end of work that takes too long
    and of memory go through."""
    try:
        yield
    except (*_SAID, *passing):
        raise
    except Exception as error:
        logger.info("%s tripped", doing, exc_info=True)
        op = _worked_on(error) or root
        raise InternalError(op, defect(f"{doing} at '{op.name}'", error)) from error


def _worked_on(error: Exception) -> Operation | None:
    """Return the op with a place in the source that the innermost of the calls has that `error` ended."""
    found: Operation | None = None
    trace = error.__traceback__
    while trace is not None:
        names: dict[str, Any] = trace.tb_frame.f_locals
        ops = [each for each in (names.get("op"), *names.values()) if isinstance(each, Operation)]
        found = next((op for op in ops if source_span(op) is not None), found)
        trace = trace.tb_next
    return found
