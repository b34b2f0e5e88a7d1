"""Translates branches of the llvm dialect; their operands become phis in the target blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Block, Operation, SSAValue

from gpuasync_lsp.lowering.llvm_ir.body import Body, Handler
from gpuasync_lsp.lowering.llvm_ir.reading import int_list
from gpuasync_lsp.lowering.llvm_ir.types import ir_type


def _branch(body: Body, op: Operation) -> None:
    body.put(f"br label %{body.edge(op.successors[0], op.operands, set())}", op)


def _conditional_branch(body: Body, op: Operation) -> None:
    sizes = int_list(op, "operandSegmentSizes")
    condition, *rest = op.operands
    taken: set[Block] = set()
    pending: list[tuple[str, Block, Sequence[SSAValue]]] = []
    yes = body.edge(op.successors[0], rest[: sizes[1]], taken, pending)
    no = body.edge(op.successors[1], rest[sizes[1] :], taken, pending)
    body.put(f"br {body.typed(condition)}, label %{yes}, label %{no}", op)
    body.trampolines(pending)


def _switch(body: Body, op: Operation) -> None:
    sizes = int_list(op, "operandSegmentSizes")
    value, *rest = op.operands
    cases = int_list(op, "case_values")
    segments = int_list(op, "case_operand_segments") or [0] * len(cases)
    taken: set[Block] = set()
    pending: list[tuple[str, Block, Sequence[SSAValue]]] = []
    default = body.edge(op.successors[0], rest[: sizes[1]], taken, pending)
    start = sizes[1]
    texts: list[str] = []
    for number, (case, target) in enumerate(zip(cases, op.successors[1:], strict=True)):
        operands = rest[start : start + segments[number]]
        start += segments[number]
        texts.append(f"{ir_type(value.type)} {case}, label %{body.edge(target, operands, taken, pending)}")
    body.put(f"switch {body.typed(value)}, label %{default} [ {' '.join(texts)} ]", op)
    body.trampolines(pending)


def _return(body: Body, op: Operation) -> None:
    body.put("ret " + (body.typed(op.operands[0]) if op.operands else "void"), op)


def _unreachable(body: Body, op: Operation) -> None:
    body.put("unreachable", op)


HANDLERS: Mapping[str, Handler] = {
    "llvm.br": _branch,
    "llvm.cond_br": _conditional_branch,
    "llvm.switch": _switch,
    "llvm.return": _return,
    "llvm.unreachable": _unreachable,
}
