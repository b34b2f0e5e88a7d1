"""cf: branch weights."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.view import First
from gpuasync_lsp.syntax.checks.weights import branch_weights
from gpuasync_lsp.syntax.dialects import cf
from gpuasync_lsp.syntax.dialects.assembly import fail


def _verify_switch(op: cf.SwitchOp) -> None:
    if len(op.case_operand) != len(op.case_blocks):
        fail(op, "number of case values should match number of case destinations")


FIRST: First = {"cf.switch": _verify_switch}

CHECKS = {"cf.cond_br": branch_weights}
