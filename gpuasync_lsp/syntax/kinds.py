"""Narrow a value to one of xDSL's generic classes, with its parameters, for a type checker.

After `isinstance(type, VectorType)` a checker knows nothing of the type argument, and each use of the element
type needs a cast. These predicates say what xDSL's bounds guarantee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute

if TYPE_CHECKING:
    from typing_extensions import TypeIs


def is_memref(value: object) -> TypeIs[MemRefType[Attribute]]:
    """Return whether `value` is a ranked memref."""
    return isinstance(value, MemRefType)


def is_unranked_memref(value: object) -> TypeIs[UnrankedMemRefType[Attribute]]:
    """Return whether `value` is a memref of unknown rank."""
    return isinstance(value, UnrankedMemRefType)


def is_vector(value: object) -> TypeIs[VectorType[Attribute]]:
    """Return whether `value` is a vector type."""
    return isinstance(value, VectorType)


def is_tensor(value: object) -> TypeIs[TensorType[Attribute]]:
    """Return whether `value` is a ranked tensor."""
    return isinstance(value, TensorType)


def is_unranked_tensor(value: object) -> TypeIs[UnrankedTensorType[Attribute]]:
    """Return whether `value` is a tensor of unknown rank."""
    return isinstance(value, UnrankedTensorType)


def is_complex(value: object) -> TypeIs[ComplexType[Any]]:
    """Return whether `value` is a complex type."""
    return isinstance(value, ComplexType)


def is_integer(value: object) -> TypeIs[IntegerType]:
    """Return whether `value` is an integer type."""
    return isinstance(value, IntegerType)


def is_array(value: object) -> TypeIs[ArrayAttr[Attribute]]:
    """Return whether `value` is an array of attributes."""
    return isinstance(value, ArrayAttr)


def is_dense_array(value: object) -> TypeIs[DenseArrayBase]:
    """Return whether `value` is an array of numbers: `array<i64: 1, 2>`."""
    return isinstance(value, DenseArrayBase)


def is_integer_attr(value: object) -> TypeIs[IntegerAttr]:
    """Return whether `value` is a number with an integer or index type."""
    return isinstance(value, IntegerAttr)


def is_dense_elements(value: object) -> TypeIs[DenseIntOrFPElementsAttr]:
    """Return whether `value` is `dense<...>` of numbers."""
    return isinstance(value, DenseIntOrFPElementsAttr)
