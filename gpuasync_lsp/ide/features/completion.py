"""Completion: values by what the place takes, kernels with their arguments, ops and their keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from xdsl.ir import Attribute, OpResult, SSAValue

from gpuasync_lsp.analysis import AsyncFunction, Handle, Kind
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.features.formatting import starts_op
from gpuasync_lsp.ide.features.signature_help import parameter_texts, signature_at
from gpuasync_lsp.ide.lookup.op_docs import OP_DOCS, op_documentation
from gpuasync_lsp.ide.lookup.op_syntax import KEYWORDS, MEMREF, SAME, wanted_type
from gpuasync_lsp.ide.lookup.op_tables import (
    attribute_names,
    format_words,
    has_regions,
    table_ops,
    table_summary,
)
from gpuasync_lsp.ide.lookup.symbols import Definition, definitions, written
from gpuasync_lsp.ide.lookup.tokens import TokenKind, tokens
from gpuasync_lsp.ide.lookup.visible_values import visible_values
from gpuasync_lsp.ide.streams.words import function_with, label
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.text import Span

_PREFIX = re.compile(
    r'(?:[%^#!][\w$.\-]*|@(?:"[^"\n]*"|[\w$.\-]*)(?:::@(?:"[^"\n]*"?|[\w$.]*))?|@"[^"\n]*|[A-Za-z_][\w$.]*)$'
)
_DEPENDENCIES = re.compile(r"\basync\s*\[([^\]\n]*)$|\bgpu\.wait\s*\[([^\]\n]*)$")
_STATEMENT = re.compile(r"(?:^|[{}])\s*(?:%[\w$.\-:, %]+=\s*)?[\w.]*$")
_LAUNCH = re.compile(r"gpu\.launch_func\b[^@]*$")
MOST = 1_000
"""Suggestions at a place; more are narrowed by typing on. A long function has a token for each op."""
_STATEMENT_LINES = 20
"""Lines that one op is looked for on, back from the cursor."""
_MISFIT, _ORDERED, _WAITED_FOR = 10_000, 10_000, 20_000
"""What is added to the rank of a value of another type, and of a token that is ordered or gone already."""


class CompletionKind(Enum):
    """What a suggestion is, as editors draw it."""

    VALUE = "value"
    OP = "op"
    KERNEL = "kernel"
    FUNCTION = "function"
    MODULE = "module"
    BLOCK = "block"
    ALIAS = "alias"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Completion:
    """One suggestion: `text` (or `snippet`, with `$1` places) replaces `span`; smaller ranks come first."""

    label: str
    kind: CompletionKind
    span: Span
    text: str
    detail: str = ""
    rank: int = 0
    snippet: str = ""


def completions(state: FileState, offset: int) -> list[Completion]:
    """Return the suggestions for the place `offset`, best first, at most `MOST`."""
    text = state.text
    start = text.rfind("\n", 0, offset) + 1
    before = text[start:offset]
    if "//" in before and any(token.kind is TokenKind.COMMENT for token in tokens(before)):
        return []
    match = _PREFIX.search(before)
    prefix = match[0] if match else ""
    # Editors close a quote as soon as it is typed.
    closing = prefix.startswith("@") and prefix.count('"') % 2 == 1 and text.startswith('"', offset)
    span = Span(offset - len(prefix), offset + closing)
    statement = text[_statement_start(state, offset) : span.start]
    dependencies = _DEPENDENCIES.search(before)
    if dependencies is not None:
        written = dependencies[1] if dependencies[1] is not None else dependencies[2]
        found = list(_dependencies(state, span, written or ""))
    elif prefix.startswith("%"):
        found = list(_values(state, span, statement))
    elif prefix.startswith("@"):
        found = list(_symbols(state, span, statement))
    elif prefix.startswith("^"):
        found = list(_blocks(state, span))
    elif prefix[:1] in ("#", "!"):
        found = list(_aliases(state, span, prefix[0]))
        if prefix[0] == "!":
            found += [
                c
                for c in _types(state, span)
                if c.label.startswith("!") and c.label not in {f.label for f in found}
            ]
    elif (inside := _among_types(statement)) is not None:
        found = [] if inside else list(_types(state, span))
    elif _STATEMENT.search(before):
        found = [
            *_keywords(span, statement),
            *_attributes(span, statement),
            *_ops(span, bool(re.search(r"=\s*[\w.]*$", before))),
            *_ops_of_dialect(span, prefix),
        ]
    else:
        found = [*_keywords(span, statement), *_attributes(span, statement)]
    return _fitting(found, prefix)


def _fitting(found: list[Completion], typed: str) -> list[Completion]:
    """Return what goes on from `typed`, best first.

    Editors take the first suggestion with Enter, which people press behind a whole word to end the line: such
    a word is offered in front of longer ones, and nothing is offered where it is the only one.
    """
    if any(c.label == typed and c.snippet in ("", typed) for c in found):
        found = [c for c in found if c.label.startswith(typed)]
        if len(found) == 1:
            return []
    low = typed.lower()

    def order(suggestion: Completion) -> tuple[bool, bool, int, str]:
        label = suggestion.label
        return label != typed, not label.lower().startswith(low), suggestion.rank, label

    return sorted((c for c in found if low in c.label.lower()), key=order)[:MOST]


def documentation(name: str) -> str | None:
    """Return the Markdown for a suggested op, or None."""
    return op_documentation(name)


def _statement_start(state: FileState, offset: int) -> int:
    """Return where the op begins that is written at `offset`: on this line, or above where that goes on."""
    lines = state.lines
    here = lines.position(offset)[0]
    if starts_op(state.text[lines.starts[here] : offset]):
        return lines.starts[here]
    for number in range(here - 1, max(here - _STATEMENT_LINES, -1), -1):
        line = lines.line_text(number).strip()
        if starts_op(line) or line.endswith(("{", "}")) or not line:
            return lines.starts[number] if starts_op(line) and not line.endswith("{") else lines.starts[here]
    return lines.starts[here]


def _dependencies(state: FileState, span: Span, written: str) -> Iterator[Completion]:
    """Tokens only: first those that nothing in the list is ordered behind yet, the nearest first."""
    placed = state.source.item_at(span.start)
    if placed is None:
        return
    functions = state.models(placed)
    named = set(re.findall(r"%[\w$.\-]+(?:#\d+)?", written[: len(written) - (span.end - span.start)]))
    name_of = placed.item.spans.value_name
    visible = [v for v in visible_values(placed, span.start) if isinstance(v.type, AsyncTokenType)]
    names = {value: name_of(value) for value in visible}
    listed = [v for v in visible if names[v] in named]
    ordered = _ordered_before(
        functions, {h for f in functions for v in listed if (h := f.handle(v)) is not None}
    )
    typed = span.of(state.text).lower()
    fitting = (v for v in visible if names[v] not in named and typed in names[v].lower())
    for distance, value in enumerate(islice(fitting, MOST)):
        name = names[value]
        function = function_with(functions, value)
        handle = None if function is None else function.handle(value)
        if function is None or handle is None:
            yield Completion(name, CompletionKind.VALUE, span, name, "", distance)
            continue
        detail, rank = label(function, handle), distance
        if handle in ordered:
            detail, rank = f"{detail}, ordered already", rank + _ORDERED
        elif _is_gone(function, handle, span.start - placed.offset):
            detail, rank = f"{detail}, waited for above", rank + _WAITED_FOR
        yield Completion(name, CompletionKind.VALUE, span, name, detail, rank)


def _ordered_before(functions: list[AsyncFunction], handles: set[Handle]) -> set[Handle]:
    """Return `handles`, and those whose work they wait for by an event."""
    found = set(handles)
    joined = {
        (handle, function.handle(result))
        for function in functions
        for handle in function.handles
        for joiner in handle.joins
        for result in joiner.op.results
    }
    while True:
        more = {handle for handle, behind in joined if behind in found} - found
        if not more:
            return found
        found |= more


def _is_gone(function: AsyncFunction, handle: Handle, offset: int) -> bool:
    """Tell whether a wait above, not in a region that may be skipped, has destroyed the stream."""
    if handle.kind is not Kind.STREAM or handle.op is None:
        return False
    return any(
        wait.op.parent is handle.op.parent and function.spans.op(wait.op).end <= offset
        for wait in handle.waits
        if wait.op in function.spans.ops
    )


def _values(state: FileState, span: Span, statement: str) -> Iterator[Completion]:
    """Values that are visible: first those of the type that the place takes, the nearest first."""
    placed = state.source.item_at(span.start)
    if placed is None:
        return
    visible = list(visible_values(placed, span.start))
    name_of = placed.item.spans.value_name
    wanted = _wanted(state, span, statement, {name_of(value): value for value in visible})
    for distance, value in enumerate(visible):
        name = name_of(value)
        rank = distance + (0 if _fits(value.type, wanted) else _MISFIT)
        yield Completion(name, CompletionKind.VALUE, span, name, f"{value.type}", rank)


def _wanted(state: FileState, span: Span, statement: str, visible: dict[str, SSAValue]) -> str:
    """Return the type that a value at `span` is to have, `memref` for any of those; empty if unknown."""
    found = wanted_type(statement)
    if found is not None:
        wanted, other = found
        if wanted is not SAME:
            return wanted
        return f"{visible[other].type}" if other in visible else ""
    signature = signature_at(state.source, span.start)
    if signature is None or signature.active >= len(signature.parameters):
        return ""
    start, end = signature.parameters[signature.active]
    return _type_of(signature.label[start:end])


def _type_of(parameter: str) -> str:
    """Return the type in `%name: type`, or in a type alone."""
    return re.sub(r"^%[\w$.\-]+\s*:\s*", "", parameter)


def _fits(type: Attribute, wanted: str) -> bool:
    if wanted == MEMREF:
        return type.name in ("memref", "unranked_memref")
    return not wanted or str(type) == wanted


def _symbols(state: FileState, span: Span, statement: str) -> Iterator[Completion]:
    known = list(definitions(state.source.chunk_at(span.start)))
    launch = _LAUNCH.search(statement) is not None
    call = statement.rstrip().endswith("call")
    closed = "blocks" in state.lines.line_text(state.lines.position(span.start)[0])
    for definition in known:
        reference = "::".join(map(written, definition.path[-2:]))
        if definition.is_kernel and len(definition.path) > 1:
            if call:
                continue
            snippet = (
                "" if closed or not launch else _launch_snippet(state, span.start, definition, reference)
            )
            yield Completion(
                reference,
                CompletionKind.KERNEL,
                span,
                reference,
                ", ".join(parameter_texts(definition)),
                0 if launch else 100,
                snippet,
            )
        elif definition.op_name in ("func.func", "llvm.func", "func"):
            if launch:
                continue
            name = written(definition.label)
            detail = ", ".join(parameter_texts(definition))
            yield Completion(name, CompletionKind.FUNCTION, span, name, detail, 0)
        elif definition.op_name in ("gpu.module", "gpu.binary") and not call:
            name = written(definition.label)
            yield Completion(name, CompletionKind.MODULE, span, name, definition.op_name, 20)


def _launch_snippet(state: FileState, offset: int, kernel: Definition, reference: str) -> str:
    """Return the rest of a launch, with the nearest value of its type for each argument of the kernel."""
    placed = state.source.item_at(offset)
    visible = [] if placed is None else list(visible_values(placed, offset))
    names = {value: placed.item.spans.value_name(value) for value in visible} if placed is not None else {}
    taken: set[SSAValue] = set()
    parts: list[str] = []
    for number, parameter in enumerate(parameter_texts(kernel), 3):
        type = _type_of(parameter)
        value = next((v for v in visible if str(v.type) == type and v not in taken), None)
        if value is not None:
            taken.add(value)
            name = names[value]
        else:
            name = parameter.partition(":")[0].strip() if type != parameter else f"%arg{number - 3}"
        parts.append(f"${{{number}:{name}}} : {type}")
    arguments = f" args({', '.join(parts)})" if parts else ""
    size = _size(names)
    return f"{reference} blocks in (${{1:{size}}}) threads in (${{2:{size}}}){arguments}"


def _size(visible: dict[SSAValue, str]) -> str:
    """Return three sizes: constants that are there, or names for constants that are to be written."""
    constants = [
        name
        for value, name in visible.items()
        if str(value.type) == "index" and isinstance(value, OpResult) and value.op.name == "arith.constant"
    ]
    size = "%c1" if "%c1" in constants or not constants else constants[0]
    return ", ".join([size] * 3)


def _blocks(state: FileState, span: Span) -> Iterator[Completion]:
    placed = state.source.item_at(span.start)
    if placed is None:
        return
    for block, place in placed.item.spans.blocks.items():
        name = place.of(placed.item.text).split("(")[0].rstrip(":")
        types = ", ".join(str(argument.type) for argument in block.args)
        yield Completion(name, CompletionKind.BLOCK, span, name, types)


def _aliases(state: FileState, span: Span, sigil: str) -> Iterator[Completion]:
    chunk = state.source.chunk_at(span.start)
    words = dict[str, None]()
    kind = TokenKind.ATTRIBUTE if sigil == "#" else TokenKind.TYPE
    for token in tokens(state.text, *chunk.span):
        word = state.text[token.start : token.end]
        is_name = word.startswith(sigil) and len(word) > 1 and not word[1:].isdigit()
        if token.kind is kind and is_name and token.start != span.start:
            words[word] = None
    builtin = (
        ("#nvvm.target", "#rocdl.target")
        if sigil == "#"
        else ("!gpu.async.token", "!async.token", "!llvm.ptr")
    )
    for word in dict.fromkeys((*words, *builtin)):
        yield Completion(word, CompletionKind.ALIAS, span, word)


def _among_types(statement: str) -> bool | None:
    """Tell whether `statement` ends inside the angle brackets of a type (True), where a type begins (False),
    or where none stands (None): types are behind a colon that is none of `::`, or an arrow."""
    colon, arrow = statement.rfind(":"), statement.rfind("->")
    at = max(colon, arrow + 1 if arrow >= 0 else -1)
    if at < 0 or statement[max(at - 1, 0) : at] == ":":
        return None
    tail = statement[at + 1 :]
    if any(sign in tail for sign in '\n{}"='):
        return None
    return tail.count("<") > tail.replace("->", "").count(">")


def _types(state: FileState, span: Span) -> Iterator[Completion]:
    """The types of the values that are visible, the nearest first, then those that much code has."""
    placed = state.source.item_at(span.start)
    known = dict.fromkeys(f"{value.type}" for value in visible_values(placed, span.start)) if placed else {}
    for rank, name in enumerate(dict.fromkeys((*known, *_COMMON_TYPES))):
        yield Completion(name, CompletionKind.ALIAS, span, name, rank=rank)


_COMMON_TYPES = (
    "index", "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64",
    "memref<?xf32>", "!gpu.async.token", "!async.token", "!llvm.ptr",
)  # fmt: skip


def _ops(span: Span, has_results: bool) -> Iterator[Completion]:
    for name, doc in OP_DOCS.items():
        gives = doc.syntax.startswith("%")
        snippet = doc.snippet
        if gives and not has_results and name in _TOKEN_RESULTS and "async" in snippet:
            snippet = f"{_TOKEN_RESULTS[name]} = {snippet}"
        rank = 0 if gives == has_results or name in _TOKEN_RESULTS else 10
        rank += 5 if name.startswith("async.") or name in _ENDS else 0
        yield Completion(name, CompletionKind.OP, span, name, doc.summary.split(". ")[0], rank, snippet)
    for name in _OTHER_OPS:
        yield Completion(name, CompletionKind.OP, span, name, rank=20)


def _ops_of_dialect(span: Span, typed: str) -> Iterator[Completion]:
    """The ops of the dialect that has been named, of MLIR or of the user's own."""
    for name in table_ops(typed):
        if name not in OP_DOCS and name not in _OTHER_OPS:
            yield Completion(name, CompletionKind.OP, span, name, table_summary(name), rank=30)


def _attributes(span: Span, statement: str) -> Iterator[Completion]:
    """The names of attributes, in the dictionary of an op that has no region it could be."""
    opened = _DICTIONARY.search(statement)
    before = statement[: opened.start()] if opened is not None else ""
    names = [each for each in _NAMES.findall(before) if "." in each and not has_regions(each)]
    if opened is None or not names:
        return
    for rank, name in enumerate(attribute_names(names[-1])):
        if not re.search(rf"\b{re.escape(name)}\b", opened[0]):
            yield Completion(name, CompletionKind.KEYWORD, span, name, names[-1], rank, f"{name} = $1")


_DICTIONARY = re.compile(r"\{(?:[^{}\n]*,)?\s*$")
_NAMES = re.compile(r"[A-Za-z_][\w.]*")

_ENDS = frozenset({"gpu.return", "gpu.terminator"})
"""Ops that end a region: a region is more often written on."""

_TOKEN_RESULTS = {
    "gpu.alloc": "%memref, %token",
    "gpu.dealloc": "%token",
    "gpu.memcpy": "%token",
    "gpu.memset": "%token",
    "gpu.launch_func": "%token",
}
"""What the ops that return a token are written with where the line names no results yet."""

_OTHER_OPS = (
    "arith.addf",
    "arith.addi",
    "arith.cmpi",
    "arith.constant",
    "arith.mulf",
    "arith.muli",
    "arith.select",
    "cf.br",
    "cf.cond_br",
    "func.call",
    "func.func",
    "func.return",
    "memref.alloc",
    "memref.alloca",
    "memref.cast",
    "memref.dealloc",
    "memref.load",
    "memref.store",
    "memref.subview",
    "module",
    "return",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
)
"""Ops that stand beside gpu ops in host code."""


def _keywords(span: Span, statement: str) -> Iterator[Completion]:
    """The keywords of the op that is being written, but for those that are there."""
    names = re.findall(r"[A-Za-z_][\w.]*", statement)
    name = next((n for n in reversed(names) if n in KEYWORDS or ("." in n and format_words(n))), None)
    if name is None:
        return
    rest = set(re.findall(r"\w+", statement[statement.rfind(name) + len(name) :]))
    for rank, word in enumerate(KEYWORDS.get(name) or format_words(name)):
        if word.split()[0] not in rest:
            opens = word.endswith(" in") or word == "args"
            yield Completion(
                word,
                CompletionKind.KEYWORD,
                span,
                word,
                name,
                rank,
                f"{word}{' ' * (word != 'args')}($1)" if opens else "",
            )
