"""Ops of the llvm dialect on structs, arrays and vectors."""

from __future__ import annotations

from gpuasync_lsp.syntax.ods.by_table import TableOp, from_table, table_op_definition


@table_op_definition
class ExtractValueOp(TableOp):
    name = "llvm.extractvalue"


InsertValueOp = from_table("llvm.insertvalue", TableOp)
ExtractElementOp = from_table("llvm.extractelement", TableOp)
InsertElementOp = from_table("llvm.insertelement", TableOp)
ShuffleVectorOp = from_table("llvm.shufflevector", TableOp)
