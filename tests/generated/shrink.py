"""Reduces a program while it still shows a disagreement."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.syntax.source import parse_source
from tests.generated.agreement import compare
from tests.generated.programs import Program, smaller
from tests.generated.real import lower_all

Shows = Callable[[list[Program]], list[bool]]
"""Returns for each of several programs whether it shows the disagreement."""


def shrink(program: Program, shows: Shows) -> Program:
    """Return a program from which no further node can be removed."""
    while True:
        valid = [p for p in smaller(program) if not parse_source(p.text(22)).problems()]
        shown = [p for p, yes in zip(valid, shows(valid), strict=True) if yes] if valid else []
        if not shown:
            return program
        program = min(shown, key=lambda p: p.size)


def same_difference(version: int, difference: str) -> Shows:
    """Return a test for the same kind of disagreement between rules and lowered code, at any line."""
    kind = difference.rsplit(" ", 1)[0]

    def shows(programs: list[Program]) -> list[bool]:
        lowered = lower_all(version, programs)
        found = [
            compare(p.text(version), version, low).differences
            for p, low in zip(programs, lowered, strict=True)
        ]
        return [any(d.rsplit(" ", 1)[0] == kind for d in differences) for differences in found]

    return shows
