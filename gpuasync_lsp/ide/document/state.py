"""One analysed version of one text: what every editor feature works on.

Only what an edit touched is parsed and checked again: items carry their results along. A large text that is
opened is read in steps, so that who waits for something else gets a turn, and what is looked at comes first.
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
    refusals,
)
from gpuasync_lsp.ide.document.checker import Checker, ItemFindings, touches
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
    """A text, its syntax, its settings and its findings."""

    lines: LineIndex
    path: Path | None
    resolved: Resolved
    source: SourceFile
    checker: Checker
    given: tuple[ItemFindings, ...] | None
    """The findings, if they were looked for."""
    chunk_contexts: Sequence[ChunkContexts]
    shown: tuple[Span, ...] | None = None
    """The sections of a large IR dump whose findings these are; the others are read when they are looked at.
    None for any other text."""
    waiting: frozenset[Item] = frozenset()
    """Large items that are read and whose analysis is going on. Their findings are what the parser says, and
    those of the text before, moved."""

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
    def findings(self) -> tuple[ItemFindings, ...]:
        """Findings item by item, relative to the item."""
        if self.given is not None:
            return self.given
        return self.checker.check_source(self.source, self.chunk_contexts)

    @cached_property
    def repairs(self) -> Repairs:
        """The fixes of the text, judged by their results."""
        return Repairs(self.checker, self.source)

    @cached_property
    def contexts(self) -> dict[int, FileContext]:
        """What each item must know of its chunk, by the item's offset."""
        return {
            placed.offset: context
            for chunk, contexts in self.chunk_contexts
            for placed, context in zip(chunk.items, contexts, strict=True)
        }

    @cached_property
    def refusals(self) -> list[Finding]:
        """What mlir-opt of the file's LLVM version rejects before any pass, also if settings suppress it."""
        version = self.resolved.target.version
        return [
            finding
            for chunk, contexts in self.chunk_contexts
            for finding in refusals(chunk, version, zip(chunk.items, contexts, strict=True))
        ]

    def covers(self, span: Span) -> bool:
        """Return whether what touches `span`, and what it names, is read; of a state that is in
        the making."""
        return not needed(self.source, (span,))

    def shows(self, span: Span) -> bool:
        """Return whether the findings are also those of the section that `span` begins in."""
        return self.shown is None or any(each.contains(span.start) for each in self.shown)

    def models(self, placed: PlacedItem, facts: Profile | None = None) -> list[AsyncFunction]:
        """Return the async models of an item's functions; `facts` replaces the file's LLVM version.

        There are none of an item of which the state knows no surroundings: one of a large dump of which only
        the outline is read."""
        context = self.contexts.get(placed.offset)
        if context is None:
            return []
        if facts is None or facts.version == self.profile.version:
            return analyze(placed.item, context, self.profile)
        return analyze_for_other(placed.item, context, facts)

    def models_at_once(self, placed: PlacedItem, facts: Profile | None = None) -> list[AsyncFunction]:
        """Do what `models` does for what is asked with each key; none of an item that is `waiting` for its
        models."""
        return [] if placed.item in self.waiting else self.models(placed, facts)


LARGE = 50_000
"""Characters that are new from which on a text is read in steps; they take about 0.2 s."""

LARGE_ITEM = 20_000
"""Characters of an item that is read from which on its errors are shown before all else is looked for: about
300 lines, whose analysis takes some hundredths of a second."""

SHOWN_EVERY = 2.0
"""Seconds after which findings that there are by then are shown, while more is read and looked for."""

Steps = Generator[FileState | None, bool | None, FileState]
"""An analysis in steps: yields a state where there is something new to show, takes whether to stop, and
returns the state in the end. One that was stopped is good for nothing but to be the previous one."""


def file_state(
    lines: LineIndex,
    path: Path | None,
    resolver: SettingsResolver,
    previous: FileState | None = None,
    *,
    checked: bool = True,
) -> FileState:
    """Analyse a text; `previous` is any earlier state, whose unchanged items are taken over.

    Without `checked` the findings are looked for when they are asked for."""
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
    asked: Callable[[], Sequence[Span]],
    *,
    checked: bool = True,
) -> Steps:
    """Do what `file_state` does, in steps of about `STEP` seconds.

    `asked` gives the spans that somebody looks at, the newest last; it is asked again before each step. Where
    much is to be read, the items that touch new spans are read and checked at once and make a state to show;
    then come those near to the newest span. One large function that is new makes a state with its errors
    (`FileState.waiting`) before anything is concluded from it.
    """
    text = lines.text
    resolved = resolver.resolve(path, text)
    same = previous is not None and previous.resolved == resolved
    checker = previous.checker if previous is not None and same else Checker(resolved)
    change = None if previous is None else Change(*changed_range(previous.text, text))
    reader = Reader(cut_source(text) if previous is None else cut_source(text, previous.source, change))
    is_large = reader.size > LARGE and reader.is_of_many
    seen: list[Span] = []
    early: dict[tuple[Item | None, int], ItemFindings] = {}

    def state(new: Sequence[Span] | None = None) -> FileState:
        contexts = checker.contexts.of(reader.source)
        findings = checker.check_source(reader.source, contexts, new)
        if new is not None:
            early.update({(group.item, group.offset): group for group in findings})
            findings = tuple(early.values())
        return FileState(lines, path, resolved, reader.source, checker, findings, contexts)

    def with_errors_of(new: Sequence[Span]) -> FileState | None:
        """Return the parser's errors in a large item that is visible: all else takes as long again."""
        sizes = [len(placed.item.text) for placed in reader.source.items if touches(placed, new)]
        if not checked or max(sizes, default=0) < LARGE_ITEM:
            return None
        contexts = checker.contexts.of(reader.source)
        found = checker.errors_of(reader.source, new)
        return FileState(lines, path, resolved, reader.source, checker, found, contexts)

    def stopped() -> FileState:
        # The next build begins with what is shown now.
        found = _left(previous, change, reader.source) if same else ()
        return FileState(lines, path, resolved, reader.source, checker, found, ())

    def waiting() -> FileState | None:
        """Return what is to be seen while large items that are new wait for their analysis."""
        new = frozenset(placed.item for placed in reader.source.items)
        if previous is not None and same:
            new -= {placed.item for placed in previous.source.items}
        if not checked or is_large or sum(len(item.text) for item in new) < LARGE_ITEM:
            return None
        left = _left(previous, change, reader.source) if same else _left(None, None, reader.source)
        found = checker.with_errors(reader.source, left, new)
        contexts = checker.contexts.of(reader.source)
        return FileState(lines, path, resolved, reader.source, checker, found, contexts, waiting=new)

    def of_dump(spans: tuple[Span, ...]) -> FileState:
        contexts = checker.contexts.of(reader.source)
        groups = checker.check_source(reader.source, contexts, spans)
        found = tuple(
            group
            for group in groups
            if group.item is not None
            or any(each.contains(f.span.start) for f in group.findings for each in spans)
        )
        return FileState(lines, path, resolved, reader.source, checker, found, contexts, spans)

    try:
        if is_dump(text) and (is_large or (previous is not None and previous.shown is not None)):
            spans = shown_sections(reader.source, asked())
            reader.leave_out_but(spans)
            # The outline needs no more than this.
            if reader.is_behind and (
                yield FileState(lines, path, resolved, reader.source, checker, (), (), spans)
            ):
                return stopped()
            while reader.is_behind:
                reader.read_on()
                if (yield None):
                    return stopped()
            return of_dump(spans)
        half_time, near = perf_counter() + SHOWN_EVERY / 2, reader.near
        while reader.is_behind:
            new = [span for span in asked() if span not in seen] if is_large else []
            if new:
                seen += new
                reader.look_at(new)
                if (errors := with_errors_of(new)) is not None and (yield errors):
                    return stopped()
            elif (read := reader.near) is not None and read != near and perf_counter() >= half_time:
                # The other half of the time is for checking these.
                new = [read]
                reader.look_at(new)
                shown = {item for item, _ in early}
                show = half_time + SHOWN_EVERY / 2
                ahead = _check_ahead(checker, reader.source, seen, shown, show, within=read)
                for so_far in ahead:
                    if so_far is not None:
                        new = [so_far]
                        break
                    if (yield None):
                        return stopped()
            else:
                reader.read_on()
            if (new or reader.is_behind) and (yield state(new) if new else None):
                return stopped()
            if new:
                half_time, near = perf_counter() + SHOWN_EVERY / 2, reader.near
        # From here on every item can be asked about, but for findings.
        if is_large and (yield state(())):
            return stopped()
        if not checked:
            contexts = checker.contexts.of(reader.source)
            return FileState(lines, path, resolved, reader.source, checker, None, contexts)
        if (early_errors := waiting()) is not None and (yield early_errors):
            return stopped()
        if is_large or not same:
            for checked_so_far in _check_ahead(checker, reader.source, seen):
                if (yield state((checked_so_far,)) if checked_so_far is not None and is_large else None):
                    return stopped()
        return state()
    except Cancelled:
        return stopped()


def _left(previous: FileState | None, change: Change | None, source: SourceFile) -> tuple[ItemFindings, ...]:
    """Return the findings of the previous text that still apply to `source`, item by item: those of items
    that are still there, and those of others moved by `change`, without fixes. What touches the change, and
    what the parser said, is left out."""
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
    """Yield the findings of `groups`, with absolute spans, where `change` moves them."""
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
    """Check every item but `shown`, those near to what was seen last first; a pause after each step.

    Now and then, for the first time at `show`, the pause brings what is checked so far: the nearest items are
    one span. `within` leaves out the items that do not touch it, and those that are not read.
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
