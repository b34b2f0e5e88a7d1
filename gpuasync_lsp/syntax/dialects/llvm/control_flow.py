"""Branches of the llvm dialect."""

from __future__ import annotations

from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table

BrOp = from_table("llvm.br", TableOp)
CondBrOp = from_table("llvm.cond_br", TableOp)
SwitchOp = from_table("llvm.switch", TableOp)
