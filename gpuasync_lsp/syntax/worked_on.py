"""Finds the op that was being processed when an exception was raised, from its traceback."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation


def worked_on(error: Exception, has_place: Callable[[Operation], bool]) -> Operation | None:
    """Return an op for which `has_place` holds, from the innermost stack frame of `error` with such an op."""
    found: Operation | None = None
    trace = error.__traceback__
    while trace is not None:
        names: dict[str, object] = trace.tb_frame.f_locals
        ops = [each for each in (names.get("op"), *names.values()) if isinstance(each, Operation)]
        found = next((op for op in ops if has_place(op)), found)
        trace = trace.tb_next
    return found
