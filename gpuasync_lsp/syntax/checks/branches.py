"""What BranchOpInterface asks of every branch: each successor takes the operands that go to it.

The branches of `cf` ask this themselves, in `syntax/dialects/cf.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View
from gpuasync_lsp.syntax.dialects.cf import check_successors

_OPERANDS: Mapping[str, tuple[str, ...]] = {
    "llvm.br": ("destOperands",),
    "llvm.cond_br": ("trueDestOperands", "falseDestOperands"),
    "llvm.indirectbr": ("succOperands",),
    "llvm.invoke": ("normalDestOperands", "unwindDestOperands"),
    "llvm.switch": ("defaultOperands", "caseOperands"),
    "spirv.Branch": ("targetOperands",),
    "spirv.BranchConditional": ("trueTargetOperands", "falseTargetOperands"),
}
"""The groups of operands that go to successors, in the order of these."""
_SEGMENTS: Mapping[str, str] = {
    "caseOperands": "case_operand_segments",
    "succOperands": "indbr_operand_segments",
}
"""Groups of several successors, with the attribute that says how many operands go to each."""


def branch_refusal(op: Operation) -> Refusal | None:
    """Return what is wrong with what the branch `op` passes on, None where nothing is or it is not known."""
    names = _OPERANDS.get(op.name)
    if names is None or isinstance(op, UnregisteredOp):
        return None
    try:
        passed = _passed(View(op), names)
    except NotKnown:
        return None
    if len(passed) != len(op.successors):
        return None
    try:
        check_successors(op, passed)
    except VerifyException as error:
        return Refusal(str(error), bare=True)
    return None


def _passed(view: View, names: Sequence[str]) -> list[Sequence[SSAValue]]:
    passed: list[Sequence[SSAValue]] = []
    for name in names:
        values = view.values(name)
        if name not in _SEGMENTS:
            passed.append(values)
            continue
        sizes = view.integers(_SEGMENTS[name])
        if sum(sizes) != len(values) or any(size < 0 for size in sizes):
            raise NotKnown
        for size in sizes:
            passed.append(values[:size])
            values = values[size:]
    return passed
