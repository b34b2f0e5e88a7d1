"""Translates arithmetic, comparisons and selects of the llvm dialect."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.body import Body, Handler
from gpuasync_lsp.lowering.llvm_ir.intrinsics import FCMP
from gpuasync_lsp.lowering.llvm_ir.reading import choice, flags
from gpuasync_lsp.syntax.dialects.llvm import ICMP_PREDICATES


def _fneg(body: Body, op: Operation) -> None:
    body.define(op, f"fneg{flags(op)} {body.typed(op.operands[0])}")


def _icmp(body: Body, op: Operation) -> None:
    left, right = op.operands
    body.define(
        op, f"icmp {choice(op, 'predicate', ICMP_PREDICATES)} {body.typed(left)}, {body.value(right)}"
    )


def _fcmp(body: Body, op: Operation) -> None:
    left, right = op.operands
    body.define(
        op, f"fcmp{flags(op)} {choice(op, 'predicate', FCMP)} {body.typed(left)}, {body.value(right)}"
    )


def _select(body: Body, op: Operation) -> None:
    body.define(op, f"select{flags(op)} " + ", ".join(body.typed(o) for o in op.operands))


def _freeze(body: Body, op: Operation) -> None:
    body.define(op, f"freeze {body.typed(op.operands[0])}")


HANDLERS: Mapping[str, Handler] = {
    "llvm.fneg": _fneg,
    "llvm.icmp": _icmp,
    "llvm.fcmp": _fcmp,
    "llvm.select": _select,
    "llvm.freeze": _freeze,
}
