"""Findings of checks, with locations in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum

from gpuasync_lsp.text.edits import Fix
from gpuasync_lsp.text.span import Span


class Severity(IntEnum):
    """The severity of a finding; the values are those of the Language Server Protocol."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


@dataclass(frozen=True, slots=True)
class Related:
    """Another location in the text that a finding refers to."""

    span: Span
    message: str
    within: str = ""
    """The position to which `span` is relative; see `Edit.within`."""

    def shift(self, offset: int) -> Related:
        """Return this location moved by `offset` code points; unchanged if relative to another item."""
        return self if self.within else Related(self.span.shift(offset), self.message)


_MOST_OF_A_MESSAGE = 4000
"""The maximum length of a message in characters: a type in it may be as long as the whole file."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosis: a rule's code and name, a location, a message of two lines at most, and fixes."""

    code: str
    name: str
    severity: Severity
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    tags: tuple[str, ...] = ()
    """`unnecessary` or `deprecated`, which editors show faded or struck through."""

    def __post_init__(self) -> None:
        """Shorten a message that contains a very long name from the text."""
        if len(self.message) > _MOST_OF_A_MESSAGE:
            object.__setattr__(self, "message", self.message[:_MOST_OF_A_MESSAGE] + "...")

    def shift(self, offset: int) -> Finding:
        """Return this finding moved by `offset` code points, except for locations relative to other items."""
        return Finding(
            self.code,
            self.name,
            self.severity,
            self.span.shift(offset),
            self.message,
            tuple([r.shift(offset) for r in self.related]),
            tuple([f.shift(offset) for f in self.fixes]),
            self.tags,
        )

    @property
    def is_scattered(self) -> bool:
        """Whether a location in the finding or in its fixes is relative to a different item."""
        return any(r.within for r in self.related) or any(e.within for f in self.fixes for e in f.edits)

    def gathered(self, start: Callable[[str], int]) -> Finding:
        """Return this finding with all locations relative to its own item.

        `start` returns the offset of each position that `Edit.within` names."""
        related = tuple(
            Related(r.span.shift(start(r.within)), r.message) if r.within else r for r in self.related
        )
        return replace(self, related=related, fixes=tuple(fix.gathered(start) for fix in self.fixes))


def in_text_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return `findings` sorted by span, then by code."""
    return tuple(sorted(findings, key=lambda f: (f.span, f.code)))
