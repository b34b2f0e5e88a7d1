"""Findings of a text in a row, that an edit moves.

Most are nobody's concern between two keys but for where they stand. So their places are kept as numbers,
which an edit moves all at once, and a finding is made of them when somebody looks at it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, overload

from gpuasync_lsp.text.cached_property import cached_property
from gpuasync_lsp.text.edits import Edit, Fix
from gpuasync_lsp.text.findings import Finding, Related, Severity
from gpuasync_lsp.text.span import Span


class Entry:
    """A finding as it was found, whose places may be others by now, and what is remembered of it."""

    __slots__ = ("_bare", "defines", "finding", "is_scattered", "said", "size", "words")

    def __init__(self, finding: Finding, words: Any = None) -> None:
        self.finding = finding
        self.said = 1 + len(finding.related)
        """Places that it names."""
        self.size = self.said
        """Those, and what its fixes edit."""
        self.defines = False
        """Whether a fix gives names to values."""
        if finding.fixes:
            self.defines = any(" = " in edit.text for fix in finding.fixes for edit in fix.edits)
            self.size += sum([len(fix.edits) for fix in finding.fixes])
        self.is_scattered = (bool(finding.related) or self.size > self.said) and finding.is_scattered
        self.words = words
        """For who writes it down: what was written, good while no edit is in the lines of what it names."""
        self._bare: Entry | None = None

    def without_fixes(self) -> Entry:
        """Return the same without fixes."""
        if self.size == self.said:
            return self
        if self._bare is None:
            self._bare = Entry(replace(self.finding, fixes=()), self.words)
        return self._bare

    def at(self, places: Iterator[Span]) -> Finding:
        """Return the finding with these places: its own, the related ones, those of its edits."""
        of = self.finding
        span = next(places)
        related = of.related and tuple(
            [Related(next(places), each.message, each.within) for each in of.related]
        )
        fixes = of.fixes and tuple(
            [
                Fix(
                    fix.title,
                    fix.safety,
                    tuple([Edit(next(places), text, within) for _, text, within in fix.edits]),
                    fix.reason,
                )
                for fix in of.fixes
            ]
        )
        return Finding(of.code, of.name, of.severity, span, of.message, related, fixes, of.tags)


class FindingList(Sequence[Finding]):
    """Findings in text order, those at one place by code. It never changes; an edit makes another."""

    def __init__(self, entries: Sequence[Entry], offsets: Sequence[int]) -> None:
        """Take findings in order, and where the places of all of them begin and end, in turns."""
        self.entries = entries
        self.offsets = offsets
        self._made: dict[int, Finding] = {}

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> FindingList:
        """Return `findings` in text order."""
        found = sorted(findings, key=_key)
        if not found:
            return NOTHING
        offsets: list[int] = []
        for finding in found:
            for span in finding.places:
                offsets += span
        listed = cls([Entry(finding) for finding in found], offsets)
        listed._made = dict(enumerate(found))
        return listed

    @cached_property
    def firsts(self) -> Sequence[int]:
        """Where in `offsets` those of each finding begin; one number more, for the end."""
        return [*accumulate([2 * entry.size for entry in self.entries], initial=0)]

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of the findings."""
        return frozenset([entry.finding.code for entry in self.entries])

    @cached_property
    def scattered(self) -> frozenset[str]:
        """The codes of those of which a place counts from elsewhere (`Finding.is_scattered`)."""
        return frozenset([entry.finding.code for entry in self.entries if entry.is_scattered])

    @cached_property
    def defining(self) -> frozenset[str]:
        """The codes of those whose fixes give names to values."""
        return frozenset([entry.finding.code for entry in self.entries if entry.defines])

    def span(self, number: int) -> Span:
        """Return the place of one finding, which is not made for that."""
        first = self.firsts[number]
        return Span(self.offsets[first], self.offsets[first + 1])

    @cached_property
    def _starts(self) -> Sequence[int]:
        return [self.offsets[first] for first in self.firsts[:-1]]

    def at(self, span: Span, code: str) -> list[int]:
        """Return the numbers of the findings of `code` that are said of this place."""
        same = range(bisect_left(self._starts, span.start), bisect_right(self._starts, span.start))
        return [n for n in same if self.entries[n].finding.code == code and self.span(n) == span]

    def places(self, code: str) -> set[tuple[int, int]]:
        """Return the places of which findings of `code` are said, as spans are written."""
        at, entries = self.offsets, self.entries
        return {
            (at[first], at[first + 1])
            for entry, first in zip(entries, self.firsts, strict=False)
            if entry.finding.code == code
        }

    def touching(self, span: Span, *, said: bool = False) -> list[int]:
        """Return the numbers of those that have a place in common with `span`, or at its edge: with `said`,
        one that is named, else also one that a fix edits."""
        start, end = span
        offsets, firsts, entries = self.offsets, self.firsts, self.entries
        ends = offsets[1::2]
        hits = [at for at, first in enumerate(offsets[::2]) if first <= end and start <= ends[at]]
        if not hits:
            return []
        owners = [(bisect_right(firsts, 2 * hit) - 1, hit) for hit in hits]
        if said:
            owners = [(n, hit) for n, hit in owners if 2 * hit < firsts[n] + 2 * entries[n].said]
        return [*dict.fromkeys([number for number, _ in owners])]

    def after(self, edge: int, delta: int, lines: Span) -> FindingList:
        """Return the same after an edit in the whole `lines` of the text: what is at `edge` or behind it
        moves by `delta`. No finding may have a place around the edge. None may be scattered."""
        offsets = [at + delta if at >= edge else at for at in self.offsets] if delta else self.offsets
        entries, touched = self.entries, self.touching(lines, said=True)
        if touched:
            entries = [*entries]
            for number in touched:
                entries[number] = Entry(entries[number].finding)
        moved = FindingList(entries, offsets)
        moved.__dict__["firsts"] = self.firsts
        return moved

    def only(self, numbers: Sequence[int]) -> FindingList:
        """Return those with these numbers, which are in order."""
        if len(numbers) == len(self.entries):
            return self
        firsts, known = self.firsts, self.offsets
        offsets: list[int] = []
        for number in numbers:
            offsets += known[firsts[number] : firsts[number + 1]]
        return FindingList([self.entries[number] for number in numbers], offsets)

    def but(self, numbers: Collection[int]) -> FindingList:
        """Return those that have none of these numbers."""
        return self.only([n for n in range(len(self.entries)) if n not in numbers]) if numbers else self

    def without(self, codes: Collection[str]) -> FindingList:
        """Return those that have none of `codes`."""
        if self.codes.isdisjoint(codes):
            return self
        return self.only([n for n, entry in enumerate(self.entries) if entry.finding.code not in codes])

    def without_fixes(self, codes: Collection[str]) -> FindingList:
        """Return the same without the fixes of the findings of `codes`."""
        offsets: list[int] = []
        entries: list[Entry] = []
        for entry, first in zip(self.entries, self.firsts, strict=False):
            left = entry.without_fixes() if entry.finding.code in codes else entry
            entries.append(left)
            offsets += self.offsets[first : first + 2 * left.size]
        return FindingList(entries, offsets)

    def with_more(self, findings: Iterable[Finding]) -> FindingList:
        """Return these and `findings`."""
        more = FindingList.of(findings)
        if not more or not self.entries:
            return more or self
        entries: list[Entry] = []
        offsets: list[int] = []
        starts, done = self._starts, 0
        for number, entry in enumerate(more.entries):
            key = _key(more[number])
            at = bisect_right(starts, key[0] - 1, done)
            while at < len(starts) and starts[at] == key[0] and self._key(at) <= key:
                at += 1
            entries += self.entries[done:at]
            offsets += self.offsets[self.firsts[done] : self.firsts[at]]
            entries.append(entry)
            offsets += more.offsets[more.firsts[number] : more.firsts[number + 1]]
            done = at
        entries += self.entries[done:]
        offsets += self.offsets[self.firsts[done] :]
        return FindingList(entries, offsets)

    def _key(self, number: int) -> tuple[int, int, str]:
        start, end = self.span(number)
        return start, end, self.entries[number].finding.code

    def has_advice(self) -> bool:
        """Tell whether there are any that are neither errors nor warnings."""
        return any(entry.finding.severity >= Severity.INFORMATION for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        if isinstance(index, slice):
            return [*self][index]
        number = range(len(self.entries))[index]
        made = self._made.get(number)
        if made is None:
            first, end = self.firsts[number], self.firsts[number + 1]
            pairs = iter(self.offsets[first:end])
            made = self._made[number] = self.entries[number].at(map(Span, pairs, pairs))
        return made

    def __iter__(self) -> Iterator[Finding]:
        return map(self.__getitem__, range(len(self.entries)))


NOTHING = FindingList((), ())
"""No finding."""


def _key(finding: Finding) -> tuple[int, int, str]:
    start, end = finding.span
    return start, end, finding.code
