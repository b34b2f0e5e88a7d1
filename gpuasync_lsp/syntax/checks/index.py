"""index: casts (IndexOps.cpp)."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerType

from gpuasync_lsp.syntax.checks.view import First
from gpuasync_lsp.syntax.dialects import index
from gpuasync_lsp.syntax.dialects.assembly import fail, typed


def _verify_cast(op: index.CastOp) -> None:
    source, target = op.input.type, op.output.type
    for place, type in (("operand", source), ("result", target)):
        if not isinstance(type, IndexType | IntegerType):
            fail(op, f"{place} #0 must be integer or index, but got {typed(type)}")
    if isinstance(source, IndexType) == isinstance(target, IndexType):
        types = f"{typed(source)} and result type {typed(target)}"
        fail(op, f"operand type {types} are cast incompatible")


FIRST: First = {"index.casts": _verify_cast, "index.castu": _verify_cast}
