"""Completion of types: the type of the operand at the cursor, types of nearby values, common types."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
    VectorType,
)

from gpuasync_lsp.ide.features.completion.place import Cursor
from gpuasync_lsp.ide.features.completion.suggestion import Completion, CompletionKind
from gpuasync_lsp.ide.features.completion.wanted import constraint_of, type_of_parameter, type_texts
from gpuasync_lsp.ide.features.signature_help import parameter_texts
from gpuasync_lsp.ide.lookup.assembly import Place
from gpuasync_lsp.ide.lookup.symbols import definitions, written
from gpuasync_lsp.ide.lookup.tokens import TokenKind, tokens
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.async_dialect import TokenType
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.text import Span

_COMMON = {
    attribute_text(type): type
    for type in (
        IndexType(),
        *map(IntegerType, (1, 8, 16, 32, 64)),
        Float16Type(),
        BFloat16Type(),
        Float32Type(),
        Float64Type(),
        MemRefType(Float32Type(), [DYNAMIC_INDEX]),
        VectorType(Float32Type(), [4]),
        gpu.AsyncTokenType(),
        TokenType(),
        LLVMPointerType(),
    )
}
_ELEMENT = re.compile(r"\b(?:memref|tensor|vector)<(?:(?:\d+|[?*]|\[\d+\])x)+([a-z]\w*)?$")
_ELEMENTS = ("f32", "f16", "bf16", "f64", "i32", "i8", "i16", "i64", "i1", "index")
_SPACE = re.compile(r"\bmemref<[^<>]*,\s*()$")
_SPACES = tuple(f"#gpu.address_space<{space}>" for space in ("workgroup", "private", "global"))
_ATTRIBUTES = ("#nvvm.target", "#rocdl.target", *_SPACES)
_WRONG = 100
"""The rank penalty of a type that cannot be correct; larger than the number of nearby types."""


_LITERAL = re.compile(
    r"\barith\.constant\s+(?:(?P<truth>true|false)|(?P<float>[-+]?\d+\.\S*)|(?P<integer>-?\d\S*)|(?P<dense>dense<.*))"
    r"\s*:\s*$"
)
_LITERAL_TYPES: dict[str, tuple[type, ...]] = {
    "truth": (IntegerType,),
    "integer": (IndexType, IntegerType),
    "float": (Float16Type, BFloat16Type, Float32Type, Float64Type),
    "dense": (VectorType, TensorType),
}
"""Maps the kind of a literal to the types that a constant with this literal may have."""


def types(cursor: Cursor) -> Iterator[Completion]:
    """Yield the types to suggest at the cursor, best first."""
    expected = cursor.written.expected if cursor.written is not None else ()
    places = [e for e in expected if e.place is Place.TYPE]
    exact = [type_texts(cursor, e.name, e.number) for e in places]
    found = {attribute_text(value.type): value.type for value in cursor.visible.values()}
    for name, type in _COMMON.items():
        found.setdefault(name, type)
    allowed = [each.predicate for e in places if (each := constraint_of(cursor, e.name)) is not None]

    literal = _LITERAL.search(cursor.statement)

    def is_wrong(name: str) -> bool:
        """Return whether the type contradicts every way in which the op can continue."""
        if literal is not None:
            return not isinstance(found[name], _LITERAL_TYPES[literal.lastgroup or ""])
        known = bool(allowed) and name not in exact
        return known and all(holds(predicate, found[name]) is False for predicate in allowed)

    for rank, name in enumerate(dict.fromkeys((*filter(None, exact), *found))):
        late = _WRONG * is_wrong(name)
        yield Completion(name, CompletionKind.TYPE, cursor.span, name, rank=rank + late)


def signatures(cursor: Cursor) -> Iterator[Completion]:
    """Yield the type of a call, `(f32) -> ()`, if the callee is known."""
    called = cursor.written.symbols.get("callee") if cursor.written is not None else None
    for found in definitions(cursor.state.source.chunk_at(cursor.span.start)):
        if called is not None and written(found.label) == called:
            types = ", ".join(type_of_parameter(each) for each in parameter_texts(found))
            arrow = found.header.rfind(")", 0, found.header.find("->")) if "->" in found.header else -1
            results = found.header[arrow:].partition("->")[2].strip(" {\n") if arrow >= 0 else "()"
            text = f"({types}) -> {results}"
            yield Completion(text, CompletionKind.TYPE, cursor.span, text)
            return


def in_shaped_type(before: str, offset: int) -> list[Completion]:
    """Return the element types or memory spaces of the shaped type that is being written before `offset`."""
    for pattern, names in ((_ELEMENT, _ELEMENTS), (_SPACE, _SPACES)):
        if (found := pattern.search(before)) is not None:
            typed = found[1] or ""
            span = Span(offset - len(typed), offset)
            fitting = [name for name in names if name.startswith(typed) and name != typed]
            return [
                Completion(name, CompletionKind.TYPE, span, name, rank=rank)
                for rank, name in enumerate(fitting)
            ]
    return []


def is_type_place(statement: str) -> bool | None:
    """Return whether `statement`, up to the cursor, ends where a type may be written.

    True if a type begins there, False inside the angle brackets of a type, None elsewhere. A type follows an
    arrow, or a colon that is not part of `::`. Used for ops whose format is unknown.
    """
    colon, arrow = statement.rfind(":"), statement.rfind("->")
    at = max(colon, arrow + 1 if arrow >= 0 else -1)
    if at < 0 or statement[max(at - 1, 0) : at] == ":":
        return None
    tail = statement[at + 1 :]
    if any(sign in tail for sign in '\n{}"='):
        return None
    return tail.count("<") <= tail.replace("->", "").count(">")


def aliases(cursor: Cursor) -> Iterator[Completion]:
    """Yield aliases of the file, after `#` and `!`, and common attributes and types of GPU code."""
    state, span, sigil = cursor.state, cursor.span, cursor.typed[0]
    words = dict[str, None]()
    kind = TokenKind.ATTRIBUTE if sigil == "#" else TokenKind.TYPE
    for token in tokens(state.text, *state.source.chunk_at(span.start).span):
        word = state.text[token.start : token.end]
        is_name = word.startswith(sigil) and len(word) > 1 and not word[1:].isdigit()
        if token.kind is kind and is_name and token.start != span.start:
            words[word] = None
    for word in dict.fromkeys((*words, *(_ATTRIBUTES if sigil == "#" else ()))):
        yield Completion(word, CompletionKind.ALIAS, span, word)
    if sigil == "!":
        yield from (c for c in types(cursor) if c.label.startswith("!") and c.label not in words)
