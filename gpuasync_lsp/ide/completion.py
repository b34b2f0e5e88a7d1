"""Completion: values by what the place takes, kernels with their arguments, ops and their keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from xdsl.ir import Block, SSAValue

from gpuasync_lsp.analysis import AsyncFunction, Handle
from gpuasync_lsp.ide.mentions import mentions, op_at
from gpuasync_lsp.ide.op_docs import OP_DOCS, op_documentation
from gpuasync_lsp.ide.signature_help import parameter_texts
from gpuasync_lsp.ide.state import FileState
from gpuasync_lsp.ide.streams import function_with, label
from gpuasync_lsp.ide.symbols import Definition, definitions
from gpuasync_lsp.ide.tokens import TokenKind, tokens
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType
from gpuasync_lsp.syntax.source import PlacedItem
from gpuasync_lsp.text import Span

_PREFIX = re.compile(r'(?:[%^#!@][\w$.\-]*(?:::@[\w$.]*)?|@"[^"\n]*|[A-Za-z_][\w$.]*)$')
_DEPENDENCIES = re.compile(r"\basync\s*\[([^\]\n]*)$|\bgpu\.wait\s*\[([^\]\n]*)$")
_STATEMENT = re.compile(r"(?:^|[{}])\s*(?:%[\w$.\-:, %]+=\s*)?[\w.]*$")
_WANTS_MEMREF = re.compile(
    r"gpu\.(?:memcpy|memset|dealloc|host_\w+)\b(?:\s*async)?(?:\s*\[[^\]]*\])?\s*$|gpu\.memcpy\b.*,\s*$"
)
_LAUNCH = re.compile(r"gpu\.launch_func\b[^@\n]*$")


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
    """Return the suggestions for the place `offset`, best first."""
    text = state.text
    start = text.rfind("\n", 0, offset) + 1
    before = text[start:offset]
    if "//" in before and any(token.kind is TokenKind.COMMENT for token in tokens(before)):
        return []
    match = _PREFIX.search(before)
    prefix = match[0] if match else ""
    span = Span(offset - len(prefix), offset)
    head = before[: len(before) - len(prefix)]
    dependencies = _DEPENDENCIES.search(before)
    if dependencies is not None:
        written = dependencies[1] if dependencies[1] is not None else dependencies[2]
        found = list(_dependencies(state, span, written or ""))
    elif prefix.startswith("%"):
        found = list(_values(state, span, head))
    elif prefix.startswith("@"):
        found = list(_symbols(state, span, head))
    elif prefix.startswith("^"):
        found = list(_blocks(state, span))
    elif prefix[:1] in ("#", "!"):
        found = list(_aliases(state, span, prefix[0]))
    elif _STATEMENT.search(before):
        found = list(_ops(span, bool(re.search(r"=\s*[\w.]*$", before))))
    else:
        found = list(_keywords(span, head))
    typed = prefix.lower()
    fitting = [c for c in found if typed in c.label.lower()]
    return sorted(fitting, key=lambda c: (not c.label.lower().startswith(typed), c.rank, c.label))


def documentation(name: str) -> str | None:
    """Return the Markdown for a suggested op, or None."""
    return op_documentation(name)


def _dependencies(state: FileState, span: Span, written: str) -> Iterator[Completion]:
    """Tokens only: first those whose stream the list does not name yet, the nearest first."""
    placed = state.source.item_at(span.start)
    if placed is None:
        return
    functions = state.models(placed)
    named = set(re.findall(r"%[\w$.\-]+(?:#\d+)?", written[: len(written) - (span.end - span.start)]))
    covered: set[Handle] = set()
    visible = list(_visible(placed, span.start))
    for value in visible:
        function = function_with(functions, value)
        handle = None if function is None else function.handle(value)
        if placed.item.spans.value_name(value) in named and handle is not None:
            covered.add(handle)
    for distance, value in enumerate(visible):
        name = placed.item.spans.value_name(value)
        if not isinstance(value.type, AsyncTokenType) or name in named:
            continue
        function = function_with(functions, value)
        handle = None if function is None else function.handle(value)
        ordered = handle in covered
        where = _label(function, handle)
        detail = f"{where}, ordered already" if ordered else where
        yield Completion(name, CompletionKind.VALUE, span, name, detail, distance + 10_000 * ordered)


def _label(function: AsyncFunction | None, handle: Handle | None) -> str:
    return "" if function is None or handle is None else label(function, handle)


def _values(state: FileState, span: Span, head: str) -> Iterator[Completion]:
    placed = state.source.item_at(span.start)
    if placed is None:
        return
    wants_memref = _WANTS_MEMREF.search(head)
    for distance, value in enumerate(_visible(placed, span.start)):
        name = placed.item.spans.value_name(value)
        fits = not wants_memref or value.type.name in ("memref", "unranked_memref")
        rank = distance + (0 if fits else 10_000)
        yield Completion(name, CompletionKind.VALUE, span, name, f"{value.type}", rank)


def _visible(placed: PlacedItem, offset: int) -> Iterator[SSAValue]:
    """Yield the values that an op at `offset` may use, the nearest definition first."""
    local = offset - placed.offset
    here = op_at(placed.item, local)
    blocks: set[Block] = set()
    if here is not None:
        # At a new line the op around the cursor is the function itself: all its blocks count.
        for region in here.regions:
            blocks |= set(region.blocks)
    block = None if here is None else here.parent
    while block is not None:
        blocks.add(block)
        region = block.parent
        if region is not None:
            # A block sees what its dominators define; those before it in the text are taken for that.
            blocks |= set(region.blocks)
        parent = block.parent_op()
        block = None if parent is None else parent.parent
    seen: set[SSAValue] = set()
    for mention in reversed(mentions(placed.item)):
        value = mention.value
        if not mention.defines or mention.span.start >= local or value in seen:
            continue
        home = value.owner if isinstance(value.owner, Block) else value.owner.parent
        if here is value.owner or (home is not None and home not in blocks):
            continue
        seen.add(value)
        yield value


def _symbols(state: FileState, span: Span, head: str) -> Iterator[Completion]:
    known = list(definitions(state.source.chunk_at(span.start)))
    launch = _LAUNCH.search(head) is not None
    closed = "blocks" in state.lines.line_text(state.lines.position(span.start)[0])
    for definition in known:
        reference = "::".join(f"@{part}" for part in definition.path[-2:])
        if definition.is_kernel and len(definition.path) > 1:
            snippet = "" if closed or not launch else _launch_snippet(definition, reference)
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
            name = f"@{definition.label}"
            detail = ", ".join(parameter_texts(definition))
            yield Completion(name, CompletionKind.FUNCTION, span, name, detail, 50 if launch else 0)
        elif definition.op_name in ("gpu.module", "gpu.binary"):
            name = f"@{definition.label}"
            yield Completion(name, CompletionKind.MODULE, span, name, definition.op_name, 20)


def _launch_snippet(kernel: Definition, reference: str) -> str:
    """Return the rest of a launch, with a place for each argument of the kernel."""
    parts: list[str] = []
    for number, parameter in enumerate(parameter_texts(kernel), 3):
        name, colon, type = parameter.partition(":")
        if not colon:
            name, type = f"%arg{number - 3}", parameter
        parts.append(f"${{{number}:{name.strip()}}} : {type.strip()}".replace("}}", "}"))
    arguments = f" args({', '.join(parts)})" if parts else ""
    sizes = "blocks in (${1:%c1, %c1, %c1}) threads in (${2:%c1, %c1, %c1})"
    return f"{reference} {sizes}{arguments}"


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


def _ops(span: Span, has_results: bool) -> Iterator[Completion]:
    for name, doc in OP_DOCS.items():
        gives = doc.syntax.startswith("%")
        snippet = doc.snippet
        if gives and not has_results and name in _TOKEN_RESULTS and "async" in snippet:
            snippet = f"{_TOKEN_RESULTS[name]} = {snippet}"
        rank = 0 if gives == has_results or name in _TOKEN_RESULTS else 10
        yield Completion(name, CompletionKind.OP, span, name, doc.summary.split(". ")[0], rank, snippet)
    for name in _OTHER_OPS:
        yield Completion(name, CompletionKind.OP, span, name, rank=20)


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

_SYNTAX = {
    "gpu.launch_func": (
        "async",
        "clusters in",
        "blocks in",
        "threads in",
        "dynamic_shared_memory_size",
        "args",
    ),
    "gpu.launch": (
        "async",
        "clusters",
        "blocks",
        "threads",
        "dynamic_shared_memory_size",
        "workgroup",
        "private",
    ),
    "gpu.alloc": ("async", "host_shared"),
    "gpu.dealloc": ("async",),
    "gpu.memcpy": ("async",),
    "gpu.memset": ("async",),
    "gpu.wait": ("async",),
    "gpu.func": ("kernel", "workgroup", "private", "attributes"),
    "func.func": ("private", "public", "attributes"),
    "gpu.module": ("attributes",),
    "module": ("attributes",),
    "gpu.thread_id": ("x", "y", "z"),
    "gpu.block_id": ("x", "y", "z"),
    "gpu.block_dim": ("x", "y", "z"),
    "gpu.grid_dim": ("x", "y", "z"),
    "gpu.global_id": ("x", "y", "z"),
}
"""The keywords of each op's assembly, in their order."""


def _keywords(span: Span, head: str) -> Iterator[Completion]:
    names = re.findall(r"[A-Za-z_][\w.]*", head)
    name = next((n for n in reversed(names) if n in _SYNTAX), None)
    if name is None:
        return
    rest = head[head.rfind(name) + len(name) :]
    for rank, word in enumerate(_SYNTAX[name]):
        if not re.search(rf"\b{word.split()[0]}\b", rest):
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
