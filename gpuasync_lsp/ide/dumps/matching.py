"""Matches the findings of a function between two versions of its IR.

A pass renames values and moves ops to other lines, so neither names nor lines identify a finding. Findings of
one rule in one function match if (1) their ops are equal except for value names; failing that, (2) their ops
have the same kind, paired in order; failing that, (3) the pass has replaced all ops of one kind with another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from gpuasync_lsp.ide.dumps.canonical import Unit, canonical, op_name
from gpuasync_lsp.syntax import Item
from gpuasync_lsp.text import Finding


@dataclass(frozen=True, slots=True)
class Known:
    """A finding, and the properties used to match it."""

    finding: Finding
    """The finding, with its spans in the dump."""
    function: str
    """The symbols around the finding, as in `Unit.path`."""
    kind: str
    """The name of the finding's op; empty if no op contains the finding."""
    form: str
    """The first line of that op, without names of values."""

    @property
    def group(self) -> tuple[str, str]:
        """A key that is equal for findings that may match."""
        return self.finding.code, self.function


class Places:
    """Finds the op and the function that contain a position of an item."""

    def __init__(self, item: Item, units: Sequence[Unit]) -> None:
        self._item = item
        self._units = units
        ops = [(spans.whole, op) for op, spans in item.spans.ops.items()]
        ops.sort(key=lambda entry: (entry[0].start, -entry[0].end))
        self._starts = [whole.start for whole, _ in ops]
        self._ops = [op for _, op in ops]

    def known(self, finding: Finding, placed: Finding) -> Known:
        """Return the properties of `finding`, relative to the item; `placed` has its position in the dump."""
        at = finding.span.start
        op = self._op_at(at)
        kind, form = "", ""
        if op is not None:
            kind, name = op_name(op), self._item.spans.ops[op].name
            line = self._item.text.find("\n", name.start)
            form = canonical(self._item.text[name.start : line if line >= 0 else None], numbered=False)
        return Known(placed, self._function_at(at), kind, form)

    def _op_at(self, at: int) -> Operation | None:
        index = bisect_right(self._starts, at) - 1
        op = self._ops[index] if index >= 0 else None
        while op is not None:
            spans = self._item.spans.ops.get(op)
            if spans is not None and at < max(spans.whole.end, spans.whole.start + 1):
                return op
            op = op.parent_op()
        return None

    def _function_at(self, at: int) -> str:
        found = ""
        for unit in self._units:
            if unit.span.start <= at < max(unit.span.end, unit.span.start + 1):
                found = unit.path
        return found


@dataclass(frozen=True, slots=True)
class Changed:
    """The findings that exist in only one of two versions."""

    begin: tuple[Known, ...]
    end: tuple[Known, ...]


def changed(before: Iterable[Known], after: Iterable[Known], has_kind: Callable[[str, str], bool]) -> Changed:
    """Compare findings of two versions; `has_kind` returns whether a function still has an op of a kind."""
    old, new = _grouped(before), _grouped(after)
    begin: list[Known] = []
    end: list[Known] = []
    for group in dict.fromkeys((*old, *new)):
        gone, come = list(old.get(group, ())), list(new.get(group, ()))
        gone, come = _without_same(gone, come, lambda known: (known.kind, known.form))
        gone, come = _without_same(gone, come, lambda known: known.kind)
        rewritten = [known for known in gone if not has_kind(known.function, known.kind)]
        left, come = _without_same(rewritten, come, lambda _: None)
        stay = {id(known) for known in rewritten} - {id(known) for known in left}
        end += (known for known in gone if id(known) not in stay)
        begin += come
    return Changed(_in_order(begin), _in_order(end))


def _grouped(findings: Iterable[Known]) -> dict[tuple[str, str], list[Known]]:
    found: defaultdict[tuple[str, str], list[Known]] = defaultdict(list)
    for known in findings:
        found[known.group].append(known)
    return found


def _without_same(
    old: Sequence[Known], new: Sequence[Known], key: Callable[[Known], Hashable]
) -> tuple[list[Known], list[Known]]:
    """Return both lists without pairs of equal keys, matched in order."""
    counts: defaultdict[Hashable, int] = defaultdict(int)
    for known in old:
        counts[key(known)] += 1
    common: defaultdict[Hashable, int] = defaultdict(int)
    come: list[Known] = []
    for known in new:
        if counts[key(known)] > common[key(known)]:
            common[key(known)] += 1
        else:
            come.append(known)
    gone: list[Known] = []
    for known in old:
        if common[key(known)]:
            common[key(known)] -= 1
        else:
            gone.append(known)
    return gone, come


def _in_order(findings: Iterable[Known]) -> tuple[Known, ...]:
    return tuple(sorted(findings, key=lambda known: (known.finding.span, known.finding.code)))
