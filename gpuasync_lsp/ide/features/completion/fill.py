"""Fills the placeholders of an op's snippet with what is in scope: tokens, operands, the only kernel."""

from __future__ import annotations

import re

from xdsl.ir import SSAValue

from gpuasync_lsp.ide.features.completion.place import Cursor
from gpuasync_lsp.ide.features.completion.symbols import kernels, launch
from gpuasync_lsp.ide.features.completion.values import free_tokens
from gpuasync_lsp.ide.features.completion.wanted import LIKE, fits_chosen
from gpuasync_lsp.ide.lookup.symbols import written
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.ods.table import Variant, entry
from gpuasync_lsp.syntax.printer import attribute_text

_PLACE = re.compile(r"\$\{(\d+):([^}|]+)\}")
_TYPE = "type "


def filled(cursor: Cursor, name: str, snippet: str) -> str:
    """Return `snippet` of the op `name` with the nearest matching values in its placeholders.

    `${1:%token}` is the placeholder of a dependency, `${2:%dst}` that of the operand `dst`, and `${3:type
    dst}` that of its type. Placeholders without a match remain.
    """
    if name == "gpu.wait" and cursor.has_results:
        return "gpu.wait async"
    found = entry(name)
    if found is None:
        return snippet
    tokens = free_tokens(cursor)
    token = tokens[0] if tokens else ""
    if name == "gpu.launch_func":
        known = kernels(cursor)
        if len(known) == 1:
            reference = "::".join(map(written, known[0].path[-2:]))
            return f"gpu.launch_func async [${{1:{token}}}] {launch(cursor, known[0], reference, first=2)}"
    chosen: dict[str, SSAValue] = {}

    def place(match: re.Match[str]) -> str:
        number, text = match.groups()
        if text == "%token":
            text = token
        elif text.startswith(_TYPE):
            of = text.removeprefix(_TYPE)
            value = chosen.get(of) or chosen.get(LIKE.get(of, ""))
            text = attribute_text(value.type) if value is not None else "memref<?xf32>"
        elif text.startswith("%"):
            text = _operand(cursor, found.variants[-1], text[1:], chosen) or text
        return f"${{{number}:{text}}}" if text else f"${number}"

    return _PLACE.sub(place, snippet)


def _operand(cursor: Cursor, variant: Variant, operand: str, chosen: dict[str, SSAValue]) -> str | None:
    """Return the name of the nearest value that can be the operand, and record it in `chosen`."""
    constraint = dict(variant.operands).get(operand)
    if constraint is None:
        return None
    for name, value in cursor.visible.items():
        is_free = value not in chosen.values() and fits_chosen(operand, value.type, chosen)
        if is_free and (constraint.predicate is None or holds(constraint.predicate, value.type) is True):
            chosen[operand] = value
            return name
    return None
