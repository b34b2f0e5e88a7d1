"""Completion of ops at the beginning of a statement, as snippets with result names and placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.ide.features.completion.fill import filled
from gpuasync_lsp.ide.features.completion.place import Cursor
from gpuasync_lsp.ide.features.completion.snippets import result_names, snippet_of
from gpuasync_lsp.ide.features.completion.suggestion import Completion, CompletionKind
from gpuasync_lsp.ide.lookup.custom_formats import full_name
from gpuasync_lsp.ide.lookup.op_docs import OP_DOCS
from gpuasync_lsp.ide.lookup.op_tables import table_summary
from gpuasync_lsp.ide.lookup.visible_values import enclosing_op
from gpuasync_lsp.syntax.ods.table import absence, dialect_names, entry, ops_of
from gpuasync_lsp.syntax.opaque import OpaqueOp

_COMMON = (
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
"""Common ops in GPU code from non-GPU dialects, which are suggested before their dialect is typed."""
_MODULE = "module attributes {gpu.container_module} {\n  $0\n}"
"""A module that may launch kernels."""
_ON_THE_DEVICE = frozenset(
    f"gpu.{name}"
    for name in ("barrier", "thread_id", "block_id", "block_dim", "grid_dim", "global_id", "printf")
)
_LEAST_OF_A_DIALECT = 2
"""The number of characters of a dialect's name that must be typed before its ops are suggested."""
_FIRST = {
    "": ("module", "func.func", "gpu.module"),
    "builtin.module": ("func.func", "gpu.module"),
    "gpu.module": ("gpu.func",),
}
"""Maps an op, empty for the top level, to the ops that usually begin in its region."""
_ELSEWHERE, _OUT_OF_PLACE = 20, 50
"""Rank penalties for an op that is rarely wanted here, and for one that is not allowed here."""


def ops(cursor: Cursor) -> Iterator[Completion]:
    """Yield the ops of the target release that may begin at the cursor.

    Once a dialect's name is typed, they include all ops of that dialect."""
    typed = cursor.typed
    dialect = typed.partition(".")[0]
    names = dict.fromkeys((*OP_DOCS, *_COMMON))
    if "." in typed:
        names.update(dict.fromkeys(ops_of(dialect)))
    elif len(typed) >= _LEAST_OF_A_DIALECT:
        for known in sorted(dialect_names()):
            if known.startswith(typed):
                names.update(dict.fromkeys(ops_of(known)))
    around = enclosing_op(cursor.placed, cursor.span.start) if cursor.placed is not None else None
    version = cursor.state.profile.version
    for name in names:
        missing = absence(full_name(name))
        if typed.lower() in name and (missing is None or missing.is_in(version)):
            yield _op(cursor, name, around)


def is_terminator(name: str) -> bool:
    """Return whether an op is known to end a block."""
    found = entry(full_name(name))
    return found is not None and "IsTerminator" in found.variants[-1].traits


def _op(cursor: Cursor, name: str, around: Operation | None) -> Completion:
    doc = OP_DOCS.get(name)
    summary = doc.summary.split(". ")[0] if doc is not None else table_summary(name)
    rank = 0 if doc is not None else _ELSEWHERE if name not in _COMMON else _ELSEWHERE // 2
    results = result_names(cursor, name)
    if cursor.has_results and not results:
        rank += _OUT_OF_PLACE
    if not _belongs(name, around):
        rank += _OUT_OF_PLACE
    elif name.startswith("async."):
        rank += _ELSEWHERE // 4
    elif name in _ON_THE_DEVICE and not _is_device(around):
        rank += _ELSEWHERE
    usual = _FIRST.get("" if around is None else _name(around), ())
    if name in usual:
        rank = usual.index(name) - len(usual)
    if name == "module":
        body = _MODULE
    elif doc is not None and doc.snippet:
        body = filled(cursor, name, doc.snippet)
    else:
        body = snippet_of(cursor, name)
    # An op that waits or copies has a token result only if it is `async`, as in its snippet.
    gives = bool(results) and (doc is None or not re.fullmatch(r"%token\w*", results[-1]) or " async" in body)
    snippet = f"{', '.join(results)} = {body}" if gives and not cursor.has_results else body
    return Completion(name, CompletionKind.OP, cursor.span, name, summary, rank, snippet)


def _belongs(name: str, around: Operation | None) -> bool:
    """Return whether an op belongs in the region of `around` (None: the top level); True if unknown."""
    found = entry(full_name(name))
    if found is None:
        return True
    if around is None or _name(around) == "builtin.module":
        # A module may contain any op, but only ops that define a symbol are useful there.
        return "sym_name" in found.variants[-1].attributes
    parents = {parent.rpartition(".")[2] for rule in found.variants[-1].rule("parent") for parent in rule}
    if not parents:
        return True
    # The tables name parents by their C++ class, a name that several dialects may use.
    dialect, _, kind = _name(around).rpartition(".")
    return kind in parents and dialect in (found.name.partition(".")[0], "builtin")


def _is_device(around: Operation | None) -> bool:
    while around is not None:
        if _name(around) in ("gpu.func", "gpu.launch"):
            return True
        around = around.parent_op()
    return False


def _name(op: Operation) -> str:
    return op.op_name if isinstance(op, OpaqueOp) else op.name
