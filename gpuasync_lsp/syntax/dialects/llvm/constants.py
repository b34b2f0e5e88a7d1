"""Constants of the llvm dialect, and other ops with only a type."""

from __future__ import annotations

from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table

ConstantOp = from_table("llvm.mlir.constant", TableOp)
ZeroOp = from_table("llvm.mlir.zero", TableOp)
UndefOp = from_table("llvm.mlir.undef", TableOp)
PoisonOp = from_table("llvm.mlir.poison", TableOp)
NullOp = from_table("llvm.mlir.null", TableOp)
"""Up to LLVM 17; replaced by llvm.mlir.zero."""
StackSaveOp = from_table("llvm.intr.stacksave", TableOp)
