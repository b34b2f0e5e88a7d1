"""Lowers vector.broadcast: that of a vector is unrolled, that of a scalar becomes vector.splat if it exists.

Source: mlir/lib/Dialect/Vector/Transforms/LowerVectorBroadcast.cpp; compared with all releases.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import AnyVector, Builder
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.kinds import vector_type


def lower_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """Unroll a broadcast along its first dimension."""
    (source,) = op.operands
    result = vector_type(op.results[0].type)
    builder = Builder(rewriter, op)
    given = making.as_vector(source.type)
    if given is None:
        if rewriter.profile.broadcasts_scalars:
            return False
        rewriter.replace(op, [builder.create(vector.SplatOp, [source], result)])
        return True
    have, want = list(given.get_shape()), list(result.get_shape())
    if len(want) == 1 and len(have) <= 1:
        element = making.extract(builder, source, *[0] * len(have))
        rewriter.replace(op, [making.broadcast(builder, element, result)])
        return True
    if len(have) < len(want):
        rewriter.replace(op, [_repeat(builder, source, result)])
        return True
    stretched = next((n for n, (a, b) in enumerate(zip(have, want, strict=True)) if a != b), None)
    if stretched is None:
        rewriter.replace(op, [source])
        return True
    if stretched and making.scalable(result)[0] and rewriter.profile.greedy_prepass:
        return False
    whole = making.nothing(builder, result)
    inner = making.without_front(result)
    if stretched == 0:
        part = making.broadcast(builder, making.extract(builder, source, 0), inner)
        rewriter.replace(op, [_put_everywhere(builder, part, whole)])
        return True
    for place in range(want[0]):
        part = making.broadcast(builder, making.extract(builder, source, place), inner)
        whole = making.insert(builder, part, whole, place)
    rewriter.replace(op, [whole])
    return True


def _repeat(builder: Builder, source: SSAValue, result: AnyVector) -> SSAValue:
    part = making.broadcast(builder, source, making.without_front(result))
    return _put_everywhere(builder, part, making.nothing(builder, result))


def _put_everywhere(builder: Builder, part: SSAValue, whole: SSAValue) -> SSAValue:
    for place in range(making.of(whole).get_shape()[0]):
        whole = making.insert(builder, part, whole, place)
    return whole
