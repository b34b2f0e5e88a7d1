"""Checks a document under its settings, both for the command line and for the server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuasync_lsp.analysis import (
    BY_CODE,
    Comments,
    Config,
    FileContext,
    check_item,
    check_outside_items,
    comments,
    gather,
    parse_errors,
    suppression_findings,
    unchecked,
)
from gpuasync_lsp.ide.document.contexts import ChunkContexts, Contexts
from gpuasync_lsp.ide.document.targets import Resolved
from gpuasync_lsp.syntax import Chunk, Item, PlacedItem, SourceFile, parse_source
from gpuasync_lsp.text import Finding, Span, in_text_order
from gpuasync_lsp.text.defects import contained
from gpuasync_lsp.text.lazy_pattern import lazy_pattern
from gpuasync_lsp.text.recent import Recent

_ALWAYS = ("GA001", "GA011")
"""Rules that stay selected unless they are ignored, because a file with syntax errors must not look clean."""


_ASYNC = lazy_pattern(
    r"\bgpu\.(?:wait|alloc|dealloc|memcpy|memset|host_register|launch_func)\b|\basync\.execute\b"
)
_UNUSUAL = lazy_pattern(
    r"\basync\.|\bcf\.|#gpu\.address_space|,\s*\d+(?:\s*:\s*i\d+)?>|\b(?:tensor|tuple|complex)<|memref<\*"
)
"""Matches code on which gpu-to-llvm may fail although no rule reports it: several blocks in an async region,
memory spaces, unusual types."""


LARGE_ITEM = 20_000
"""The length in characters (about 300 lines) above which work is deferred or left out, since analyzing
such an item takes some hundredths of a second, and lowering it 0.1 s."""

MOST_OUTCOMES = 64
"""The maximum number of chunks whose findings from passes are memoized."""


@dataclass(frozen=True, slots=True)
class ItemFindings:
    """The findings of one item, with spans relative to the item, and the item's offset in the text."""

    item: Item | None
    """None for text between items, such as alias definitions, for which the offset is 0."""
    offset: int
    findings: tuple[Finding, ...]


class _Finished(NamedTuple):
    """The memoized findings of an item, if they depend on nothing outside the item."""

    context: FileContext
    config: Config
    found: tuple[Finding, ...]
    """The result of `Checker.check_item`."""


class Checker:
    """Checks versions of one document; unchanged items are not checked again."""

    def __init__(self, resolved: Resolved) -> None:
        settings = resolved.settings
        self.config = Config(
            llvm=resolved.target.version,
            select=Config.select if settings.select is None else (*settings.select, *_ALWAYS),
            ignore=settings.ignore or (),
            severity=settings.severity,
            pipeline=resolved.pipeline,
        )
        self.contexts = Contexts(self.config.pipeline)
        self.last: SourceFile | None = None
        """The version of the document that was checked last."""
        self._obeys_comments = True
        self._outcomes: Recent[tuple[Finding, ...]] = Recent(MOST_OUTCOMES)

    def judge(self, source: SourceFile | None = None) -> Checker:
        """Return a checker for the results of fixes, which also reports suppressed findings.

        The new checker shares the items of `source` (default: the last version) with this one; items that it
        adds stay separate.
        """
        other = copy(self)
        config = self.config
        severities = {word: level for word, level in config.severity.items() if level != "off"}
        select = config.select if "ALL" in config.select else (*config.select, "ALL")
        every = replace(config, select=select, ignore=(), severity=severities)
        # Keep an equivalent configuration object, because items memoize findings by its identity.
        other.config = config if every.key == config.key else every
        other._obeys_comments = False
        other.contexts = self.contexts.copy()
        other._outcomes = Recent(MOST_OUTCOMES)
        other.last = source or self.last
        return other

    def reports(self, finding: Finding, notes: Comments) -> bool:
        """Return whether neither settings nor `notes`, the comments of its document, suppress `finding`."""
        rule = BY_CODE[finding.code]
        level = self.config.level(rule.code, rule.name, rule.severity, only_named=rule.only_named)
        return level is not None and not notes.silences(finding)

    def follow(self, source: SourceFile) -> None:
        """Make `source` the previous version, whose unchanged items the next version reuses."""
        self.last = source

    def check(self, text: str) -> tuple[Finding, ...]:
        """Return the findings of `text` in text order, with absolute spans."""
        source = self.last = parse_source(text, self.last)
        found = [f.shift(group.offset) for group in self.check_source(source) for f in group.findings]
        return in_text_order(found)

    def check_source(
        self,
        source: SourceFile,
        contexts: Sequence[ChunkContexts] | None = None,
        within: Sequence[Span] | None = None,
        is_over: Callable[[], bool] | None = None,
    ) -> tuple[ItemFindings, ...]:
        """Return the findings of a parsed document by item, without suppressed ones.

        `contexts` are those of `source`, if the caller has computed them already. `within` restricts the
        check to parsed items that touch one of its spans. No further item is checked once `is_over`
        returns True.
        """
        file_notes = comments(source.text)
        notes = file_notes if self._obeys_comments else comments("")
        groups: list[ItemFindings] = []
        codes: set[str] = set()
        is_whole = True
        for chunk, known_contexts in contexts or self.contexts.of(source):
            of_chunk = [*check_outside_items(chunk, self.config)]
            outside = in_text_order(f for f in of_chunk if not notes.silences(f))
            codes |= _codes_of(of_chunk, file_notes)
            if outside:
                groups.append(ItemFindings(None, 0, outside))
            for placed, context in zip(chunk.items, known_contexts, strict=True):
                if is_over is not None and is_over():
                    return tuple(groups)
                item = placed.item
                if within is not None and not (item.is_read and touches(placed, within)):
                    is_whole = False
                    continue
                found = self._finished_of(placed, chunk, context, notes)
                groups.append(ItemFindings(item, placed.offset, found))
                if file_notes.any:
                    found = self.check_item(item, context)
                    codes |= _codes_of([f.shift(placed.offset) for f in found], file_notes)
            if all(placed.item.is_read for placed in chunk.items) and self._lowers(chunk, source.text):
                lowered = self._outcome(chunk, source.text, groups, notes)
                if lowered:
                    groups.append(ItemFindings(None, 0, lowered))
        if is_whole and (about := in_text_order(suppression_findings(file_notes, self.config, codes))):
            groups.append(ItemFindings(None, 0, about))
        return tuple(groups)

    def _outcome(
        self, chunk: Chunk, text: str, groups: Sequence[ItemFindings], notes: Comments
    ) -> tuple[Finding, ...]:
        """Run the passes that lower the file on `chunk`; return the findings about them.

        `groups` are the chunk's findings so far; problems that they report are not reported again. Spans are
        relative to `text`, the whole file. Memoized as long as the chunk is unchanged."""
        # Imported here because it loads the lowering, which most checks do not need.
        from gpuasync_lsp.ide.document.outcome import configured, outcome

        passes = configured(self.config, text)
        if passes is None:
            return ()
        start = chunk.span.start
        # The key is the same if only other chunks change.
        items = ((item, offset - start) for item, offset in (*chunk.headers, *chunk.items))
        key = (passes, start == 0, chunk.prelude, *items)
        known = self._outcomes.get(key)
        if known is None:
            so_far = [f.shift(group.offset) for group in groups for f in group.findings]
            known = tuple(f.shift(-start) for f in outcome(chunk, self.config, passes, so_far))
            self._outcomes.keep(key, known)
        found = (f.shift(start) for f in known)
        return tuple(f for f in found if not notes.silences(f))

    def _lowers(self, chunk: Chunk, text: str) -> bool:
        """Return whether to run passes on `chunk` of `text`.

        Passes from settings or a RUN line always run. Without them, gpu-to-llvm runs only on code on
        which it may fail without a finding from a rule."""
        if self.config.pipeline is not None:
            return bool(self.config.pipeline)
        if "RUN:" in text:
            return True
        start, end = chunk.span
        if end - start > LARGE_ITEM:
            return False
        return all(each.search(text, start, end) for each in (_ASYNC, _UNUSUAL))

    def _finished_of(
        self, placed: PlacedItem, chunk: Chunk, context: FileContext, notes: Comments
    ) -> tuple[Finding, ...]:
        """Return the unsuppressed findings of an item, with absolute spans; memoized in the item."""
        item = placed.item
        known: _Finished | None = None if notes.any else item.memo.get(_FINISHED)
        if known is not None and known.context is context and known.config is self.config:
            return known.found
        found = self.check_item(item, context)
        # Suppressions and the spans of other items may change without this item.
        apart = notes.any or any(f.is_scattered for f in found)
        item.memo[_FINISHED] = None if apart else _Finished(context, self.config, found)
        if not apart:
            return found
        left = [f for f in found if not notes.silences(f.shift(placed.offset))] if notes.any else found
        return in_text_order(gather(f, chunk, placed) for f in left)

    def _outside(self, chunk: Chunk, notes: Comments) -> tuple[Finding, ...]:
        found = check_outside_items(chunk, self.config)
        return in_text_order(f for f in found if not notes.silences(f))

    def with_errors(
        self, source: SourceFile, left: Sequence[ItemFindings], new: Set[Item]
    ) -> tuple[ItemFindings, ...]:
        """Return the findings to show while the items `new` of `source` wait for their analysis.

        These are `left`, the findings of the previous version that still apply, and the parser's errors in
        `new`, without suppressed ones."""
        notes, groups = comments(source.text if self._obeys_comments else ""), list[ItemFindings]()
        for chunk in source.chunks:
            if outside := self._outside(chunk, notes):
                groups.append(ItemFindings(None, 0, outside))
        for group in left:
            found = group.findings
            if group.item is not None and group.item in new:
                found = in_text_order((*found, *parse_errors(group.item, self.config)))
            found = (
                tuple(f for f in found if not notes.silences(f.shift(group.offset))) if notes.any else found
            )
            groups.append(ItemFindings(group.item, group.offset, found))
        return tuple(groups)

    def errors_of(self, source: SourceFile, within: Sequence[Span]) -> tuple[ItemFindings, ...]:
        """Return the parser's unsuppressed errors in the parsed items that touch one of `within`."""
        notes = comments(source.text if self._obeys_comments else "")
        return tuple(
            ItemFindings(
                item,
                offset,
                in_text_order(
                    f for f in parse_errors(item, self.config) if not notes.silences(f.shift(offset))
                ),
            )
            for placed in source.items
            for item, offset in (placed,)
            if item.is_read and touches(placed, within)
        )

    def check_item(self, item: Item, context: FileContext) -> tuple[Finding, ...]:
        """Return the findings of the rules in one item, with relative spans; cached by item."""
        return contained(
            "checking an item",
            lambda: self._checked(item, context),
            lambda message, error: tuple(unchecked(item, error, message, self.config)),
        )

    def _checked(self, item: Item, context: FileContext) -> tuple[Finding, ...]:
        if not self.config.pipeline:
            return check_item(item, context, self.config.profile, self.config)
        # Imported here because it loads the lowering, which most checks do not need.
        from gpuasync_lsp.ide.document.region_pass import check_after_passes

        return check_after_passes(item, context, self.config)


def _codes_of(found: Iterable[Finding], notes: Comments) -> set[str]:
    """Mark the comments that suppress some of `found` as used; return the codes of `found`."""
    codes: set[str] = set()
    for finding in found:
        notes.silences(finding)
        codes.add(finding.code)
    return codes


def touches(placed: PlacedItem, spans: Iterable[Span]) -> bool:
    """Return whether any of `spans` overlaps or touches the item."""
    start, end = placed.span
    return any(span.start <= end and start <= span.end for span in spans)


_FINISHED = "ide.finished"
