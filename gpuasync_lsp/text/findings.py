"""Findings: what a check says about a place in the text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from gpuasync_lsp.text.edits import Fix
from gpuasync_lsp.text.span import Span


class Severity(IntEnum):
    """How bad a finding is; the values are those of the Language Server Protocol."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a finding."""

    span: Span
    message: str
    item: object | None = None
    """The item that `span` is relative to, where it is not the finding's own."""

    def shift(self, offset: int) -> Related:
        """Return this place moved by `offset` code points, now relative to the finding's text."""
        return Related(self.span.shift(offset), self.message)


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnosis: a rule's code and name, a place, a message of two lines at most, and fixes."""

    code: str
    name: str
    severity: Severity
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    tags: tuple[str, ...] = ()
    """`unnecessary` or `deprecated`, as editors fade or strike through."""

    def shift(self, offset: int) -> Finding:
        """Return this finding moved by `offset` code points (related places of other items stay)."""
        return replace(
            self,
            span=self.span.shift(offset),
            related=tuple(r if r.item is not None else r.shift(offset) for r in self.related),
            fixes=tuple(f.shift(offset) for f in self.fixes),
        )
