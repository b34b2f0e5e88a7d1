"""Containment of defects of this tool: a failure disables one op, rule or item, and is reported once.

`contained` is the only function that catches every exception. It calls code that processes a part of a
program (an op's parser and verifier, a rule, a model, a hint, a lowering pattern), with a fallback for
its result. The traceback is logged.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from gpuasync_lsp.text.effort import Cancelled, TookTooLong

P = TypeVar("P")
R = TypeVar("R")

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())  # Without any handler Python prints tracebacks on standard error.

_BEGINNING = "internal error of gpuasync-lsp"
_MOST_CALLS = 40
"""The maximum number of frames logged per traceback, innermost first: deep recursion has thousands."""
_MOST_LOGGED = 200
"""The maximum number of distinct messages for which a traceback is logged."""
_logged: set[str] = set()


def at_boundary(doing: str) -> None:
    """Do nothing; tests replace this function, which `contained` always calls, with one that raises."""


def log_to(path: str) -> None:
    """Append tracebacks to the file at `path`. Raises OSError."""
    logger.addHandler(logging.FileHandler(path, encoding="utf-8", errors="backslashreplace"))


def defect(doing: str, error: BaseException) -> str:
    """Return the message for `error`, a defect of this tool that interrupted `doing`."""
    reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:200]}".rstrip(": ")
    return (
        f"{_BEGINNING} in {doing}: {reason} "
        "(a defect of this tool, not of the program: please report it with the program)"
    )


def is_defect(message: str) -> bool:
    """Return whether a message reports a defect of this tool, and so is not about a release."""
    return message.startswith(_BEGINNING)


def contained(
    doing: str,
    work: Callable[[], R],
    otherwise: Callable[[str, Exception], R],
    *passing: type[Exception],
) -> R:
    """Return the result of `work`, or that of `otherwise` if `work` raises an exception.

    `doing` names the work, for example "rule GA101". `otherwise` gets the message and the exception,
    and may itself raise an exception that the caller expects. Cancelled, TookTooLong, the exceptions in
    `passing`, and exceptions that are not an Exception (Ctrl-C) propagate."""
    try:
        at_boundary(doing)
        return work()
    except (Cancelled, TookTooLong, *passing):
        raise
    except Exception as error:  # noqa: BLE001 - this is the boundary
        message = defect(doing, error)
        if message not in _logged and len(_logged) < _MOST_LOGGED:
            _logged.add(message)
            logger.error("%s", "".join(traceback.format_exception(error, limit=-_MOST_CALLS)))
        return otherwise(message, error)


def one_by_one(doing: str, parts: Iterable[P], work: Callable[[P], Iterable[R]]) -> Iterator[R]:
    """Yield the result of `work` for each of `parts`, skipping parts for which `work` raises an exception."""
    for part in parts:
        yield from contained(doing, lambda part=part: tuple(work(part)), lambda message, error: ())
