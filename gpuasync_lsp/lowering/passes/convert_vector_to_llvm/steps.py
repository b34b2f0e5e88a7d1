"""Lowers vector.step of static length to a constant. Source: LowerVectorStep.cpp, since LLVM 19."""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import Builder
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import dense, vector_type


def lower_step(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a vector.step with a constant."""
    type = vector_type(op.results[0].type)
    if any(making.scalable(type)):
        return False
    value = dense(type, list(range(type.get_shape()[0])))
    made = arith.ConstantOp.create(result_types=[type], properties={"value": value})
    rewriter.replace(op, [Builder(rewriter, op).value(made)])
    return True
