"""A preview composed of lowered parts: text, links, streams, findings, folds and comments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuasync_lsp.ide.document.checker import ItemFindings
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.preview.descriptors import fold_descriptors
from gpuasync_lsp.lowering import Part
from gpuasync_lsp.lowering.pipeline.line_map import Fold, Printed
from gpuasync_lsp.text import Finding, Span

SEPARATOR = "// -----\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A message of the lowering, with its source location."""

    message: str
    span: Span | None
    error: str = ""
    """The error for which the release's mlir-opt exits with status 1; empty without an error."""
    is_defect: bool = False
    """Whether a defect of this tool left an op unlowered that the release may lower."""


class LoweredFinding(NamedTuple):
    """A finding of the source, repeated at the corresponding lowered line."""

    row: int
    start: int
    """The finding's position in the source."""
    finding: Finding
    """The finding, with spans relative to its item."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A lowered file."""

    text: str
    line_map: dict[int, list[int]]
    """Maps each 0-based source line to the lines of `text` that come from it."""
    notes: tuple[Note, ...]
    llvm: int
    stage: str
    pipeline: str = ""
    """The executed pipeline, in mlir-opt's syntax."""
    marks: tuple[int, ...] = ()
    """The names of streams in `text`, as `Printed.encoded_marks`."""
    findings: tuple[LoweredFinding, ...] = ()
    folds: tuple[Fold, ...] = ()
    is_partial: bool = False
    """Whether some functions appear as placeholder lines because they are not lowered yet."""
    folded: int = 0
    """The number of lines that folding the descriptors has removed."""


class Page:
    """A preview under construction, chunk by chunk."""

    def __init__(
        self,
        state: FileState,
        explained: bool,
        sign: str,
        *,
        repeats: bool = True,
        without: frozenset[str] = frozenset(),
        text_only: bool = False,
        folds_descriptors: bool = False,
    ) -> None:
        """Begin a preview of `state`; if it is explained, comments begin with `sign`.

        With `repeats`, or if it is explained, the preview shows the findings of the source. Findings with a
        code in `without` do not apply to the preview and are left out. With `text_only` the preview contains
        only text and notes; with `folds_descriptors`, memref descriptors are folded."""
        self._state = state
        self._text_only = text_only
        self._folds_descriptors = folds_descriptors
        self._folded = 0
        self._sign = sign if explained else None
        self._findings = _Findings(state.findings if repeats or explained else (), without)
        self._texts: list[str] = []
        self._line_map: dict[int, list[int]] = {}
        self._marks: list[int] = []
        self._marked_row = 0
        self._found: list[LoweredFinding] = []
        self._folds: list[Fold] = []
        self._row = 0

    def add(self, parts: Iterable[Part]) -> None:
        """Append the parts of a chunk."""
        if self._texts:
            self._texts.append(SEPARATOR)
            self._row += 1
        for printed, shift in parts:
            self._add(printed, shift)

    def preview(self, notes: Iterable[Note], llvm: int, stage: str, pipeline: str) -> Preview:
        """Return the preview."""
        return Preview(
            "".join(self._texts),
            self._line_map,
            tuple(notes),
            llvm,
            stage,
            pipeline,
            tuple(self._marks),
            tuple(self._found),
            tuple(_joined(self._folds)),
            folded=self._folded,
        )

    def _add(self, printed: Printed, shift: int) -> None:
        if self._folds_descriptors:
            whole, printed = printed, fold_descriptors(printed)
            self._folded += whole.rows - printed.rows
        if self._text_only:
            self._texts.append(printed.text)
            return
        row = self._row
        for start, rows in printed.by_start.items():
            line = self._state.lines.position(start + shift)[0]
            self._line_map.setdefault(line, []).extend([row + each for each in rows])
        repeated = self._findings.repeated(printed, shift)
        self._found += [(LoweredFinding(row + at, start, finding)) for at, start, finding in repeated]
        if printed.marks:
            first, *rest = printed.encoded_marks
            self._marks += (row + first - self._marked_row, *rest)
            self._marked_row = row + printed.marks[-1].row
        self._folds += [Fold(row + first, row + last, what) for first, last, what in printed.folds]
        self._texts.append(printed.text if self._sign is None else self._commented(printed, shift, repeated))
        self._row += printed.rows

    def _commented(self, printed: Printed, shift: int, found: Sequence[LoweredFinding]) -> str:
        # A comment names lines of the source, so the comments stay valid while no line moves.
        line = self._state.lines.position(shift)[0]
        key = (self._sign, line, tuple((row, finding) for row, _, finding in found))
        known = printed.memo.get("commented")
        if known is None or known[0] != key:
            known = printed.memo["commented"] = key, self._comment(printed, shift, found)
        return known[1]

    def _comment(self, printed: Printed, shift: int, found: Sequence[LoweredFinding]) -> str:
        by_row: dict[int, list[str]] = {}
        for row, comment in printed.comments:
            by_row.setdefault(row, []).append(comment.shift(shift).with_locations(self._words))
        for row, _, finding in found:
            by_row.setdefault(row, []).append(f"{finding.code}: {finding.message.splitlines()[0]}")
        return _with_comments(printed.text, by_row, self._sign or "")

    def _words(self, span: Span) -> str:
        """Return the words with which a comment refers to an op of the source: `%t0 (line 4)`."""
        line = f"line {self._state.lines.position(span.start)[0] + 1}"
        name = _RESULT.match(self._state.text, span.start, span.end)
        return f"{name[0]} ({line})" if name else line


class _Findings:
    """The findings of a file, to be shown at the lowered lines."""

    def __init__(self, groups: Sequence[ItemFindings], without: frozenset[str]) -> None:
        self._found = sorted(
            (
                (group.offset + finding.span.start, finding)
                for group in groups
                for finding in group.findings
                if finding.code not in without
            ),
            key=lambda pair: pair[0],
        )
        self._starts = [start for start, _ in self._found]

    def repeated(self, printed: Printed, shift: int) -> list[LoweredFinding]:
        """Return the findings in the source of the part `printed`, each with its line in that part."""
        if not printed.heads or not self._found:
            return []
        first, last = printed.extent
        there = range(bisect_left(self._starts, first + shift), bisect_left(self._starts, last + shift))
        rows = ((printed.head_of(self._starts[at] - shift), *self._found[at]) for at in there)
        return [LoweredFinding(row, start, finding) for row, start, finding in rows if row is not None]


_RESULT = re.compile(r"%[\w$.-]+")


def _with_comments(text: str, by_row: Mapping[int, Sequence[str]], sign: str) -> str:
    if not by_row:
        return text
    lines = text.split("\n")
    for row, words in by_row.items():
        lines[row] = f"{lines[row]}  {sign} {'; '.join(words)}"
    return "\n".join(lines)


def _joined(folds: Sequence[Fold]) -> Iterator[Fold]:
    """Yield the folds of more than one line, with consecutive declarations joined."""
    waiting: Fold | None = None
    for fold in folds:
        follows = waiting is not None and waiting.last + 1 == fold.first
        if waiting is not None and follows and waiting.what == fold.what == "declarations":
            waiting = Fold(waiting.first, fold.last, fold.what)
            continue
        if waiting is not None and waiting.first < waiting.last:
            yield waiting
        waiting = fold
    if waiting is not None and waiting.first < waiting.last:
        yield waiting
