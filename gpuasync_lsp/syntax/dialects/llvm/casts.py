"""Casts of the llvm dialect."""

from __future__ import annotations

from gpuasync_lsp.syntax.dialects.llvm.arithmetic import FloatOp, OverflowOp
from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table

BitcastOp = from_table("llvm.bitcast", TableOp)
AddrSpaceCastOp = from_table("llvm.addrspacecast", TableOp)
IntToPtrOp = from_table("llvm.inttoptr", TableOp)
PtrToIntOp = from_table("llvm.ptrtoint", TableOp)
SExtOp = from_table("llvm.sext", TableOp)
ZExtOp = from_table("llvm.zext", TableOp)
TruncOp = from_table("llvm.trunc", OverflowOp)
SIToFPOp = from_table("llvm.sitofp", TableOp)
UIToFPOp = from_table("llvm.uitofp", TableOp)
FPToSIOp = from_table("llvm.fptosi", TableOp)
FPToUIOp = from_table("llvm.fptoui", TableOp)
FPExtOp = from_table("llvm.fpext", FloatOp)
FPTruncOp = from_table("llvm.fptrunc", FloatOp)
