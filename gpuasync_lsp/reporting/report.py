"""What the output formats are given: findings file by file, what went wrong, and facts about the rules."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple, TypeVar

from gpuasync_lsp.text import Finding, LineIndex, Severity, Span
from gpuasync_lsp.text.cached_property import cached_property
from gpuasync_lsp.text.defects import contained

W = TypeVar("W")


class Identity(NamedTuple):
    """What stays the same of a finding while lines move: how a baseline and code scanning know it again."""

    file: str
    rule: str
    function: str
    """The nearest symbol defined above the finding, with its `@`; empty before the first one."""
    text: str
    """The source line of the finding, with runs of blanks as one."""
    occurrence: int = 0
    """How many findings of the file before this one have the same rule, function and text."""

    @property
    def fingerprint(self) -> str:
        """A short hash of it, the file's name included."""
        return sha256("\0".join(map(str, self)).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True)
class FileReport:
    """One checked file; spans of `findings` are offsets into `text`."""

    file: str
    """The path as the user wrote it, with `/`, or `<stdin>`."""
    text: str
    llvm: int
    findings: Sequence[Finding]
    origins: Mapping[Finding, Sequence[tuple[str, int, int]]] = field(
        default_factory=dict[Finding, Sequence[tuple[str, int, int]]]
    )
    """Where the op of a finding says that it is from: file, line, column, then the calls that led there."""
    index: LineIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", LineIndex(self.text))

    def start(self, span: Span) -> tuple[int, int]:
        """Return the line and column of the first code point of `span`, both from 1."""
        return self._from_one(span.start)

    def end(self, span: Span) -> tuple[int, int]:
        """Return the line and column after the last code point of `span`, both from 1."""
        return self._from_one(span.end)

    def line(self, finding: Finding) -> str:
        """Return the source line in which `finding` begins, without its end."""
        return self.index.line_text(self.index.position(finding.span.start)[0])

    def identities(self) -> list[Identity]:
        """Return the identity of each finding, in their order."""
        seen: Counter[Identity] = Counter()
        found: list[Identity] = []
        for finding in self.findings:
            line = " ".join(self.line(finding).split())
            identity = Identity(self.file, finding.code, self._function(finding.span.start), line)
            found.append(identity._replace(occurrence=seen[identity]))
            seen[identity] += 1
        return found

    def _function(self, offset: int) -> str:
        at = bisect_right(self._symbols, offset, key=lambda symbol: symbol[0])
        return self._symbols[at - 1][1] if at else ""

    @cached_property
    def _symbols(self) -> list[tuple[int, str]]:
        """Where the line of each definition of a symbol begins, and its name."""
        return [(m.start(), "@" + (m["name"] or m["generic"])) for m in _SYMBOL.finditer(self.text)]

    def _from_one(self, offset: int) -> tuple[int, int]:
        line, column = self.index.position(offset)
        return line + 1, column + 1


_SYMBOL = re.compile(
    r"^[ \t]*(?:"
    r"[\w.]*\b(?:func|module)(?![\w.])[^@\n\"=]{0,80}@(?P<name>\"[^\"\n]*\"|[\w$.-]+)"
    r"|\"[\w.]+\"[^\n]{0,2000}?\bsym_name = \"(?P<generic>[^\"\n]*)\")",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something besides findings: a file that is not checked, or a setting that cannot be used."""

    message: str
    file: str = ""
    """Empty where it is about no file."""
    line: int = 0
    """From 1; 0 for the file as a whole."""
    is_setting: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else self.message


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
    uri: str = ""
    """Where its page is; empty where the pages are not installed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that a report is made of."""

    reports: Sequence[FileReport]
    rules: Sequence[RuleInfo] = ()
    mistakes: Sequence[Mistake] = ()

    def written(
        self, write: Callable[[FileReport, Finding, Identity], W]
    ) -> tuple[list[W], Sequence[Mistake]]:
        """Return what `write` makes of each finding, and the mistakes, among which are those of `write`."""
        mistakes = list(self.mistakes)

        def one(entry: tuple[FileReport, Finding, Identity]) -> list[W]:
            def tell(message: str, error: Exception) -> list[W]:
                mistakes.append(Mistake(message, entry[0].file))
                return []

            return contained("reporting a finding", lambda: [write(*entry)], tell)

        entries = [
            (report, finding, identity)
            for report in self.reports
            for finding, identity in zip(report.findings, report.identities(), strict=True)
        ]
        return [each for entry in entries for each in one(entry)], mistakes
