"""Vectors of several dimensions become arrays of vectors; an op on them becomes one op per innermost row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType
from gpuasync_lsp.syntax.kinds import is_vector


def convert_rows(
    op: Operation,
    rewriter: ConversionRewriter,
    make: Callable[[Sequence[SSAValue], Attribute], SSAValue],
) -> None:
    """Replace `op` with the ops that `make` inserts, given the lowered operands and the result type.

    For arrays of vectors `make` is called for each row, and the resulting rows are combined into an array."""
    operands = rewriter.lowered_all(op.operands)
    type = rewriter.converted(op.results[0].type)
    if not isinstance(operands[0].type, LLVMArrayType):
        rewriter.replace(op, [make(operands, type)])
        return
    if not all(isinstance(each.type, LLVMArrayType) for each in operands):
        rewriter.match_failure("operands are not all arrays of vectors")
    row_type, shape = rows_of(type)
    result = build.undefined(rewriter, type)
    for position in positions(shape):
        rows = [build.extract_value(rewriter, operand, *position) for operand in operands]
        result = build.insert_value(rewriter, make(rows, row_type), result, *position)
    rewriter.replace(op, [result])


def rows_of(type: Attribute) -> tuple[Attribute, Sequence[int]]:
    """Return the vector type inside nested arrays, and the sizes of the arrays."""
    shape: list[int] = []
    while isinstance(type, LLVMArrayType):
        shape.append(type.size.data)
        type = type.type
    return type, shape


def positions(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the position of each row of an array of `shape`."""
    return product(*map(range, shape))


def rank_1(type: Attribute, rewriter: ConversionRewriter) -> VectorType[Attribute]:
    """Return the converted type of a vector of rank 0 or 1; reject others."""
    converted = rewriter.converted(type)
    if not is_vector(converted):
        rewriter.match_failure("only vectors of rank 1 are converted")
    return converted
