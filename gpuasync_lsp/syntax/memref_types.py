"""Layout, strides and memory space of memref types, as MLIR's `MemRefType` gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap

AnyMemRef: TypeAlias = MemRefType[Attribute]
AnyUnranked: TypeAlias = UnrankedMemRefType[Attribute]


def dynamic(size: int) -> bool:
    """Tell whether a dimension, stride or offset is only known at run time."""
    return size == DYNAMIC_INDEX


def strides_and_offset(type: AnyMemRef) -> tuple[tuple[int, ...], int] | None:
    """Return strides and offset in elements (`DYNAMIC_INDEX` where unknown), or None for a layout that is
    not strided."""
    layout = type.layout
    shape = type.get_shape()
    if isinstance(layout, NoneAttr):
        return _contiguous_strides(shape), 0
    if isinstance(layout, StridedLayoutAttr):
        strides = tuple(_known(stride) for stride in layout.strides)
        return strides, _known(layout.offset)
    if isinstance(layout, AffineMapAttr):
        if _is_identity(layout):
            return _contiguous_strides(shape), 0
        return _strides_of_map(layout, len(shape))
    return None


def is_identity_layout(type: AnyMemRef) -> bool:
    """Tell whether MLIR's `MemRefLayoutAttrInterface::isIdentity` holds: the layout's map is the identity.

    So `strided<[1]>` of rank 1 is one, and `strided<[8, 1]>` of rank 2 is none, contiguous or not."""
    layout = type.layout
    if isinstance(layout, NoneAttr):
        return True
    if isinstance(layout, AffineMapAttr):
        return _is_identity(layout)
    if not isinstance(layout, StridedLayoutAttr):
        return False
    return _known(layout.offset) == 0 and [_known(stride) for stride in layout.strides] == [1]


def is_contiguous(type: AnyMemRef) -> bool:
    """Tell whether a memref of static shape is row-major without an offset, however its layout is written."""
    layout = strides_and_offset(type)
    shape = type.get_shape()
    if layout is None or layout[1] != 0 or any(map(dynamic, shape)):
        return False
    steps = zip(layout[0], _contiguous_strides(shape), shape, strict=True)
    return all(stride == expected or size == 1 for stride, expected, size in steps)


def memory_space(type: AnyMemRef | AnyUnranked) -> int | None:
    """Return the number of the memory space, or None where it is not a number."""
    space = type.memory_space
    if isinstance(space, NoneAttr):
        return 0
    if isinstance(space, IntegerAttr):
        return cast(IntegerAttr[IntegerType], space).value.data
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
        running = DYNAMIC_INDEX if dynamic(size) or dynamic(running) else running * size
    return tuple(reversed(strides))


_SYMBOL_PROBES = (11, 101)


def _strides_of_map(layout: AffineMapAttr, rank: int) -> tuple[tuple[int, ...], int] | None:
    """Read strides and offset off a map whose value is linear in the dimensions.

    A stride that depends on a symbol is only known at run time."""
    affine = layout.data
    if len(affine.results) != 1:
        return None
    probes = [[base + 2 * each for each in range(affine.num_symbols)] for base in _SYMBOL_PROBES]
    first, second = (_coefficients(affine, rank, symbols) for symbols in probes)
    if first is None or second is None:
        return None
    *strides, offset = (a if a == b else DYNAMIC_INDEX for a, b in zip(first, second, strict=True))
    return tuple(strides), offset


def _coefficients(affine: AffineMap, rank: int, symbols: Sequence[int]) -> list[int] | None:
    """Return a map's strides at these values of its symbols, then its offset; None if it is not linear."""
    origin = affine.eval([0] * rank, symbols)[0]
    units = [[int(i == d) for i in range(rank)] for d in range(rank)]
    strides = [affine.eval(unit, symbols)[0] - origin for unit in units]
    probe = [10007 + 5 * d for d in range(rank)]
    linear = origin + sum(n * stride for n, stride in zip(probe, strides, strict=True))
    return [*strides, origin] if affine.eval(probe, symbols)[0] == linear else None
