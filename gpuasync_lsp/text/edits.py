"""Edits of a document, and fixes, which consist of edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from gpuasync_lsp.text.span import Span


class Safety(Enum):
    """What a fix may change in the program."""

    SAFE = "safe"
    """The fix preserves the meaning of the program."""
    UNSAFE = "unsafe"
    """The fix adds or removes a wait, an ordering or a stream; its `reason` says which."""
    DISPLAY = "display"
    """The fix is shown as advice; the user applies it individually."""


MODULE = "module"
BEGIN = "begin"
END = "end"


class Edit(NamedTuple):
    """Replace `span` with `text`; an empty span means an insertion."""

    span: Span
    text: str
    within: str = ""
    """The position to which `span` is relative; empty for the start of the finding's own item.

    `@name` is the item that defines the symbol, MODULE the line that begins the closest module, BEGIN the
    start of the chunk's first item, and END the end of its last item. `Finding.gathered` makes such spans
    relative to the item, given the whole text."""

    def shift(self, offset: int) -> Edit:
        """Return this edit moved by `offset` code points; unchanged if relative to a different position."""
        return self if self.within else Edit(self.span.shift(offset), self.text)


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix: a verb phrase as title, its safety, and edits that do not overlap."""

    title: str
    safety: Safety
    edits: tuple[Edit, ...]
    reason: str = ""
    """The reason why an unsafe fix is unsafe, shown to users."""

    def shift(self, offset: int) -> Fix:
        """Return this fix moved by `offset` code points."""
        return Fix(self.title, self.safety, tuple(e.shift(offset) for e in self.edits), self.reason)

    def gathered(self, start: Callable[[str], int]) -> Fix:
        """Return this fix with all edits relative to its own item.

        `start` returns the offset of each position that `Edit.within` names."""
        return Fix(self.title, self.safety, gathered(self.edits, start), self.reason)


def gathered(edits: Iterable[Edit], start: Callable[[str], int]) -> tuple[Edit, ...]:
    """Return `edits` relative to one item; `start` maps the names in `within` to offsets."""
    return merged(Edit(e.span.shift(start(e.within)), e.text) if e.within else e for e in edits)


def merged(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return `edits` in text order, with insertions at one offset merged: some editors reorder them."""
    found: list[Edit] = []
    for edit in sorted(edits, key=lambda e: (e.within, e.span)):
        last = found[-1] if found else None
        inserts = edit.span.start == edit.span.end
        if last and inserts and last.span == edit.span and last.within == edit.within:
            edit = found.pop()._replace(text=last.text + edit.text)
        found.append(edit)
    return tuple(found)


class OverlappingEdits(ValueError):
    """Raised if two edits of one batch change the same code points."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with all `edits` applied at once; insertions at one offset keep their order.

    Raises OverlappingEdits if two edits change the same code points.
    """
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda e: e.span):
        if edit.span.start < done:
            raise OverlappingEdits(f"the edit at offset {edit.span.start} overlaps one that ends at {done}")
        parts += (text[done : edit.span.start], edit.text)
        done = edit.span.end
    return "".join(parts) + text[done:]
