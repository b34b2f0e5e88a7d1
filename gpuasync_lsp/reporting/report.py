"""The input of the output formats: findings per file, errors, and information about rules."""

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
    """The identity of a finding, unaffected by moved lines; used by baselines and code scanning."""

    file: str
    rule: str
    function: str
    """The nearest symbol defined above the finding, with its `@`; empty if there is none."""
    text: str
    """The source line of the finding, with whitespace normalized."""
    occurrence: int = 0
    """The number of earlier findings in the file with the same rule, function and text."""

    @property
    def fingerprint(self) -> str:
        """A short hash of the identity and the file name."""
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
    """Maps each finding to the (file, line, column) of its op's `loc(...)`, then of its call sites."""
    index: LineIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", LineIndex(self.text))

    def start(self, span: Span) -> tuple[int, int]:
        """Return the 1-based line and column of the start of `span`."""
        return self._from_one(span.start)

    def end(self, span: Span) -> tuple[int, int]:
        """Return the 1-based line and column of the end of `span`."""
        return self._from_one(span.end)

    def line(self, finding: Finding) -> str:
        """Return the source line at the start of `finding`, without its line end."""
        return self.index.line_text(self.index.position(finding.span.start)[0])

    def identities(self) -> list[Identity]:
        """Return the identity of each finding, in order."""
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
        """Return the symbol definitions in a source file, each as the start of its line and the symbol."""
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
    """An error other than a finding: an unreadable file or an invalid setting."""

    message: str
    file: str = ""
    """The file; empty if the error is not about a file."""
    line: int = 0
    """The 1-based line; 0 for the file as a whole."""
    is_setting: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """Information about a rule for the output formats."""

    code: str
    name: str
    severity: Severity
    summary: str
    """The first sentence of the rule's documentation."""
    help: str
    """The rule's whole documentation, as Markdown."""
    uri: str = ""
    """The URI of the rule's page; empty if the pages are not installed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The complete input of an output format."""

    reports: Sequence[FileReport]
    rules: Sequence[RuleInfo] = ()
    mistakes: Sequence[Mistake] = ()

    def written(
        self, write: Callable[[FileReport, Finding, Identity], W]
    ) -> tuple[list[W], Sequence[Mistake]]:
        """Call `write` for each finding; return its results, and all errors, including those that it
        raises."""
        mistakes = list(self.mistakes)

        def one(entry: tuple[FileReport, Finding, Identity]) -> list[W]:
            def warn(message: str, error: Exception) -> list[W]:
                mistakes.append(Mistake(message, entry[0].file))
                return []

            return contained("reporting a finding", lambda: [write(*entry)], warn)

        entries = [
            (report, finding, identity)
            for report in self.reports
            for finding, identity in zip(report.findings, report.identities(), strict=True)
        ]
        return [each for entry in entries for each in one(entry)], mistakes
