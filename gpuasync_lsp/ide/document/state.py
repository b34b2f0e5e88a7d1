"""An analyzed version of one document, on which all editor features work.

Only edited parts are parsed and checked again; other items keep their results. A large document is read in
steps after it is opened, visible parts first, so that other requests get a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from gpuasync_lsp.analysis import (
    SAY_ERRORS,
    AsyncFunction,
    FileContext,
    analyze,
    analyze_for_other,
    rejections,
)
from gpuasync_lsp.ide.document.checker import LARGE_ITEM, Checker, ItemFindings, touches
from gpuasync_lsp.ide.document.contexts import ChunkContexts
from gpuasync_lsp.ide.document.fix_all import Repairs
from gpuasync_lsp.ide.document.reader import STEP, Reader, distance, needed
from gpuasync_lsp.ide.document.sections_shown import is_dump, shown_sections
from gpuasync_lsp.ide.document.targets import Resolved, SettingsResolver
from gpuasync_lsp.ide.document.text_diff import changed_range
from gpuasync_lsp.releases import Profile, profile
from gpuasync_lsp.syntax.source import Change, Item, PlacedItem, SourceFile, cut_source
from gpuasync_lsp.text import Finding, LineIndex, Related, Span
from gpuasync_lsp.text.cached_property import cached_property
from gpuasync_lsp.text.collector import no_collection
from gpuasync_lsp.text.effort import Cancelled


@dataclass(frozen=True, eq=False)
class FileState:
    """A document, its syntax, its settings and its findings."""

    lines: LineIndex
    path: Path | None
    resolved: Resolved
    source: SourceFile
    checker: Checker
    given: tuple[ItemFindings, ...] | None
    """The findings; None if they were not computed."""
    chunk_contexts: Sequence[ChunkContexts]
    shown: tuple[Span, ...] | None = None
    """The sections of a large IR dump whose findings are computed; others follow once they are visible.

    None for any other document."""
    waiting: frozenset[Item] = frozenset()
    """Large items whose analysis is still running. Their findings are the parser's, and the moved findings of
    the previous version."""

    @property
    def text(self) -> str:
        """The whole text."""
        return self.lines.text

    @property
    def profile(self) -> Profile:
        """The profile of the file's LLVM version."""
        return profile(self.resolved.target.version)

    def all_findings(self) -> list[Finding]:
        """Return every finding with absolute spans."""
        return [finding.shift(group.offset) for group in self.findings for finding in group.findings]

    @cached_property
    def findings(self) -> tuple[ItemFindings, ...]:
        """Findings item by item, relative to the item."""
        if self.given is not None:
            return self.given
        return self.checker.check_source(self.source, self.chunk_contexts)

    @cached_property
    def repairs(self) -> Repairs:
        """The fixes of the document, whose results are checked."""
        return Repairs(self.checker, self.source)

    @cached_property
    def contexts(self) -> dict[int, FileContext]:
        """The context of each item in its chunk, by the item's offset."""
        return {
            placed.offset: context
            for chunk, contexts in self.chunk_contexts
            for placed, context in zip(chunk.items, contexts, strict=True)
        }

    @cached_property
    def rejections(self) -> list[Finding]:
        """The errors of the file's LLVM version before any pass runs, including suppressed ones."""
        version = self.resolved.target.version
        return [
            finding
            for chunk, contexts in self.chunk_contexts
            for finding in rejections(chunk, version, zip(chunk.items, contexts, strict=True))
        ]

    def covers(self, span: Span) -> bool:
        """Return whether the items that touch `span`, and the items they refer to, are parsed."""
        return not needed(self.source, (span,))

    def shows(self, span: Span) -> bool:
        """Return whether the findings include those of the section in which `span` begins."""
        return self.shown is None or any(each.contains(span.start) for each in self.shown)

    def models(self, placed: PlacedItem, facts: Profile | None = None) -> list[AsyncFunction]:
        """Return the async models of an item's functions; `facts` replaces the file's LLVM version.

        Empty for an item without known context, in a large dump of which only the outline is read."""
        context = self.contexts.get(placed.offset)
        if context is None:
            return []
        if facts is None or facts.version == self.profile.version:
            return analyze(placed.item, context, self.profile)
        return analyze_for_other(placed.item, context, facts)

    def models_at_once(self, placed: PlacedItem, facts: Profile | None = None) -> list[AsyncFunction]:
        """Return `models`, or an empty list for an item in `waiting`; for requests at each keystroke."""
        return [] if placed.item in self.waiting else self.models(placed, facts)


LARGE = 50_000
"""A document with more new characters than this is read in steps; reading that many takes about 0.2 s. In a
document of more characters, a fix is checked only when the user chooses it."""

SHOWN_EVERY = 2.0
"""The seconds after which the findings so far are shown while the analysis continues."""

Steps = Generator[FileState | None, bool | None, FileState]
"""An incremental analysis: yields a state when there are new findings to show, receives whether to stop, and
returns the final state. After a stop, the returned state can only be used as `previous` of the next
analysis."""

Pauses = Generator[FileState | None, bool | None, None]
"""A part of an incremental analysis; raises Cancelled if it should stop."""


def file_state(
    lines: LineIndex,
    path: Path | None,
    resolver: SettingsResolver,
    previous: FileState | None = None,
    *,
    checked: bool = True,
) -> FileState:
    """Analyze a document; unchanged items of `previous`, any earlier state, are reused.

    Without `checked`, the findings are computed on request."""
    steps = in_steps(lines, path, resolver, previous, tuple[Span, ...], checked=checked)
    with no_collection():
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value


def in_steps(
    lines: LineIndex,
    path: Path | None,
    resolver: SettingsResolver,
    previous: FileState | None,
    visible_spans: Callable[[], Sequence[Span]],
    *,
    checked: bool = True,
) -> Steps:
    """Do what `file_state` does, in steps of about `STEP` seconds.

    `visible_spans` is called before each step and returns the spans that are visible, the newest last. If
    there is much to read, the items that touch new spans are read and checked first and yield a state to
    show; then those closest to the newest span. A large new function yields a state with its errors
    (`FileState.waiting`) before its analysis.
    """
    build = _Build(lines, path, resolver.resolve(path, lines.text), previous, visible_spans, checked)
    try:
        shown = previous is not None and previous.shown is not None
        if is_dump(lines.text) and (build.is_large or shown):
            spans = yield from build.read_sections()
            return build.of_dump(spans)
        yield from build.read()
        # From here on, all requests work on every item, except for those that need findings.
        if build.is_large:
            yield from _pause(build.state(()))
        if not checked:
            return build.made(None)
        yield from build.check()
        return build.state()
    except Cancelled:
        # The next analysis starts from the findings that are shown now.
        return build.made(build.left(), ())


def _pause(state: FileState | None = None) -> Pauses:
    if (yield state):
        raise Cancelled


class _Build:
    def __init__(
        self,
        lines: LineIndex,
        path: Path | None,
        resolved: Resolved,
        previous: FileState | None,
        visible_spans: Callable[[], Sequence[Span]],
        checked: bool,
    ) -> None:
        self._lines, self._path, self._resolved = lines, path, resolved
        self._visible, self._checked = visible_spans, checked
        text = lines.text
        self._same = previous if previous is not None and previous.resolved == resolved else None
        """The previous state, if its settings are equal."""
        self._checker = Checker(resolved) if self._same is None else self._same.checker
        self._change = None if previous is None else Change(*changed_range(previous.text, text))
        cut = cut_source(text) if previous is None else cut_source(text, previous.source, self._change)
        self._reader = Reader(cut)
        self.is_large = self._reader.size > LARGE and self._reader.is_of_many
        self._seen: list[Span] = []
        self._early: dict[tuple[Item | None, int], ItemFindings] = {}
        """Maps items and their offsets to the findings that were shown already."""

    def made(
        self,
        findings: tuple[ItemFindings, ...] | None,
        contexts: Sequence[ChunkContexts] | None = None,
        *,
        shown: tuple[Span, ...] | None = None,
        waiting: frozenset[Item] = frozenset(),
    ) -> FileState:
        """Return the state of everything read so far."""
        source = self._reader.source
        contexts = self._checker.contexts.of(source) if contexts is None else contexts
        return FileState(
            self._lines, self._path, self._resolved, source, self._checker, findings, contexts, shown, waiting
        )

    def state(self, new: Sequence[Span] | None = None) -> FileState:
        """Check the items that touch `new`, by default all; return the state, with earlier findings kept."""
        contexts = self._checker.contexts.of(self._reader.source)
        findings = self._checker.check_source(self._reader.source, contexts, new)
        if new is not None:
            self._early.update({(group.item, group.offset): group for group in findings})
            findings = tuple(self._early.values())
        return self.made(findings, contexts)

    def left(self) -> tuple[ItemFindings, ...]:
        """Return the findings of the previous state that still apply."""
        return _left(self._same, self._change, self._reader.source)

    def read_sections(self) -> Generator[FileState | None, bool | None, tuple[Span, ...]]:
        """Read the visible sections of a dump; return their spans."""
        spans = shown_sections(self._reader.source, self._visible())
        self._reader.leave_out_but(spans)
        if self._reader.is_incomplete:
            # The outline needs nothing else.
            yield from _pause(self.made((), (), shown=spans))
        while self._reader.is_incomplete:
            self._reader.read_on()
            yield from _pause()
        return spans

    def of_dump(self, spans: tuple[Span, ...]) -> FileState:
        """Return the state of a dump with the sections at `spans` read."""
        contexts = self._checker.contexts.of(self._reader.source)
        groups = self._checker.check_source(self._reader.source, contexts, spans)
        found = tuple(
            group
            for group in groups
            if group.item is not None
            or any(each.contains(f.span.start) for f in group.findings for each in spans)
        )
        return self.made(found, contexts, shown=spans)

    def read(self) -> Pauses:
        """Read everything, and show visible and nearby parts as soon as they are checked."""
        reader = self._reader
        half_time, near = perf_counter() + SHOWN_EVERY / 2, reader.near
        while reader.is_incomplete:
            new = [span for span in self._visible() if span not in self._seen] if self.is_large else []
            if new:
                self._seen += new
                reader.look_at(new)
                yield from self._show_errors_of(new)
            elif (read := reader.near) is not None and read != near and perf_counter() >= half_time:
                # The other half of `SHOWN_EVERY` is for checking the items read so far.
                new = yield from self._check_near(read, half_time + SHOWN_EVERY / 2)
            else:
                reader.read_on()
            if new:
                yield from _pause(self.state(new))
                half_time, near = perf_counter() + SHOWN_EVERY / 2, reader.near
            elif reader.is_incomplete:
                yield from _pause()

    def _check_near(self, read: Span, show: float) -> Generator[FileState | None, bool | None, list[Span]]:
        """Check the items parsed so far, until the time `show`; return the checked spans."""
        self._reader.look_at([read])
        shown = {item for item, _ in self._early}
        ahead = _check_ahead(self._checker, self._reader.source, self._seen, shown, show, within=read)
        for so_far in ahead:
            if so_far is not None:
                return [so_far]
            yield from _pause()
        return [read]

    def _show_errors_of(self, new: Sequence[Span]) -> Pauses:
        """Show the parser's errors in a large visible item before the other checks, which take as long."""
        source = self._reader.source
        sizes = [len(placed.item.text) for placed in source.items if touches(placed, new)]
        if self._checked and max(sizes, default=0) >= LARGE_ITEM:
            yield from _pause(self.made(self._checker.errors_of(source, new)))

    def check(self) -> Pauses:
        if not self.is_large:
            yield from self._show_waiting()
            if self._same is not None:
                return
        for so_far in _check_ahead(self._checker, self._reader.source, self._seen):
            yield from _pause(self.state((so_far,)) if so_far is not None and self.is_large else None)

    def _show_waiting(self) -> Pauses:
        """Show findings while large new items wait for their analysis."""
        source = self._reader.source
        new = frozenset(placed.item for placed in source.items)
        if self._same is not None:
            new -= {placed.item for placed in self._same.source.items}
        if sum(len(item.text) for item in new) >= LARGE_ITEM:
            found = self._checker.with_errors(source, self.left(), new)
            yield from _pause(self.made(found, waiting=new))


def _left(previous: FileState | None, change: Change | None, source: SourceFile) -> tuple[ItemFindings, ...]:
    """Return the findings of the previous version that still apply to `source`, by item.

    These are the findings of unchanged items, and other findings moved by `change`, without fixes. Findings
    that touch the change and errors of the parser are dropped."""
    groups = () if previous is None or previous.given is None or change is None else previous.given
    there = {placed.item for placed in source.items}
    before = {group.item: group.findings for group in groups if group.item in there}
    gone = [group for group in groups if group.item is not None and group.item not in there]
    left = [*_moved(gone, change)] if change is not None else []
    found: list[ItemFindings] = []
    for placed in source.items:
        item, offset = placed
        findings = before.get(item)
        if findings is None:
            here = (f for f in left if offset <= f.span.start and f.span.end <= placed.span.end)
            findings = tuple(f.shift(-offset) for f in here)
        found.append(ItemFindings(item, offset, findings))
    return tuple(found)


def _moved(groups: Iterable[ItemFindings], change: Change) -> Iterable[Finding]:
    """Yield the findings of `groups`, with absolute spans, moved by `change`."""
    delta = change.new_end - change.old_end

    def moved(span: Span) -> Span | None:
        if span.end < change.start:
            return span
        return span.shift(delta) if span.start > change.old_end else None

    for group in groups:
        for finding in group.findings:
            absolute = finding.shift(group.offset)
            span = moved(absolute.span)
            if span is not None and finding.code not in SAY_ERRORS:
                related = ((moved(each.span), each.message) for each in absolute.related)
                places = tuple(Related(place, message) for place, message in related if place is not None)
                yield replace(absolute, span=span, related=places, fixes=())


def _check_ahead(
    checker: Checker,
    source: SourceFile,
    seen: Sequence[Span],
    shown: Set[Item | None] = frozenset(),
    show: float | None = None,
    *,
    within: Span | None = None,
) -> Iterable[Span | None]:
    """Check every item except `shown`, in order of distance from the last visible span.

    Yields None after each step. From time to time, first at the time `show`, yields the span of the nearest
    items checked so far. `within` restricts the check to parsed items that touch it.
    """
    entries = [
        (placed, context)
        for chunk, contexts in checker.contexts.of(source)
        for placed, context in zip(chunk.items, contexts, strict=True)
        if placed.item not in shown
        and (within is None or (placed.item.is_read and touches(placed, (within,))))
    ]
    if seen:
        entries.sort(key=lambda entry: distance(entry[0], seen[-1]))
    now = perf_counter()
    end, show = now + STEP, now + SHOWN_EVERY if show is None else show
    checked: Span | None = None
    for placed, context in entries:
        checker.check_item(placed.item, context)
        checked = placed.span if checked is None else checked.cover(placed.span)
        now = perf_counter()
        if now >= show:
            yield checked
            show = perf_counter() + SHOWN_EVERY
        elif now >= end:
            yield None
        else:
            continue
        end = perf_counter() + STEP
