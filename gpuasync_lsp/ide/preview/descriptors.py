"""Folds the ops that build and read memref descriptors in lowered text.

A lowered memref is a struct: https://mlir.llvm.org/docs/TargetLLVMIR/#ranked-memref-types. The ops that fill
such a struct become one line, `%5 = memref(%arg0, %arg1, offset 0, sizes [8], strides [1])`. A value read
from it is named after its field, `%5[aligned]`. The address of element 8, relative to null, is `bytes(8 x
f32)`. Constants that no other ops use are removed. The result is only for reading: mlir-opt
rejects it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from gpuasync_lsp.lowering.pipeline.line_map import Mark, Place, Printed


def fold_descriptors(printed: Printed) -> Printed:
    """Return `printed` with folded descriptors, and with its links, marks and comments moved accordingly.

    The result is memoized in `printed`; it is `printed` itself if there is nothing to fold."""
    known: Printed | None = printed.memo.get("descriptors")
    if known is None:
        known = printed.memo["descriptors"] = _folded(printed)
    return known


def _folded(printed: Printed) -> Printed:
    if "llvm.insertvalue" not in printed.text and "llvm.extractvalue" not in printed.text:
        return printed
    lines = printed.text.split("\n")
    only_rows = {rows[0] for rows in printed.by_start.values() if len(rows) == 1}
    page = _Page(lines, {})
    heads = [row for row, line in enumerate(lines) if _FUNCTION.match(line)]
    for first, last in pairwise((*heads, len(lines))):
        _Function(page, first, last).fold(only_rows)
    return page.printed(printed) if page.into else printed


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


@dataclass
class _Page:
    lines: list[str]
    into: dict[int, int]
    """Maps each folded line to the line that replaces it, or to its own number if none does."""
    edits: dict[int, list[_Edit]] = field(default_factory=dict[int, list[_Edit]])
    """Maps each remaining line to its edits, in text order."""

    def printed(self, before: Printed) -> Printed:
        kept = [row for row in range(len(self.lines)) if row not in self.into]

        def moved(row: int) -> int:
            """Return the new number of a line; for a folded one, of its replacement or of the next line."""
            return min(bisect_left(kept, self.into.get(row, row)), len(kept) - 1)

        alive = {span.start for row, span in before.places if row not in self.into}
        places = [
            Place(moved(row), span)
            for row, span in before.places
            if row not in self.into or (span.start not in alive and self.into[row] != row)
        ]
        marks = [
            Mark(moved(row), self._column(row, column), length, stream)
            for row, column, length, stream in before.marks
            if row not in self.into
        ]
        return Printed(
            "\n".join(self._edited(row) for row in kept),
            tuple(sorted(places, key=lambda place: place.row)),
            tuple(marks),
            tuple((moved(row), comment) for row, comment in before.comments),
            {span: moved(row) for span, row in before.heads.items()},
        )

    def _edited(self, row: int) -> str:
        line = self.lines[row]
        for start, end, text in reversed(self.edits.get(row, ())):
            line = line[:start] + text + line[end:]
        return line

    def _column(self, row: int, column: int) -> int:
        shifts = (len(text) - (end - start) for start, end, text in self.edits.get(row, ()) if end <= column)
        return column + sum(shifts)


@dataclass(eq=False)
class _Value:
    """The result of an op that matters for folding."""

    row: int
    name: str
    op: str
    """The op's name after `llvm.`; empty for ops that are not folded and for arguments."""
    rest: str
    operands: list[_Value] = field(default_factory=list["_Value"])
    uses: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """Line and column of each use."""


class _Function:
    """The lines from the head of a function to the next head."""

    def __init__(self, page: _Page, first: int, last: int) -> None:
        self._page = page
        self._values: list[_Value] = []
        self._by_row: dict[int, _Value] = {}
        self._read(first, last)
        self._texts: dict[int, str] = {}
        """Maps each line into which other lines are folded to its new text."""
        self._named: set[int] = set()
        """The values, by `id`, whose names occur in `_texts`."""

    def fold(self, only_rows: set[int]) -> None:
        """Fold the function; keep unused constants in `only_rows`, the only lines of their source ops."""
        into = self._page.into
        for value in reversed(self._values):
            if value.op == "insertvalue" and value.row not in into:
                self._fold_chain(value)
            elif value.op == "ptrtoint":
                self._fold_bytes(value)
        reads = [value for value in self._values if value.op == "extractvalue" and _field(value.rest)]
        for value in reads:
            rows = [row for row, _, _ in value.uses]
            into[value.row] = next((into.get(row, row) for row in rows), value.row)
        for value in self._values:
            self._fold_constant(value, only_rows)
        self._rename(reads)
        counts = Counter(into[value.row] for value in self._values if value.row in into)
        for row, text in self._texts.items():
            indent = len(line := self._page.lines[row]) - len(line.lstrip())
            self._page.edits[row] = [_Edit(indent, len(line), f"{text}  // {counts[row] + 1} ops")]

    def _read(self, first: int, last: int) -> None:
        """Collect the values and their uses; names are resolved in the enclosing regions."""
        scopes: list[dict[str, _Value]] = [{}]
        unknown: set[str] = set()
        for row in range(first, last):
            line = self._page.lines[row]
            text = _STRING.sub(lambda found: "_" * len(found[0]), line)
            stripped = text.lstrip()
            if stripped.startswith("}") and len(scopes) > 1:
                scopes.pop()
            label = stripped.startswith("^") or row == first
            results = 0 if label else _results(text)
            op = _OP.match(text) if results else None
            used: list[_Value] = []
            new = list[_Value]()
            for name in _NAME.finditer(text):
                known = next((scope[name[0]] for scope in reversed(scopes) if name[0] in scope), None)
                if label or name.start() < results:
                    new.append(_Value(row, name[0], op["op"] if op else "", op["rest"] if op else ""))
                elif known is not None:
                    known.uses.append((row, *name.span()))
                    used.append(known)
                else:
                    unknown.add(name[0])
            if stripped.endswith("{"):
                scopes.append({})
            for value in new:
                value.operands = used
                scopes[-1][value.name] = value
                self._values.append(value)
        # A block may be printed before the block that dominates it, so this name may have no value so far.
        for value in self._values:
            if value.name in unknown:
                value.op = ""

    def _fold_chain(self, last: _Value) -> None:
        """Fold the chain of insertions that ends with `last`, if it fills every field of an undefined
        descriptor."""
        rank = _rank(last.rest)
        if rank is None or (len(last.uses) == 1 and self._is_in_chain(last)):
            return
        fields: dict[str, _Value] = {}
        chain: list[_Value] = []
        value = last
        while value.op == "insertvalue" and len(value.operands) == 2:
            name = _field(value.rest)
            if name is None or (value is not last and len(value.uses) > 1):
                return
            fields.setdefault(name, value.operands[0])
            chain.append(value)
            value = value.operands[1]
        wanted = _fields(rank)
        if value.op not in ("mlir.undef", "mlir.poison") or set(fields) != set(wanted):
            return
        shown = [self._shown(fields[name]) for name in wanted]
        for each in chain[1:]:
            self._page.into[each.row] = last.row
        if rank == _UNRANKED:
            self._texts[last.row] = f"{last.name} = memref(rank {shown[0]}, {shown[1]})"
            return
        pointers = shown[:1] if shown[0] == shown[1] else shown[:2]
        parts = [*pointers, f"offset {shown[2]}"]
        if rank:
            sizes, strides = shown[3 : 3 + rank], shown[3 + rank :]
            parts += [f"sizes [{', '.join(sizes)}]", f"strides [{', '.join(strides)}]"]
        self._texts[last.row] = f"{last.name} = memref({', '.join(parts)})"

    def _is_in_chain(self, value: _Value) -> bool:
        user = self._value_at(value.uses[0][0])
        return user is not None and user.op == "insertvalue" and user.operands[1:] == [value]

    def _value_at(self, row: int) -> _Value | None:
        if not self._by_row:
            self._by_row = {value.row: value for value in self._values if value.op}
        return self._by_row.get(row)

    def _fold_bytes(self, value: _Value) -> None:
        """Fold the computation of a size in bytes: the address, relative to null, after the last element."""
        address = value.operands[0] if len(value.operands) == 1 else None
        if address is None or address.op != "getelementptr" or len(address.uses) != 1:
            return
        element = _ELEMENT.search(address.rest)
        number = _INDEX.search(address.rest)
        if element is None or len(address.operands) != (2 if number is None else 1):
            return
        if address.operands[0].op not in ("mlir.zero", "mlir.null"):
            return
        count = self._shown(address.operands[1]) if number is None else number[1]
        self._texts[value.row] = f"{value.name} = bytes({count} x {element[1] or element[2]})"
        self._page.into[address.row] = value.row

    def _fold_constant(self, value: _Value, only_rows: set[int]) -> None:
        into = self._page.into
        if value.op not in _CONSTANTS or id(value) in self._named:
            return
        rows = [row for row, _, _ in value.uses]
        if all(row in self._texts or row in into for row in rows):
            if not rows and value.row in only_rows:
                return
            into[value.row] = next((into.get(row, row) for row in rows), value.row)

    def _shown(self, value: _Value) -> str:
        """Return a value as an operand: a constant as a number, a field with its descriptor."""
        number = _NUMBER.match(value.rest) if value.op == "mlir.constant" else None
        if number is not None:
            return number[1]
        name = _field(value.rest) if value.op == "extractvalue" else None
        if name is not None:
            return f"{value.operands[0].name}[{name}]"
        self._named.add(id(value))
        return value.name

    def _rename(self, reads: Sequence[_Value]) -> None:
        """Replace the names of values read from descriptors with field names."""
        by_row: dict[int, list[tuple[int, int, _Value]]] = {}
        for value in reads:
            for row, start, end in value.uses:
                if row not in self._page.into and row not in self._texts:
                    by_row.setdefault(row, []).append((start, end, value))
        for row, uses in by_row.items():
            self._page.edits[row] = list(_edits(self._page.lines[row], sorted(uses, key=lambda use: use[0])))


def _edits(line: str, uses: Sequence[tuple[int, int, _Value]]) -> Iterator[_Edit]:
    """Yield the edits that name the fields used on a line.

    If all fields of a descriptor are used in order, they become `%5[all fields]`."""
    at = 0
    while at < len(uses):
        start, end, value = uses[at]
        descriptor = value.operands[0]
        rank = _rank(value.rest)
        wanted = _fields(rank or 0)
        several = uses[at : at + len(wanted)]
        if [(each.operands[0], _field(each.rest)) for _, _, each in several] == [
            (descriptor, name) for name in wanted
        ] and all(_GAP.fullmatch(line[one[1] : two[0]]) for one, two in pairwise(several)):
            last = several[-1][1]
            kind = _KIND.match(line, last)
            yield _Edit(start, kind.end() if kind else last, f"{descriptor.name}[all fields]")
            at += len(wanted)
            continue
        yield _Edit(start, end, f"{descriptor.name}[{_field(value.rest)}]")
        at += 1


def _results(text: str) -> int:
    """Return the position after the results of the op on a line; 0 if it has none."""
    found = _DEFINES.match(text)
    return found.end() if found else 0


def _rank(rest: str) -> int | None:
    """Return the rank of a memref descriptor, from the type at the end of an op; None for other types."""
    kind = rest.rpartition(_STRUCT)[2].rstrip(" ") if _STRUCT in rest else ""
    if _UNRANKED_DESCRIPTOR.fullmatch(kind):
        return _UNRANKED
    found = _DESCRIPTOR.fullmatch(kind)
    return int(found[1] or 0) if found is not None and found[1] == found[2] else None


def _fields(rank: int) -> list[str]:
    if rank == _UNRANKED:
        return ["rank", "descriptor"]
    names = ["allocated", "aligned", "offset"]
    return names + [f"{name} {at}" for name in ("size", "stride") for at in range(rank)]


def _field(rest: str) -> str | None:
    """Return the name of the descriptor field at the indices of an op."""
    rank, position = _rank(rest), _POSITION.search(rest)
    if rank is None or position is None:
        return None
    return _numbered(rank).get(position[1].replace(" ", ""))


def _numbered(rank: int) -> Mapping[str, str]:
    if rank == _UNRANKED:
        return dict(zip(("0", "1"), _fields(rank), strict=True))
    numbers = ["0", "1", "2", *(f"{which},{at}" for which in (3, 4) for at in range(rank))]
    return dict(zip(numbers, _fields(rank), strict=True))


_FUNCTION = re.compile(r" *(?:llvm|func|gpu)\.func\b")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?')
_NAME = re.compile(r"%[\w$.-]+")
_DEFINES = re.compile(r" *%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* =")
_OP = re.compile(
    r" *%[\w$.-]+ = llvm\.(?P<op>insertvalue|extractvalue|getelementptr|ptrtoint"
    r"|mlir\.(?:constant|zero|null|undef|poison))(?P<rest>\b.*)"
)
_CONSTANTS = ("mlir.constant", "mlir.zero", "mlir.null", "mlir.undef", "mlir.poison")
_NUMBER = re.compile(r"\((-?\d+) : \w+\)")
_STRUCT = " : !llvm.struct<("
_POINTER = r"ptr(?:<[^()<>]*>)?"
_DESCRIPTOR = re.compile(rf"{_POINTER}, {_POINTER}, i\d+(?:, array<(\d+) x i\d+>, array<(\d+) x i\d+>)?\)>")
_UNRANKED = -1
"""The rank of `memref<*xf32>`, whose descriptor is a rank and the address of a ranked descriptor."""
_UNRANKED_DESCRIPTOR = re.compile(rf"i\d+, {_POINTER}\)>")
_INDEX = re.compile(r"\[(\d+)\] : ")
_POSITION = re.compile(r"\[([\d, ]+)\] : !llvm\.struct")
_ELEMENT = re.compile(r"-> (?:!llvm\.ptr(?:<\d+>)?, (\S+)|!llvm\.ptr<([^\s,]+)>) *$")
_GAP = re.compile(r"(?: : [^,()]+)?, ")
_KIND = re.compile(r" : [^,()]+")
