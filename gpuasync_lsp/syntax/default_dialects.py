"""Ops inside which the prefix of a dialect may be omitted: `return` for `func.return` in a func.func.

This applies only to ops directly inside: in a region of a nested op, such as scf.if, the name must
include its dialect (`func.call`). An op in generic form has no default dialect. Source:
`getDefaultDialect` of the ops, and the output of mlir-opt 16, 19 and 22.
"""

from __future__ import annotations

from gpuasync_lsp.syntax.ods.table import entry

DEFAULT_DIALECTS = {
    "builtin.module": "builtin",
    "func.func": "func",
    "async.func": "async",
    "transform.sequence": "transform",
}
"""Maps the name of an op to the default dialect inside it."""

_NOT_KNOWN = frozenset({"emitc", "irdl", "ml_program", "pdl_interp", "smt", "wasmssa"})
"""Dialects with ops that have a default dialect in some releases."""


def default_dialect(op_name: str) -> str | None:
    """Return the dialect whose prefix ops directly inside an op may omit: "" for none, None if unknown."""
    known = DEFAULT_DIALECTS.get(op_name)
    if known is not None:
        return known
    return "" if op_name.partition(".")[0] not in _NOT_KNOWN and entry(op_name) is not None else None


def complaint(name: str, default: str) -> str:
    """Return mlir-opt's error for an unknown op whose `name` has no prefix."""
    if default:
        return f"custom op '{name}' is unknown (tried '{default}.{name}' as well)"
    return f"Dialect `' not found for custom op '{name}'  (tried '.{name}' as well)"
