"""Completion of an op's keywords, enum cases, attribute names and attribute values."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, VectorType, i32
from xdsl.ir import Attribute

from gpuasync_lsp.ide.features.completion.place import Cursor
from gpuasync_lsp.ide.features.completion.suggestion import Completion, CompletionKind
from gpuasync_lsp.ide.lookup.assembly import Place
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.ods.table import AttrConstraint, entry

_IN_BRACKETS = frozenset({"blocks", "threads", "clusters"})
"""Keywords of a launch that are followed by ` in (`."""
_LITERALS: dict[str, Attribute] = {
    "true": IntegerAttr(1, 1),
    "false": IntegerAttr(0, 1),
    "dense": DenseIntOrFPElementsAttr.from_list(VectorType(i32, [1]), [0]),
}
"""Maps the first words of attribute values to example values, to test against an op's constraint."""
_DISCARDABLE = {"builtin.module": ("gpu.container_module",), "func.func": ("llvm.emit_c_interface",)}
"""Maps an op to the unit attributes that GPU code adds to it, which are not in its definition."""
_BEGINS = 900
"""A rank penalty that exceeds every other rank difference in this module."""


def words(cursor: Cursor) -> Iterator[Completion]:
    """Yield the words that may follow the op's written part, in the order of its format."""
    written = cursor.written
    if written is None:
        return
    cursor_name = cursor.name
    for rank, expected in enumerate(written.expected):
        match expected.place:
            case Place.WORD:
                launch = cursor_name == "gpu.launch_func" and expected.name in _IN_BRACKETS
                label = f"{expected.name} in" if launch else expected.name
                snippet = f"{label} ($1)" if launch else "args($1)" if label == "args" else ""
                # Keywords that continue the op come before ops that may begin here.
                yield _word(cursor, label, CompletionKind.KEYWORD, rank - _BEGINS, snippet)
            case Place.CASE:
                constraint = written.variant.attributes.get(expected.name) if written.variant else None
                for number, case in enumerate(constraint.cases if constraint is not None else ()):
                    # `false` and `true` are predicates of arith.cmpf, but rarely used.
                    late = (case in ("false", "true")) * _BEGINS
                    yield _word(cursor, case, CompletionKind.CASE, rank + number + late)
            case Place.ATTRIBUTE:
                constraint = written.variant.attributes.get(expected.name) if written.variant else None
                allowed = constraint.predicate if constraint is not None else None
                for word, example in _LITERALS.items():
                    if holds(allowed, example) is False:
                        continue
                    snippet = "dense<$1>" if word == "dense" else ""
                    yield _word(cursor, word, CompletionKind.KEYWORD, rank, snippet)
            case _:
                continue


def attributes(cursor: Cursor) -> Iterator[Completion]:
    """Yield the attribute names in the op's dictionary, and the values after an equals sign."""
    found = entry(cursor.dictionary)
    if found is None:
        return
    known = found.variants[-1].attributes
    texts = [word.text for word in cursor.words]
    last = len(texts) - 1 - texts[::-1].index(",") if "," in texts else -1
    entry_words = texts[last + 1 :]
    if not entry_words:
        for name in _DISCARDABLE.get(cursor.dictionary, ()):
            if name not in texts:
                yield _word(cursor, name, CompletionKind.ATTRIBUTE, -1)
        for rank, (name, constraint) in enumerate(known.items()):
            if name and name not in texts and constraint.kind != "symbol-name":
                snippet = "" if constraint.kind == "unit" else f"{name} = $1"
                yield _word(cursor, name, CompletionKind.ATTRIBUTE, rank, snippet, constraint.summary)
    elif entry_words[-1] == "=" and entry_words[0] in known:
        for rank, text in enumerate(_values(known[entry_words[0]])):
            yield _word(cursor, text, CompletionKind.CASE, rank)


def _values(constraint: AttrConstraint) -> tuple[str, ...]:
    if constraint.cases:
        if constraint.written:
            return tuple(f"#{constraint.written}<{case}>" for case in constraint.cases)
        return tuple(f'"{case}"' for case in constraint.cases) if not constraint.type else ()
    return ("true", "false") if constraint.type == "i1" else ()


def _word(
    cursor: Cursor, label: str, kind: CompletionKind, rank: int, snippet: str = "", detail: str = ""
) -> Completion:
    detail = detail or cursor.name or cursor.dictionary
    return Completion(label, kind, cursor.span, label, detail, rank, snippet)
