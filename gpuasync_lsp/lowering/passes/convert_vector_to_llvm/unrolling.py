"""Unrolls ops on vectors of several dimensions into the same ops on rows.

Source: LowerVectorBitCast, -Interleave, -Gather, -FromElements, -ToElements and `VectorFMAOpNDRewritePattern`
of MLIR; measured in all releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.worklist import Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import AnyVector, Builder
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.kinds import vector_type

Place = tuple[int, ...]


def _row_by_row(
    builder: Builder,
    wholes: Sequence[SSAValue],
    places: Iterable[Place],
    made: Callable[[Place], Sequence[SSAValue]],
) -> list[SSAValue]:
    """Call `made` for each row, and insert the rows that it returns into `wholes`; return the new vectors."""
    found = [*wholes]
    for place in places:
        for number, row in enumerate(made(place)):
            found[number] = making.insert(builder, row, found[number], *place)
    return found


def _fronts(type: AnyVector) -> list[Place]:
    return [(place,) for place in range(type.get_shape()[0])]


def unroll_bitcast(op: Operation, rewriter: Rewriter) -> bool:
    """Cast row by row."""
    (source,) = op.operands
    result = vector_type(op.results[0].type)
    places = making.rows(result)
    if places is None:
        return False
    builder = Builder(rewriter, op)
    row = making.without_front(result, len(places[0]))

    def made(place: Place) -> list[SSAValue]:
        part = making.extract(builder, source, *place)
        return [builder.create(vector.BitCastOp, [part], row)]

    rewriter.replace(op, _row_by_row(builder, [making.nothing(builder, result)], places, made))
    return True


def unroll_interleave(op: Operation, rewriter: Rewriter) -> bool:
    """Interleave, or deinterleave, row by row."""
    result = vector_type(op.results[0].type)
    places = making.rows(result)
    if places is None:
        return False
    builder = Builder(rewriter, op)
    rows = [making.without_front(result, len(places[0]))] * len(op.results)

    def made(place: Place) -> Sequence[SSAValue]:
        parts = [making.extract(builder, value, *place) for value in op.operands]
        return making.by_table(builder, op.name, parts, rows).results

    wholes = [making.zero(builder, result)] * len(rows)
    rewriter.replace(op, _row_by_row(builder, wholes, places, made))
    return True


def unroll_gather(gather: vector.GatherOp, rewriter: Rewriter) -> bool:
    """Gather row by row."""
    result = vector_type(gather.result.type)
    if len(result.get_shape()) < 2 or making.scalable(result)[0]:
        return False
    builder = Builder(rewriter, gather)
    unrolls = rewriter.profile.unrolls_elements
    whole = making.nothing(builder, result) if unrolls else making.zero(builder, result)

    def made(place: Place) -> list[SSAValue]:
        given = (gather.indices, gather.mask, gather.pass_thru)
        part = builder.create(
            vector.GatherOp,
            [gather.base, *gather.offsets, *(making.extract(builder, value, *place) for value in given)],
            making.without_front(result),
            gather.properties,
        )
        return [part]

    rewriter.replace(gather, _row_by_row(builder, [whole], _fronts(result), made))
    return True


def unroll_fma(op: Operation, rewriter: Rewriter) -> bool:
    """Multiply and add row by row."""
    result = vector_type(op.results[0].type)
    if len(result.get_shape()) < 2:
        return False
    builder = Builder(rewriter, op)
    whole = builder.repeat(making.zero(builder, result.element_type), result)

    def made(place: Place) -> list[SSAValue]:
        parts = [making.extract(builder, value, *place) for value in op.operands]
        return [builder.create(vector.FMAOp, parts, making.without_front(result))]

    rewriter.replace(op, _row_by_row(builder, [whole], _fronts(result), made))
    return True


def unroll_from_elements(op: Operation, rewriter: Rewriter) -> bool:
    """Build rows from the elements."""
    result = vector_type(op.results[0].type)
    if len(result.get_shape()) < 2:
        return False
    builder = Builder(rewriter, op)
    row = making.without_front(result)
    count = prod(row.get_shape())

    def made(place: Place) -> list[SSAValue]:
        part = op.operands[place[0] * count : (place[0] + 1) * count]
        return [builder.create(vector.FromElementsOp, part, row)]

    rewriter.replace(op, _row_by_row(builder, [making.nothing(builder, result)], _fronts(result), made))
    return True


def unroll_to_elements(op: Operation, rewriter: Rewriter) -> bool:
    """Extract rows, then their elements."""
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
