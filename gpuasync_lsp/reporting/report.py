"""What the output formats are given: the findings of one file, and what is known about the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gpuasync_lsp.text import Finding, LineIndex, Severity, Span


@dataclass(frozen=True)
class FileReport:
    """One checked file; spans of `findings` are offsets into `text`."""

    file: str
    """The path as the user wrote it, or `<stdin>`."""
    text: str
    llvm: int
    findings: Sequence[Finding]
    index: LineIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", LineIndex(self.text))

    def start(self, span: Span) -> tuple[int, int]:
        """Return the line and column of the first code point of `span`, both from 1."""
        return self._from_one(span.start)

    def end(self, span: Span) -> tuple[int, int]:
        """Return the line and column behind the last code point of `span`, both from 1."""
        return self._from_one(span.end)

    def _from_one(self, offset: int) -> tuple[int, int]:
        line, column = self.index.position(offset)
        return line + 1, column + 1


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What a format may say about a rule besides its findings."""

    code: str
    name: str
    severity: Severity
    summary: str
    """The first sentence of the rule's documentation."""
    help: str
    """The whole documentation, as Markdown."""
