"""Expands views, in kernels and for execution, into arith ops that compute offset, sizes and strides.

memref.subview, collapse_shape, expand_shape and transpose are replaced by
memref.extract_strided_metadata, arith ops and memref.reinterpret_cast. `--expand-strided-metadata`
computes the same numbers with affine.apply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, IntegerAttr, MemRefType, i32, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.conversion.insertion import OpBuilder
from gpuasync_lsp.syntax.dialects import arith, memref
from gpuasync_lsp.syntax.dialects.assembly import integers
from gpuasync_lsp.syntax.kinds import is_memref, map_of, memref_type, numbers_of
from gpuasync_lsp.syntax.memref_types import strides_and_offset

_INDEX = IndexType()
Size = int | SSAValue


def compute_views(root: Operation) -> None:
    """Expand the views inside `root` in place; skip views that are not strided."""
    for op in list(root.walk()):
        expand = _EXPANSIONS.get(type(op))
        if expand is not None and _is_strided(op):
            expand(op)


def _subview(op: Operation) -> None:
    assert isinstance(op, memref.SubviewOp)
    build = _Builder(op)
    offset, _, strides = build.metadata(op.source)
    offsets = mixed(op.static_offsets, op.offsets)
    sizes = mixed(op.static_sizes, op.sizes)
    steps = mixed(op.static_strides, op.strides)
    for position, stride in zip(offsets, strides, strict=True):
        offset = build.plus(offset, build.multiply(position, stride))
    scaled = [build.multiply(step, stride) for step, stride in zip(steps, strides, strict=True)]
    kept = kept_dimensions(op)
    build.replace(offset, [sizes[d] for d in kept], [scaled[d] for d in kept])


def _collapse(op: Operation) -> None:
    assert isinstance(op, memref.CollapseShapeOp)
    build = _Builder(op)
    offset, sizes, strides = build.metadata(op.src)
    new_sizes: list[Size] = []
    new_strides: list[Size] = []
    for group in groups(op):
        size: Size = 1
        for d in group:
            size = build.multiply(size, sizes[d])
        new_sizes.append(size)
        inner = [d for d in group if sizes[d] != 1] or list(group)
        new_strides.append(strides[inner[-1]] if inner else 1)
    build.replace(offset, new_sizes, new_strides)


def _expand(op: Operation) -> None:
    assert isinstance(op, memref.ExpandShapeOp)
    build = _Builder(op)
    offset, _, strides = build.metadata(op.src)
    given = iter(op.output_shape)
    shape = memref_type(op.result.type).get_shape()
    sizes: list[Size] = [next(given) if n == DYNAMIC_INDEX else n for n in shape]
    new_strides: list[Size] = [1] * len(sizes)
    for source, group in enumerate(groups(op)):
        step: Size = strides[source]
        for d in reversed(group):
            new_strides[d] = step
            step = build.multiply(step, sizes[d])
    build.replace(offset, sizes, new_strides)


def _transpose(op: Operation) -> None:
    assert isinstance(op, memref.TransposeOp)
    build = _Builder(op)
    offset, sizes, strides = build.metadata(op.in_)
    map = map_of(op.permutation)
    order = [int(str(result)[1:]) for result in map.results]
    build.replace(offset, [sizes[d] for d in order], [strides[d] for d in order])


_EXPANSIONS: dict[type[Operation], Callable[[Operation], None]] = {
    memref.SubviewOp: _subview,
    memref.CollapseShapeOp: _collapse,
    memref.ExpandShapeOp: _expand,
    memref.TransposeOp: _transpose,
}


class _Builder(OpBuilder):
    """Inserts ops before a view, and folds constants."""

    def __init__(self, op: Operation) -> None:
        super().__init__(op)
        self._base: SSAValue | None = None

    def metadata(self, source: SSAValue) -> tuple[Size, list[Size], list[Size]]:
        """Return the offset, sizes and strides of `source`, as ints if its type makes them static."""
        type = memref_type(source.type)
        rank = len(type.get_shape())
        base = MemRefType(type.element_type, [], memory_space=type.memory_space)
        extract = memref.ExtractStridedMetaDataOp.create(
            operands=[source], result_types=[base, _INDEX, *[_INDEX] * (2 * rank)]
        )
        results = self.add(extract).results
        layout = strides_and_offset(type)
        assert layout is not None, "the caller checked the layout"
        known_strides, known_offset = layout
        self._base = results[0]
        offset = _known(known_offset, results[1])
        sizes = [_known(n, results[2 + d]) for d, n in enumerate(type.get_shape())]
        strides = [_known(n, results[2 + rank + d]) for d, n in enumerate(known_strides)]
        return offset, sizes, strides

    def plus(self, left: Size, right: Size) -> Size:
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if left == 0 and isinstance(left, int):
            return right
        if right == 0 and isinstance(right, int):
            return left
        return self._binary(arith.AddiOp, left, right)

    def multiply(self, left: Size, right: Size) -> Size:
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if isinstance(left, int) and left in (0, 1):
            return right if left else 0
        if isinstance(right, int) and right in (0, 1):
            return left if right else 0
        return self._binary(arith.MuliOp, left, right)

    def replace(self, offset: Size, sizes: Sequence[Size], strides: Sequence[Size]) -> None:
        """Replace the view with a memref.reinterpret_cast."""
        type = memref_type(self.source.results[0].type)
        layout = strides_and_offset(type)
        assert layout is not None
        assert self._base is not None
        groups = ([offset], sizes, strides)
        wanted = ([layout[1]], type.get_shape(), layout[0])
        operands: list[SSAValue] = [self._base]
        counts: list[int] = []
        static: list[list[int]] = []
        for group, known in zip(groups, wanted, strict=True):
            dynamic = [self._value(n) for n, k in zip(group, known, strict=True) if k == DYNAMIC_INDEX]
            operands += dynamic
            counts.append(len(dynamic))
            static.append([int(k) for k in known])
        properties: dict[str, Attribute] = {
            "static_offsets": DenseArrayBase.from_list(i64, static[0]),
            "static_sizes": DenseArrayBase.from_list(i64, static[1]),
            "static_strides": DenseArrayBase.from_list(i64, static[2]),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [1, *counts]),
        }
        replace(self.source, [self.create(memref.ReinterpretCastOp, operands, type, properties)])

    def _value(self, size: Size) -> SSAValue:
        if not isinstance(size, int):
            return size
        return self.create(arith.ConstantOp, [], _INDEX, {"value": IntegerAttr(size, _INDEX)})

    def _binary(self, kind: type[Operation], left: Size, right: Size) -> SSAValue:
        operands = [self._value(left), self._value(right)]
        return self.create(kind, operands, _INDEX)


def _known(number: int, value: OpResult) -> Size:
    return value if number == DYNAMIC_INDEX else number


def mixed(static: DenseArrayBase, dynamic: Sequence[SSAValue]) -> list[Size]:
    """Return the numbers in `static`, with each dynamic entry replaced by the next value of `dynamic`."""
    values = iter(dynamic)
    return [next(values) if n == DYNAMIC_INDEX else n for n in integers(static)]


def _is_strided(op: Operation) -> bool:
    types = (op.operands[0].type, op.results[0].type)
    return all(is_memref(t) and strides_and_offset(t) is not None for t in types)


def kept_dimensions(view: memref.SubviewOp, by_position: bool = False) -> list[int]:
    """Return the dimensions that a subview keeps; it may drop dimensions of size 1.

    If only some dimensions of size 1 are dropped, they are those whose stride occurs less often in the result
    than in the source; with `by_position` and dynamic strides, those whose size differs from the result's at
    that position. Source: `computeMemRefRankReductionMask` in mlir/lib/Dialect/MemRef/IR/MemRefOps.cpp."""
    sizes = integers(view.static_sizes)
    shape = memref_type(view.result.type).get_shape()
    ones = [d for d, size in enumerate(sizes) if size == 1]
    drop = len(sizes) - len(shape)
    dropped = ones if len(ones) == drop else _with_their_stride(view, ones)
    unknown = DYNAMIC_INDEX in (*_strides(view.source), *_strides(view.result))
    if len(dropped) != drop or (by_position and unknown):
        dropped = _not_fitting(sizes, shape)
    return [d for d in range(len(sizes)) if d not in dropped]


def _not_fitting(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    dropped: list[int] = []
    for d, size in enumerate(sizes):
        at = d - len(dropped)
        if size == 1 and (at >= len(shape) or shape[at] != 1):
            dropped.append(d)
    return dropped


def _with_their_stride(view: memref.SubviewOp, ones: Sequence[int]) -> list[int]:
    before, after = _strides(view.source), _strides(view.result)
    dropped: list[int] = []
    for d in ones:
        if before.count(before[d]) > after.count(before[d]):
            after.append(before[d])
            dropped.append(d)
    return dropped


def _strides(value: SSAValue) -> list[int]:
    layout = strides_and_offset(memref_type(value.type))
    return [] if layout is None else list(layout[0])


def groups(op: memref.CollapseShapeOp | memref.ExpandShapeOp) -> list[list[int]]:
    """Return the reassociation groups: the dimensions that collapse into, or expand from, one dimension."""
    return [numbers_of(group) for group in op.reassociation.data]
