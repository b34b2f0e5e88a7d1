"""Lowers vector.contract to dot products, outer products, elementwise arithmetic, or smaller contractions.

Source: mlir/lib/Dialect/Vector/Transforms/LowerVectorContract.cpp; measured in all releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_llvm import making, products
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import Builder
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import arith, vector
from gpuasync_lsp.syntax.kinds import is_vector, vector_type

DOT, OUTER_PRODUCT, PARALLEL = "dot", "outerproduct", "parallelarith"

_M, _N, _K = 0, 1, 2
Layout = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class _Contraction:
    """A vector.contract, with its indexing maps, iterators and mask."""

    op: vector.ContractionOp
    maps: Sequence[tuple[int, ...]]
    """For each operand and for the result, the iterator number of each dimension."""
    iterators: Sequence[str]
    """The kind of each iterator, `parallel` or `reduction`."""
    mask: SSAValue | None
    """The mask, with one dimension per iterator; None if there is none."""

    @property
    def kind(self) -> str:
        return products.kind_of(self.op)

    @property
    def layout(self) -> Layout:
        left, right, result = self.maps
        return left, right, result

    def pairs(self, iterator: str) -> list[tuple[int, int]]:
        """Return the pairs of operand dimensions that have a common iterator of the kind `iterator`."""
        left, right, _ = self.maps
        return [
            (left.index(n), right.index(n))
            for n, kind in enumerate(self.iterators)
            if kind == iterator and n in left and n in right
        ]


def lower_contraction(how: str) -> Pattern:
    """Return the pattern for contractions that the option `vector-contract-lowering` selects."""

    def lower(op: Operation, rewriter: Rewriter) -> bool:
        outer = op.parent_op()
        root, mask = (outer, outer.mask) if isinstance(outer, vector.MaskOp) else (op, None)
        contraction = _taken_apart(cast(vector.ContractionOp, op), mask)
        if contraction is None:
            return False
        builder = Builder(rewriter, root)
        found = _lowered(builder, contraction, how)
        if found is None:
            return False
        rewriter.replace(root, [found])
        return True

    return lower


def _taken_apart(op: vector.ContractionOp, mask: SSAValue | None) -> _Contraction | None:
    maps: list[tuple[int, ...]] = []
    for each in op.indexing_maps.data:
        results = each.data.results
        if not all(isinstance(result, AffineDimExpr) for result in results):
            return None
        maps.append(tuple(result.position for result in results))
    iterators = [str(each.data) for each in op.iterator_types.data]
    return _Contraction(op, maps, iterators, mask) if len(maps) == 3 else None


def _lowered(builder: Builder, c: _Contraction, how: str) -> SSAValue | None:
    element = _element(c.op.acc.type)
    alike = making.of(c.op.lhs).element_type == element == making.of(c.op.rhs).element_type
    if not alike or c.kind != "add":
        return _outer_products(builder, c) if how == OUTER_PRODUCT else None
    found: SSAValue | None = None
    if how == OUTER_PRODUCT:
        found = _outer_products(builder, c)
    elif how == DOT and c.mask is None:
        found = _dot_products(builder, c)
    elif how == PARALLEL and c.mask is None:
        found = _of_whole_vectors(builder, c)
    return _smaller(builder, c) if found is None else found


def _element(type: Attribute) -> Attribute:
    return type.element_type if is_vector(type) else type


_DOTS: dict[Layout, tuple[bool, bool, bool]] = {
    ((_M, _K), (_K, _N), (_M, _N)): (False, False, True),
    ((_M, _K), (_N, _K), (_M, _N)): (False, False, False),
    ((_K, _M), (_K, _N), (_M, _N)): (False, True, True),
    ((_K, _M), (_N, _K), (_M, _N)): (False, True, False),
    ((_M, _K), (_K, _N), (_N, _M)): (True, True, False),
    ((_M, _K), (_N, _K), (_N, _M)): (True, False, False),
    ((_K, _M), (_K, _N), (_N, _M)): (True, True, True),
    ((_K, _M), (_N, _K), (_N, _M)): (True, False, True),
}
"""Maps each layout to flags: swap the operands, transpose the first, transpose the second."""

_DOTS_OF_VECTORS: dict[Layout, tuple[bool, bool, bool]] = {
    ((0, 1), (1,), (0,)): (False, False, False),
    ((1, 0), (1,), (0,)): (False, True, False),
    ((1,), (0, 1), (0,)): (True, False, False),
    ((1,), (1, 0), (0,)): (True, True, False),
}


def _dot_products(builder: Builder, c: _Contraction) -> SSAValue | None:
    """Compute each element of the result with a product and a reduction (`ContractionOpToDotLowering`)."""
    iterators = list(c.iterators)
    if iterators[:2] == ["parallel", "parallel"] and iterators[2:3] == ["reduction"]:
        how = _DOTS.get(c.layout) if len(iterators) == 3 else None
    elif iterators[:2] == ["parallel", "reduction"]:
        how = _DOTS_OF_VECTORS.get(c.layout) if len(iterators) == 2 else None
    else:
        return None
    if how is None:
        return None
    left, right = c.op.lhs, c.op.rhs
    if how[0]:
        left, right = right, left
    # mlir-opt creates the transpositions in this order even if both operands are transposed and swapped.
    if how[1]:
        left = making.transposed(builder, left, (1, 0))
    if how[2]:
        right = making.transposed(builder, right, (1, 0))
    return _rows_by_columns(builder, c, left, right)


def _rows_by_columns(builder: Builder, c: _Contraction, left: SSAValue, right: SSAValue) -> SSAValue:
    type = vector_type(c.op.result.type)
    shape = type.get_shape()
    plane = len(shape) > 1
    once = builder.profile.contracts_rows_once
    whole = making.zero(builder, type)
    columns: list[SSAValue] = []
    for row in range(shape[0]):
        taken = making.extract(builder, left, row)
        for column in range(shape[1] if plane else 1):
            if not once or row == 0:
                other = making.extract(builder, right, column) if plane else right
                columns.append(other)
            else:
                other = columns[column]
            product = _multiplied(builder, c, taken, other)
            whole = making.insert(
                builder,
                _reduced(builder, c, product, None),
                whole,
                *([row, column] if plane else [row]),
            )
    return _with_flags(c, products.arithmetic(builder, "add", whole, c.op.acc))


def _multiplied(builder: Builder, c: _Contraction, left: SSAValue, right: SSAValue) -> SSAValue:
    return _with_flags(c, products.arithmetic(builder, "mul", left, right))


def _with_flags(c: _Contraction, value: SSAValue) -> SSAValue:
    flags = _flags(c)
    if flags is not None and products.is_float(value.type) and isinstance(value.owner, Operation):
        value.owner.properties["fastmath"] = flags
    return value


def _flags(c: _Contraction) -> Attribute | None:
    return c.op.get_attr_or_prop("fastmath")


def _reduced(
    builder: Builder, c: _Contraction, value: SSAValue, acc: SSAValue | None, mask: SSAValue | None = None
) -> SSAValue:
    flags = _flags(c)
    made = vector.ReductionOp.create(
        operands=[value] if acc is None else [value, acc],
        result_types=[making.of(value).element_type],
        properties={
            "kind": vector.CombiningKindAttr("add"),
            "fastmath": arith.NO_FASTMATH if flags is None else flags,
        },
    )
    return _under(builder, mask, made)


def _under(builder: Builder, mask: SSAValue | None, op: Operation) -> SSAValue:
    """Insert `op`, inside a vector.mask if there is a mask; return its result."""
    if mask is None:
        return builder.value(op)
    body = Block([op, vector.YieldOp.create(operands=op.results)])
    types = [result.type for result in op.results]
    made = builder.value(vector.MaskOp.create(operands=[mask], result_types=types, regions=[Region(body)]))
    for inner in body.ops:
        inner.location = builder.source.location
    builder.rewriter.push(op)
    return made


_OUTER: dict[Layout, tuple[bool, bool, bool]] = {
    ((_M, _K), (_K, _N), (_M, _N)): (True, False, False),
    ((_M, _K), (_N, _K), (_M, _N)): (True, True, False),
    ((_K, _M), (_K, _N), (_M, _N)): (False, False, False),
    ((_K, _M), (_N, _K), (_M, _N)): (False, True, False),
    ((_M, _K), (_K, _N), (_N, _M)): (True, False, True),
    ((_M, _K), (_N, _K), (_N, _M)): (True, True, True),
    ((_K, _M), (_K, _N), (_N, _M)): (False, False, True),
    ((_K, _M), (_N, _K), (_N, _M)): (False, True, True),
}
"""Maps each layout to flags: transpose the left operand, transpose the right one, swap them."""


def _outer_products(builder: Builder, c: _Contraction) -> SSAValue | None:
    """Accumulate an outer product for each step of the reduction (`UnrolledOuterProductGenerator`)."""
    iterators = list(c.iterators)
    left, right = c.op.lhs, c.op.rhs
    if iterators == ["parallel", "parallel", "reduction"]:
        how, step = _OUTER.get(c.layout), _K
    elif iterators in (["parallel", "reduction"], ["reduction", "parallel"]):
        step = iterators.index("reduction")
        other = 1 - step
        ways: dict[Layout, tuple[bool, bool, bool]] = {
            ((other, step), (step,), (other,)): (True, False, False),
            ((step, other), (step,), (other,)): (False, False, False),
            ((step,), (other, step), (other,)): (False, True, True),
            ((step,), (step, other), (other,)): (False, False, True),
        }
        how = ways.get(c.layout)
    else:
        return None
    if how is None or making.scalable(making.of(left))[c.maps[0].index(step)]:
        return None
    size = making.of(left).get_shape()[c.maps[0].index(step)]
    swapped_first = how[2] and how[0] and how[1]
    if swapped_first:
        right = making.transposed(builder, right, (1, 0))
    if how[0]:
        left = making.transposed(builder, left, (1, 0))
    if how[1] and not swapped_first:
        right = making.transposed(builder, right, (1, 0))
    if how[2]:
        left, right = right, left
    result = c.op.acc
    element = _element(result.type)
    for number in range(size):
        parts = [making.extract(builder, value, number) for value in (left, right)]
        parts = [_promoted(builder, part, element) for part in parts]
        result = builder.create(
            vector.OuterProductOp, [*parts, result], result.type, {"kind": c.op.properties["kind"]}
        )
    return result


def _promoted(builder: Builder, value: SSAValue, element: Attribute) -> SSAValue:
    if _element(value.type) == element:
        return value
    given = making.as_vector(value.type)
    types: list[Attribute] = [
        element if given is None else VectorType(element, given.get_shape(), given.scalable_dims)
    ]
    made = arith.ExtSIOp if isinstance(element, IntegerType) else op_class("arith.extf")
    return builder.value(made.create(operands=[value], result_types=types))


def _of_whole_vectors(builder: Builder, c: _Contraction) -> SSAValue | None:
    """Use elementwise arithmetic if all reduced dimensions have size 1 (`ContractOpToElementwise`)."""
    sides = ((c.op.lhs, c.maps[0]), (c.op.rhs, c.maps[1]))
    if any(
        making.of(value).get_shape()[n] != 1
        for value, map in sides
        for n, iterator in enumerate(map)
        if c.iterators[iterator] == "reduction"
    ):
        return None
    outer = c.maps[2]
    result = making.as_vector(c.op.result.type)
    if result is None:
        return None
    shape = result.get_shape()
    plans: list[tuple[SSAValue, list[int], list[int], int]] = []
    for value, map in sides:
        reduced = [n for n, iterator in enumerate(map) if c.iterators[iterator] == "reduction"]
        more = len(outer) - (len(map) - len(reduced))
        order = [more + n for n in reduced]
        sizes: list[int] = []
        for n, iterator in enumerate(outer):
            if iterator in map:
                order.append(more + map.index(iterator))
            else:
                sizes.append(shape[n])
                order.append(len(sizes) - 1)
        plans.append((value, sizes, order, len(reduced)))
    values = [
        making.broadcast(builder, value, _widened(value, sizes)) if sizes else value
        for value, sizes, _, _ in plans
    ]
    values = [
        making.transposed(builder, value, order)
        for value, (_, _, order, _) in zip(values, plans, strict=True)
    ]
    values = [
        making.extract(builder, value, *[0] * count)
        for value, (_, _, _, count) in zip(values, plans, strict=True)
    ]
    return products.multiplied(builder, values[0], values[1], c.op.acc, c.kind)


def _widened(value: SSAValue, sizes: Sequence[int]) -> Attribute:
    type = making.of(value)
    return making.shaped(type, [*sizes, *type.get_shape()])


def _smaller(builder: Builder, c: _Contraction) -> SSAValue | None:
    """Unroll a batch dimension, or else a left, right or reduction dimension, in this order of preference."""
    batch = c.pairs("parallel")
    if batch:
        return _unrolled(builder, c, *batch[0])
    contracted = c.pairs("reduction")
    left, right = ({pair[side] for pair in contracted} for side in (0, 1))
    for number in range(len(c.maps[0])):
        if number not in left:
            return _unrolled(builder, c, number, None)
    for number in range(len(c.maps[1])):
        if number not in right:
            return _unrolled(builder, c, None, number)
    return _reduced_once(builder, c) if contracted else None


def _unrolled(builder: Builder, c: _Contraction, left: int | None, right: int | None) -> SSAValue | None:
    side, at = (0, left) if left is not None else (1, right)
    assert at is not None, "exactly one of the two is set"
    iterator = c.maps[side][at]
    given = making.of(c.op.lhs if side == 0 else c.op.rhs)
    size = given.get_shape()[at]
    if making.scalable(given)[at]:
        return None
    there = c.maps[2].index(iterator) if iterator in c.maps[2] else None
    if there is None and size != 1:
        return None
    whole = making.zero(builder, c.op.result.type)
    for number in range(size):
        parts = [
            _without(builder, value, dimension, number)
            for value, dimension in ((c.op.lhs, left), (c.op.rhs, right), (c.op.acc, there))
        ]
        part = _contracted(builder, c, iterator, number, parts)
        whole = _with(builder, part, whole, there, number)
    return whole


def _reduced_once(builder: Builder, c: _Contraction) -> SSAValue | None:
    if isinstance(c.op.result.type, VectorType) or 0 not in c.maps[0] or 0 not in c.maps[1]:
        return None
    left, right = c.maps[0].index(0), c.maps[1].index(0)
    if len(c.maps[0]) == 1:
        if len(c.maps[1]) != 1:
            return None
        return _reduced(builder, c, _multiplied(builder, c, c.op.lhs, c.op.rhs), c.op.acc, c.mask)
    result = c.op.acc
    for number in range(making.of(c.op.lhs).get_shape()[left]):
        parts = [
            _without(builder, c.op.lhs, left, number),
            _without(builder, c.op.rhs, right, number),
            result,
        ]
        result = _contracted(builder, c, 0, number, parts)
    return result


def _contracted(
    builder: Builder, c: _Contraction, iterator: int, step: int, operands: Sequence[SSAValue]
) -> SSAValue:
    """Insert a contraction of `operands` that computes one step of `iterator`, and lacks that iterator."""
    maps = [
        AffineMapAttr(
            AffineMap(
                len(c.iterators) - 1,
                0,
                tuple(AffineDimExpr(n - (n > iterator)) for n in map if n != iterator),
            )
        )
        for map in c.maps
    ]
    kinds = [each for n, each in enumerate(c.op.iterator_types.data) if n != iterator]
    properties = dict(c.op.properties)
    properties |= {"indexing_maps": ArrayAttr(maps), "iterator_types": ArrayAttr(kinds)}
    made = vector.ContractionOp.create(
        operands=operands, result_types=[operands[2].type], properties=properties
    )
    mask = None if c.mask is None else _without(builder, c.mask, iterator, step)
    return _under(builder, mask, made)


def _without(builder: Builder, value: SSAValue, dimension: int | None, place: int) -> SSAValue:
    """Insert ops that extract position `place` of a dimension (`reshapeLoad`)."""
    if dimension is None:
        return value
    if dimension == 0:
        return making.extract(builder, value, place)
    type = making.of(value)
    sizes = [size for n, size in enumerate(type.get_shape()) if n != dimension]
    scales = [each for n, each in enumerate(making.scalable(type)) if n != dimension]
    whole = making.zero(builder, making.shaped(type, sizes, scales))
    for number in range(sizes[0]):
        row = making.extract(builder, value, number)
        whole = making.insert(builder, _without(builder, row, dimension - 1, place), whole, number)
    return whole


def _with(builder: Builder, value: SSAValue, into: SSAValue, dimension: int | None, place: int) -> SSAValue:
    """Insert ops that insert `value` at position `place` of a dimension (`reshapeStore`)."""
    if dimension is None:
        return value
    if dimension == 0:
        return making.insert(builder, value, into, place)
    whole = into
    for number in range(making.of(into).get_shape()[0]):
        row = making.extract(builder, whole, number)
        part = making.extract(builder, value, number)
        whole = making.insert(builder, _with(builder, part, row, dimension - 1, place), whole, number)
    return whole
