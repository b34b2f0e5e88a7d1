"""BranchOpInterface: checks that the operands for each successor match the successor's arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.assembly import same_type

_OPERANDS: Mapping[str, tuple[str, ...]] = {
    "cf.br": ("destOperands",),
    "cf.cond_br": ("trueDestOperands", "falseDestOperands"),
    "cf.switch": ("defaultOperands", "caseOperands"),
    "llvm.br": ("destOperands",),
    "llvm.cond_br": ("trueDestOperands", "falseDestOperands"),
    "llvm.indirectbr": ("succOperands",),
    "llvm.invoke": ("normalDestOperands", "unwindDestOperands"),
    "llvm.switch": ("defaultOperands", "caseOperands"),
}
"""The operand group for each successor, in order; several successors may share the last group."""
_SEGMENTS: Mapping[str, str] = {
    "cf.switch": "case_operand_segments",
    "llvm.indirectbr": "indbr_operand_segments",
    "llvm.switch": "case_operand_segments",
}
"""The attribute with the operand count per successor, for ops whose successors share the last group."""


def branch_error(op: Operation) -> VerifierError | None:
    """Return the error for the successor operands of the branch `op`; None if valid or unknown."""
    names = _OPERANDS.get(op.name)
    if names is None or isinstance(op, UnregisteredOp):
        return None
    try:
        passed = _passed(View(op), names)
    except NotKnown:
        return None
    if len(passed) != len(op.successors):
        return None
    words = _unfit(op, passed)
    return None if words is None else VerifierError(words, bare=True)


def _unfit(op: Operation, passed: Sequence[Sequence[SSAValue]]) -> str | None:
    for index, (block, values) in enumerate(zip(op.successors, passed, strict=True)):
        if block.parent is None:
            continue
        if len(values) != len(block.args):
            counts = f"{len(values)} operands for successor #{index}, but target block has {len(block.args)}"
            return f"branch has {counts}"
        for position, (value, argument) in enumerate(zip(values, block.args, strict=True)):
            if not same_type(value.type, argument.type):
                return f"type mismatch for bb argument #{position} of successor #{index}"
    return None


def _passed(view: View, names: Sequence[str]) -> list[Sequence[SSAValue]]:
    passed: list[Sequence[SSAValue]] = []
    for name in names:
        values = view.values(name)
        if name != names[-1] or view.op.name not in _SEGMENTS:
            passed.append(values)
            continue
        sizes = view.integers(_SEGMENTS[view.op.name])
        if sum(sizes) != len(values) or any(size < 0 for size in sizes):
            raise NotKnown
        for size in sizes:
            passed.append(values[:size])
            values = values[size:]
    return passed
