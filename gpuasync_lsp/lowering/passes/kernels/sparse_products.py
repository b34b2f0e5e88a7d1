"""Expands `nvgpu.mma.sp.sync` of 16-bit floats, 16x8x32, for CPU execution.

A stores two of every four elements of a row. The metadata selects them: two bits per stored element, 16
elements per row for each half of k. As the PTX ISA specifies, two threads of each group of four, chosen
by the selector, contain the metadata: the first for the lower half of k, the second for the upper half.
Each word has the metadata for one of the first eight rows in its lower half, and for one of the last
eight in its upper half. Fragments are those of `mma.sync`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.passes.expand_vectors.elements import Index, Results
from gpuasync_lsp.lowering.passes.kernels.warp import GROUP, Warp, bits_of, element_of
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.ods.by_table import TableOp

_SHAPE = [16, 8, 32]
_KEPT = 16
"""The number of stored elements per row of A."""


def sparse_product(op: TableOp, build: Warp) -> Results:
    """Return the results of the expanded MMA; None if it is not supported."""
    sizes: list[int] = [each.value.data for each in op.mma_shape]
    element, sum_type = element_of(op.matrix_a), element_of(op.matrix_c)
    if sizes != _SHAPE or bits_of(element) != 16 or element_of(op.matrix_b) != element:
        return None
    if element.name not in ("f16", "bf16") or sum_type.name not in ("f16", "f32"):
        return None
    selector = op.sparsity_selector.value.data if op.sparsity_selector is not None else 0
    group, thread = build.group_and_thread()
    rows = [build.register(op.matrix_a, number, element) for number in range(4)]
    columns = [build.register(op.matrix_b, number, element) for number in range(4)]
    words = build.take(build.bitcast(op.sparse_metadata, i32, 1), (0,))
    given = [build.of_lane(words, build.affine(group, GROUP, 2 * selector + half)) for half in range(2)]
    sums = {index: build.widen(value, f32) for index, value in build.elements(op.matrix_c).items()}
    for kept in range(_KEPT):
        for lower in range(2):
            register = rows[2 * (kept // 8) + lower]
            owner = build.affine(group, GROUP, kept % 8 // 2)
            pair = build.unpacked(build.of_lane(register, owner), element, as_tf32=False)
            factor = build.widen(pair[kept % 2], f32)
            place = _bits_at(build, given[kept // 8], 16 * lower + 2 * (kept % 8))
            for column in range(2):
                other = _column(build, columns, thread, place, kept, column, element)
                added = build.binary("arith.mulf", factor, other)
                sums[lower, column] = build.binary("arith.addf", sums[lower, column], added)
    return [build.vector(op.res.type, _narrowed(build, sums, sum_type))]


def _column(
    build: Warp,
    columns: list[SSAValue],
    thread: SSAValue,
    place: SSAValue,
    kept: int,
    column: int,
    element: Attribute,
) -> SSAValue:
    """Return the element of B for a stored element of A; `place` is its index among four of A's elements."""
    four = kept // 2
    half = build.binary("arith.shrui", place, build.number(1))
    first = build.affine(thread, 2 * GROUP, GROUP * column + 2 * (four % 2))
    source = build.binary("arith.addi", first, half)
    # The lanes of a group need different rows of a column, so each lane reads both halves and selects one.
    pair = build.unpacked(build.of_lane(columns[four // 2], source), element, as_tf32=False)
    odd = build.binary("arith.andi", place, build.number(1))
    is_even = build.less(odd, build.number(1))
    return build.widen(build.create(arith.SelectOp, [is_even, *pair], element), f32)


def _bits_at(build: Warp, word: SSAValue, at: int) -> SSAValue:
    moved = build.binary("arith.shrui", word, build.number(at)) if at else word
    return build.binary("arith.andi", moved, build.number(3))


def _narrowed(build: Warp, sums: dict[Index, SSAValue], type: Attribute) -> dict[Index, SSAValue]:
    if type == f32:
        return sums
    narrow = {
        index: arith.TruncFOp.create(operands=[value], result_types=[type]) for index, value in sums.items()
    }
    return {index: build.add(op).results[0] for index, op in narrow.items()}
