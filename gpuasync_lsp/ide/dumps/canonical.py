"""A canonical form of an item's text, in which equal IR has equal text in every section.

Values and blocks are numbered in order of appearance, aliases are expanded, and locations, comments and
indentation are removed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from gpuasync_lsp.syntax import Item, OpaqueOp
from gpuasync_lsp.syntax.symbols import symbol_name
from gpuasync_lsp.text import Span

_LONGEST_ALIAS = 2_000
"""The maximum length of an alias's text that is inlined, in characters; a longer alias keeps its name."""

_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\[^\n])*(?:"|\\?(?=\n|\Z))'
    r"|//[^\n]*|[ \t\r]+(?:loc\()?|\bloc\(|[%^][\w$.-]+(?:\#\d+)?|[#!][A-Za-z_][\w$.-]*|\n[ \t\r\n]*"
)
_IN_LOCATION = re.compile(r'"(?:[^"\\\n]|\\[^\n])*(?:"|\\?(?=\n|\Z))|[()]|\n')
_DEFINITION = re.compile(r"^([#!][A-Za-z_][\w$.-]*) = (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Unit:
    """An op of an item that defines a symbol, such as a function or a module."""

    path: str
    """The unit's symbol, preceded by the enclosing symbols: `kernels::copy`; empty without a symbol."""
    symbol: str
    """The unit's own symbol."""
    op_name: str
    span: Span
    """The unit's span in the item."""
    form: int
    """The hash of the unit's canonical text."""
    ops: Mapping[str, int]
    """Maps each kind of op to the number of such ops in the unit, the unit's own op included."""
    is_holder: bool = False
    """Whether the unit's body consists of other units."""


def units(item: Item, prelude: str) -> tuple[Unit, ...]:
    """Return the units of an item, memoized in the item; `prelude` contains the aliases of its chunk."""
    found: tuple[Unit, ...] | None = item.memo.get(_UNITS)
    if found is None:
        found = item.memo[_UNITS] = tuple(_units(item, aliases(prelude)))
    return found


_UNITS = "ide.dumps.units"


def op_name(op: Operation) -> str:
    """Return the name of an op as written, even if the op is unknown."""
    if isinstance(op, UnregisteredOp):
        return op.op_name.data
    return op.op_name if isinstance(op, OpaqueOp) else op.name


def symbol(op: Operation) -> str:
    """Return the symbol that an op defines; for an unknown op, the symbol in its text."""
    if not isinstance(op, OpaqueOp):
        return symbol_name(op)
    found = _NAMED.match(op.text)
    return "" if found is None else found[1] or found[2]


def lines_of(item: Item, unit: Unit, prelude: str) -> Counter[str]:
    """Return the canonical lines of a unit, with all value names equal; none if its body contains units."""
    if unit.is_holder:
        return Counter()
    return Counter(canonical(unit.span.of(item.text), aliases(prelude), numbered=False).split("\n"))


_NAMED = re.compile(r'[a-z_][\w$.]*(?: [a-z]+)*[ ]+@(?:"([^"\n]*)"|([\w$.-]+))')
"""Matches the beginning of an op that defines a symbol: `tt.func public @copy`."""


def canonical(text: str, known: Mapping[str, str] | None = None, numbered: bool = True) -> str:
    """Return the canonical form of `text`, with the aliases `known` expanded.

    Values and blocks are numbered if `numbered`; otherwise they all have the same name."""
    names: dict[str, str] = {}
    parts: list[str] = []
    at = 0
    while (match := _TOKEN.search(text, at)) is not None:
        start, token = match.start(), match[0]
        parts.append(text[at:start])
        at = match.end()
        first = token[0]
        if first == '"':
            parts.append(token)
        elif first in "%^":
            value, result, number = token.partition("#")
            name = names.setdefault(value, f"{first}{len(names)}") if numbered else first
            parts.append(f"{name}{result}{number}")
        elif first in "#!":
            parts.append((known or {}).get(token, token))
        elif token.endswith("loc("):
            at = _location_end(text, at)
        elif first == "\n":
            parts.append("\n")
        elif first in " \t\r":
            parts.append(" ")
    parts.append(text[at:])
    return "\n".join(line.strip() for line in "".join(parts).split("\n") if line.strip())


@lru_cache(maxsize=8)
def aliases(prelude: str) -> Mapping[str, str]:
    """Return the definitions of the aliases in a prelude as text, without locations."""
    found: dict[str, str] = {}
    for name, value in _DEFINITION.findall(prelude):
        if value.startswith("loc("):
            continue
        form = canonical(value, found, numbered=False)
        if len(form) <= _LONGEST_ALIAS:
            found[name] = form
    return found


def _location_end(text: str, at: int) -> int:
    """Return the end of the location whose parenthesis is open at `at`, or else the end of the line."""
    depth = 1
    while (match := _IN_LOCATION.search(text, at)) is not None:
        if match[0] == "\n":
            return match.start()
        at = match.end()
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0:
            return at
    return len(text)


def _units(item: Item, known: Mapping[str, str]) -> Iterator[Unit]:
    if not item.ops:
        yield Unit("", "", "", Span(0, len(item.text)), hash(canonical(item.text, known)), {})
    for op in item.ops:
        yield from _units_of(op, "", item, known)


_HOLDERS = frozenset({"builtin.module", "gpu.module"})


def is_function(name: str) -> bool:
    """Return whether this is the name of a dialect's function op: `func.func`, `tt.func`, `llvm.func`."""
    return name.rpartition(".")[2] == "func"


def _holds_units(op: Operation, name: str) -> bool:
    """Return whether the body of an op consists of functions, as for a module or an `hal.executable`."""
    if name in _HOLDERS:
        return True
    return not is_function(name) and any(is_function(op_name(each)) for each in op.walk() if each is not op)


def _units_of(op: Operation, path: str, item: Item, known: Mapping[str, str]) -> Iterator[Unit]:
    own = symbol(op)
    path = f"{path}::{own}" if path and own else path or own
    spans = item.spans.ops.get(op)
    whole = spans.whole if spans is not None else Span(0, len(item.text))
    inner = [each for region in op.regions for block in region.blocks for each in block.ops]
    name = op_name(op)
    if not _holds_units(op, name):
        counts = Counter(op_name(each) for each in op.walk())
        yield Unit(path, own, name, whole, hash(canonical(whole.of(item.text), known)), counts)
        return
    # For an op with nested units, compare only its own text, before the first and after the last nested unit.
    places = [item.spans.ops[each].whole for each in inner if each in item.spans.ops]
    head = item.text[whole.start : places[0].start] + item.text[places[-1].end : whole.end] if places else ""
    form = hash(canonical(head or whole.of(item.text), known))
    yield Unit(path, own, name, whole, form, {} if name == "builtin.module" else {name: 1}, is_holder=True)
    for each in inner:
        yield from _units_of(each, path, item, known)
