"""Layout, strides and memory space of memref types, computed like MLIR's `MemRefType`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IntAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from gpuasync_lsp.syntax.kinds import is_integer_attr, memref_type

AnyMemRef: TypeAlias = MemRefType[Attribute]
AnyUnranked: TypeAlias = UnrankedMemRefType[Attribute]


class Strided(NamedTuple):
    """The strides and the offset of a layout; DYNAMIC_INDEX for values that are not constant."""

    strides: tuple[int, ...]
    offset: int


def dynamic(size: int) -> bool:
    """Return whether a size, stride or offset is known only at run time."""
    return size == DYNAMIC_INDEX


def strides_and_offset(type: AnyMemRef) -> Strided | None:
    """Return the strides and offset in elements (`DYNAMIC_INDEX` if dynamic); None if the layout is not
    strided."""
    layout = type.layout
    shape = type.get_shape()
    if isinstance(layout, NoneAttr):
        return Strided(_contiguous_strides(shape), 0)
    if isinstance(layout, StridedLayoutAttr):
        return Strided(tuple(map(_known, layout.strides)), _known(layout.offset))
    if isinstance(layout, AffineMapAttr):
        if _is_identity(layout):
            return Strided(_contiguous_strides(shape), 0)
        return _strides_of_map(layout)
    return None


def is_identity_layout(type: AnyMemRef) -> bool:
    """Return whether MLIR's `MemRefLayoutAttrInterface::isIdentity` holds: the layout's map is the identity.

    `strided<[1]>` of rank 1 is an identity layout; `strided<[8, 1]>` of rank 2 is not, even if contiguous."""
    layout = type.layout
    if isinstance(layout, NoneAttr):
        return True
    if isinstance(layout, AffineMapAttr):
        return _is_identity(layout)
    if not isinstance(layout, StridedLayoutAttr):
        return False
    return _known(layout.offset) == 0 and [_known(stride) for stride in layout.strides] == [1]


def is_contiguous(type: AnyMemRef) -> bool:
    """Return whether a memref of static shape is row-major without an offset, however its layout is
    spelled."""
    layout = strides_and_offset(type)
    shape = type.get_shape()
    if layout is None or layout[1] != 0 or any(map(dynamic, shape)):
        return False
    steps = zip(layout[0], _contiguous_strides(shape), shape, strict=True)
    return all(stride == expected or size == 1 for stride, expected, size in steps)


def memory_space(type: object) -> int | None:
    """Return the number of a memref's memory space (0 if it has none); None if it is not a number."""
    space = memref_type(type).memory_space
    if isinstance(space, NoneAttr):
        return 0
    if is_integer_attr(space):
        return space.value.data
    return None


def _is_identity(layout: AffineMapAttr) -> bool:
    affine = layout.data
    return affine == AffineMap.identity(affine.num_dims)


def _known(number: Attribute) -> int:
    return cast("IntAttr[int]", number).data if isinstance(number, IntAttr) else DYNAMIC_INDEX


def _contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    strides: list[int] = []
    running = 1
    for size in reversed(shape):
        strides.append(running)
        running = times(running, size)
    return tuple(reversed(strides))


def _strides_of_map(layout: AffineMapAttr) -> Strided | None:
    """Return the strides and offset of a map with one result that is linear in its dimensions, else None.

    A stride that depends on a symbol is dynamic."""
    affine = layout.data
    found = _linear(affine.results[0], affine.num_dims) if len(affine.results) == 1 else None
    return None if found is None else Strided(tuple(found[:-1]), found[-1])


def _linear(expr: AffineExpr, dims: int) -> list[int] | None:
    """Return the factor of each dimension, followed by the constant term; None if `expr` is not linear."""
    zero = [0] * (dims + 1)
    if isinstance(expr, AffineConstantExpr):
        return [*zero[:-1], expr.value]
    if isinstance(expr, AffineSymExpr):
        return [*zero[:-1], DYNAMIC_INDEX]
    if isinstance(expr, AffineDimExpr):
        return [*zero[: expr.position], 1, *zero[expr.position + 1 :]]
    if not isinstance(expr, AffineBinaryOpExpr):
        return None
    left, right = _linear(expr.lhs, dims), _linear(expr.rhs, dims)
    if left is None or right is None:
        return None
    if expr.kind is AffineBinaryOpKind.Add:
        return [plus(a, b) for a, b in zip(left, right, strict=True)]
    if expr.kind is AffineBinaryOpKind.Mul:
        if any(right[:-1]):
            left, right = right, left
        if any(right[:-1]):
            return None
        return [0 if a == 0 else times(a, right[-1]) for a in left]
    # Divisions and remainders of symbols and constants are not supported.
    return None if any(left[:-1]) or any(right[:-1]) else [*zero[:-1], DYNAMIC_INDEX]


def times(a: int, b: int) -> int:
    """Return the product of two sizes or strides; dynamic if one of them is."""
    return DYNAMIC_INDEX if DYNAMIC_INDEX in (a, b) else a * b


def plus(a: int, b: int) -> int:
    """Return the sum of two offsets; dynamic if one of them is."""
    return DYNAMIC_INDEX if DYNAMIC_INDEX in (a, b) else a + b
