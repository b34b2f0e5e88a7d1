"""One analysed version of one text: what every editor feature works on.

Only what an edit touched is parsed and checked again: items carry their results along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gpuasync_lsp.analysis import AsyncFunction, FileContext, analyze
from gpuasync_lsp.ide.checker import Checker, ItemFindings
from gpuasync_lsp.ide.contexts import ChunkContexts
from gpuasync_lsp.ide.targets import Resolved, SettingsResolver
from gpuasync_lsp.ide.text_diff import changed_range
from gpuasync_lsp.profiles import Profile, profile
from gpuasync_lsp.syntax.source import Change, PlacedItem, SourceFile, parse_source
from gpuasync_lsp.text import Finding, LineIndex


@dataclass(frozen=True, eq=False)
class FileState:
    """A text, its syntax, its settings and its findings."""

    lines: LineIndex
    path: Path | None
    resolved: Resolved
    source: SourceFile
    checker: Checker
    findings: tuple[ItemFindings, ...]
    """Findings item by item, relative to the item."""
    chunk_contexts: Sequence[ChunkContexts]

    @property
    def text(self) -> str:
        """The whole text."""
        return self.lines.text

    @property
    def profile(self) -> Profile:
        """The facts of the LLVM version that the file is meant for."""
        return profile(self.resolved.target.version)

    def all_findings(self) -> list[Finding]:
        """Return every finding with its place in the text."""
        return [finding.shift(group.offset) for group in self.findings for finding in group.findings]

    @cached_property
    def contexts(self) -> dict[int, FileContext]:
        """What each item must know of its chunk, by the item's offset."""
        return {
            placed.offset: context
            for chunk, contexts in self.chunk_contexts
            for placed, context in zip(chunk.items, contexts, strict=True)
        }

    def models(self, placed: PlacedItem, facts: Profile | None = None) -> list[AsyncFunction]:
        """Return the async models of an item's functions; `facts` replaces the file's LLVM version."""
        return analyze(placed.item, self.contexts[placed.offset], facts or self.profile)


def file_state(
    lines: LineIndex, path: Path | None, resolver: SettingsResolver, previous: FileState | None = None
) -> FileState:
    """Analyse a text; `previous` is any earlier state, whose unchanged items are taken over."""
    text = lines.text
    resolved = resolver.resolve(path, text)
    if previous is None:
        source = parse_source(text)
    elif previous.text is text:
        source = previous.source
    else:
        source = parse_source(text, previous.source, Change(*changed_range(previous.text, text)))
    if previous is not None and previous.resolved == resolved:
        checker = previous.checker
    else:
        checker = Checker(resolved)
    contexts = checker.contexts.of(source)
    findings = checker.check_source(source, contexts)
    return FileState(lines, path, resolved, source, checker, findings, contexts)
