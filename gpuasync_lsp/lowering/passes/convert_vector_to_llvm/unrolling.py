"""Ops on vectors of several dimensions that become the same ops on rows.

Source: LowerVectorBitCast, -Interleave, -Gather, -FromElements, -ToElements and `VectorFMAOpNDRewritePattern`
of MLIR; measured in 16 to 24.
"""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import AnyVector, Builder
from gpuasync_lsp.syntax.dialects import vector


def unroll_bitcast(op: Operation, rewriter: Rewriter) -> bool:
    """Cast row by row."""
    (source,) = op.operands
    result = cast(AnyVector, op.results[0].type)
    places = making.rows(result)
    if places is None:
        return False
    builder = Builder(rewriter, op)
    row = making.without_front(result, len(places[0]))
    whole = making.nothing(builder, result)
    for place in places:
        part = making.extract(builder, source, *place)
        made = vector.BitCastOp.create(operands=[part], result_types=[row])
        whole = making.insert(builder, builder.value(made), whole, *place)
    rewriter.replace(op, [whole])
    return True


def unroll_interleave(op: Operation, rewriter: Rewriter) -> bool:
    """Interleave row by row."""
    result = cast(AnyVector, op.results[0].type)
    places = making.rows(result)
    if places is None:
        return False
    builder = Builder(rewriter, op)
    row = making.without_front(result, len(places[0]))
    whole = making.zero(builder, result)
    for place in places:
        parts = [making.extract(builder, value, *place) for value in op.operands]
        made = making.by_table(builder, op.name, parts, [row])
        whole = making.insert(builder, made.results[0], whole, *place)
    rewriter.replace(op, [whole])
    return True


def unroll_deinterleave(op: Operation, rewriter: Rewriter) -> bool:
    """Deinterleave row by row."""
    result = cast(AnyVector, op.results[0].type)
    places = making.rows(result)
    if places is None:
        return False
    builder = Builder(rewriter, op)
    row = making.without_front(result, len(places[0]))
    even = odd = making.zero(builder, result)
    for place in places:
        part = making.extract(builder, op.operands[0], *place)
        made = making.by_table(builder, op.name, [part], [row, row])
        even = making.insert(builder, made.results[0], even, *place)
        odd = making.insert(builder, made.results[1], odd, *place)
    rewriter.replace(op, [even, odd])
    return True


def unroll_gather(op: Operation, rewriter: Rewriter) -> bool:
    """Gather row by row."""
    gather = cast(vector.GatherOp, op)
    result = cast(AnyVector, gather.result.type)
    if len(result.get_shape()) < 2 or making.scalable(result)[0]:
        return False
    builder = Builder(rewriter, op)
    unrolls = rewriter.profile.unrolls_elements
    whole = making.nothing(builder, result) if unrolls else making.zero(builder, result)
    for place in range(result.get_shape()[0]):
        parts = [
            making.extract(builder, value, place) for value in (gather.offsets, gather.mask, gather.pass_thru)
        ]
        made = vector.GatherOp.create(
            operands=[gather.base, *gather.indices, *parts],
            result_types=[making.without_front(result)],
            properties=dict(gather.properties),
        )
        whole = making.insert(builder, builder.value(made), whole, place)
    rewriter.replace(op, [whole])
    return True


def unroll_fma(op: Operation, rewriter: Rewriter) -> bool:
    """Multiply and add row by row."""
    result = cast(AnyVector, op.results[0].type)
    if len(result.get_shape()) < 2:
        return False
    builder = Builder(rewriter, op)
    whole = builder.repeat(making.zero(builder, result.element_type), result)
    for place in range(result.get_shape()[0]):
        parts = [making.extract(builder, value, place) for value in op.operands]
        made = vector.FMAOp.create(operands=parts, result_types=[making.without_front(result)])
        whole = making.insert(builder, builder.value(made), whole, place)
    rewriter.replace(op, [whole])
    return True


def unroll_from_elements(op: Operation, rewriter: Rewriter) -> bool:
    """Make rows of elements."""
    result = cast(AnyVector, op.results[0].type)
    if len(result.get_shape()) < 2:
        return False
    builder = Builder(rewriter, op)
    row = making.without_front(result)
    count = prod(row.get_shape())
    whole = making.nothing(builder, result)
    for place in range(result.get_shape()[0]):
        part = op.operands[place * count : (place + 1) * count]
        made = vector.FromElementsOp.create(operands=part, result_types=[row])
        whole = making.insert(builder, builder.value(made), whole, place)
    rewriter.replace(op, [whole])
    return True


def unroll_to_elements(op: Operation, rewriter: Rewriter) -> bool:
    """Take rows, then elements."""
    source = op.operands[0]
    given = making.of(source)
    if len(given.get_shape()) < 2:
        return False
    builder = Builder(rewriter, op)
    found: list[SSAValue] = []
    parts = [making.extract(builder, source, place) for place in range(given.get_shape()[0])]
    for part in parts:
        types = [given.element_type] * prod(making.of(part).get_shape())
        found += builder.add(vector.ToElementsOp.create(operands=[part], result_types=types)).results
    rewriter.replace(op, found)
    return True
