"""Lowers vector.transpose to extractions and insertions, or as the pass option specifies.

Source: mlir/lib/Dialect/Vector/Transforms/LowerVectorTranspose.cpp; measured in all releases.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import Builder
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.vectors import positions
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.dialects.assembly import i64_array, integers


def fold_transposes(transpose: vector.TransposeOp, rewriter: Rewriter) -> bool:
    """Fold an identity transposition, and combine two transpositions."""
    order = list(integers(transpose.permutation))
    if order == sorted(order):
        rewriter.replace(transpose, [transpose.vector])
        return True
    inner = transpose.vector.owner
    if not isinstance(inner, vector.TransposeOp):
        return False
    before = list(integers(inner.permutation))
    made = vector.TransposeOp.create(
        operands=[inner.vector],
        result_types=[transpose.result.type],
        properties={"permutation": i64_array([before[number] for number in order])},
    )
    rewriter.replace(transpose, [Builder(rewriter, transpose).value(made)])
    return True


def lower_transpose(transpose: vector.TransposeOp, rewriter: Rewriter) -> bool:
    """Move the parts of a vector that the transposition does not split, one by one."""
    given = making.of(transpose.vector)
    if any(making.scalable(given)[: len(_moved(list(integers(transpose.permutation))))]):
        return False
    order = _moved(list(integers(transpose.permutation)))
    builder = Builder(rewriter, transpose)
    whole = making.nothing(builder, transpose.result.type)
    for place in positions(given.get_shape()[: len(order)]):
        part = making.extract(builder, transpose.vector, *place)
        whole = making.insert(builder, part, whole, *[place[number] for number in order])
    rewriter.replace(transpose, [whole])
    return True


def _moved(order: Sequence[int]) -> list[int]:
    """Return the permutation without its trailing dimensions that are not moved."""
    kept = len(order)
    while kept and order[kept - 1] == kept - 1:
        kept -= 1
    return list(order[:kept])
