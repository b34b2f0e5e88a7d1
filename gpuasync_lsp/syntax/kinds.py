"""Predicates that narrow a value to one of xDSL's generic classes with its type argument.

After `isinstance(type, VectorType)`, a type checker does not know the type argument, so each use of the
element type needs a cast. These predicates declare what xDSL's bounds guarantee. The functions at the
end replace casts of values whose class is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute, Data
from xdsl.ir.affine import AffineMap

if TYPE_CHECKING:
    from typing import TypeGuard

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


def as_vector(type: Attribute) -> VectorType[Attribute] | None:
    """Return `type` if it is a vector type, else None."""
    return type if is_vector(type) else None


def scalable(type: VectorType[Attribute]) -> list[bool]:
    """Return for each dimension of a vector type whether it is scalable."""
    return [bool(each.value.data) for each in type.scalable_dims]


def is_tensor(value: object) -> TypeIs[TensorType[Attribute]]:
    """Return whether `value` is a ranked tensor."""
    return isinstance(value, TensorType)


def is_unranked_tensor(value: object) -> TypeIs[UnrankedTensorType[Attribute]]:
    """Return whether `value` is a tensor of unknown rank."""
    return isinstance(value, UnrankedTensorType)


def is_ranked(value: object) -> TypeIs[VectorType[Attribute] | TensorType[Attribute] | MemRefType[Attribute]]:
    """Return whether `value` is a shaped type of known rank."""
    return isinstance(value, VectorType | TensorType | MemRefType)


def is_unranked(value: object) -> TypeIs[UnrankedTensorType[Attribute] | UnrankedMemRefType[Attribute]]:
    """Return whether `value` is a shaped type of unknown rank."""
    return isinstance(value, UnrankedTensorType | UnrankedMemRefType)


def is_complex(value: object) -> TypeIs[ComplexType[IntegerType | AnyFloat]]:
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


def is_float_attr(value: object) -> TypeIs[FloatAttr[AnyFloat]]:
    """Return whether `value` is a number with a float type."""
    return isinstance(value, FloatAttr)


def is_dense_elements(value: object) -> TypeIs[DenseIntOrFPElementsAttr]:
    """Return whether `value` is `dense<...>` of numbers."""
    return isinstance(value, DenseIntOrFPElementsAttr)


def is_integer_elements(value: object) -> TypeIs[DenseIntOrFPElementsAttr[IntegerType | IndexType]]:
    """Return whether `value` is `dense<...>` of integers or indices."""
    return is_dense_elements(value) and isinstance(value.get_element_type(), IntegerType | IndexType)


def is_float_elements(value: object) -> TypeIs[DenseIntOrFPElementsAttr[AnyFloat]]:
    """Return whether `value` is `dense<...>` of floats."""
    return is_dense_elements(value) and isinstance(value.get_element_type(), AnyFloat)


def is_data(kind: type[Attribute]) -> TypeGuard[type[Data[object]]]:
    """Return whether attributes of a class contain a single Python value."""
    return issubclass(kind, Data)


def is_number(value: object) -> TypeIs[IntegerAttr | FloatAttr[AnyFloat]]:
    """Return whether `value` is an integer or float attribute."""
    return isinstance(value, IntegerAttr | FloatAttr)


# Unchecked casts for values whose class is known: the op was verified or its name compared.


def memref_type(type: object) -> MemRefType[Attribute]:
    """Return `type`, which must be a memref, with its static type MemRefType."""
    return cast("MemRefType[Attribute]", type)


def vector_type(type: object) -> VectorType[Attribute]:
    """Return `type`, which must be a vector, with its static type VectorType."""
    return cast("VectorType[Attribute]", type)


def integer_type(type: object) -> IntegerType:
    """Return `type`, which must be an integer, with its static type IntegerType."""
    return cast(IntegerType, type)


def element_type(type: object) -> Attribute:
    """Return the element type of the shaped `type`."""
    return cast("VectorType[Attribute]", type).element_type


def number_of(attribute: object) -> int:
    """Return the value of an integer attribute."""
    return cast(IntegerAttr, attribute).value.data


def map_of(attribute: object) -> AffineMap:
    """Return the map of an affine map attribute."""
    return cast(AffineMapAttr, attribute).data


def text_of(attribute: object) -> str:
    """Return the text of a string attribute, or of an enumeration's case."""
    return str(cast(StringAttr, attribute).data)


def symbol_of(attribute: object) -> str:
    """Return the outermost symbol of a symbol reference."""
    return cast(SymbolRefAttr, attribute).root_reference.data


def numbers_of(attribute: object) -> list[int]:
    """Return the integers of an array, in the form of any release."""
    if isinstance(attribute, DenseArrayBase):
        return list(cast("DenseArrayBase[IntegerType]", attribute).get_values())
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        return list(cast("DenseIntOrFPElementsAttr[IntegerType]", attribute).get_values())
    return [number_of(each) for each in cast("ArrayAttr[Attribute]", attribute)]


def bools_of(attribute: object) -> list[bool]:
    """Return the elements of an array of boolean attributes."""
    return [number != 0 for number in numbers_of(attribute)]


def bits_of(type: object) -> int:
    """Return the width of an integer or float type."""
    return cast("IntegerType | AnyFloat", type).bitwidth


def dense(type: object, numbers: Sequence[float]) -> DenseIntOrFPElementsAttr:
    """Return an attribute with `numbers` as the elements of a vector or tensor type."""
    return DenseIntOrFPElementsAttr.from_list(cast("VectorType[AnyFloat]", type), numbers)


def number_attr(number: float, type: Attribute) -> IntegerAttr | FloatAttr[AnyFloat]:
    """Return a number as the attribute of an integer, index or float type."""
    if isinstance(type, AnyFloat):
        return FloatAttr(number, type)
    return IntegerAttr(int(number), integer_type(type))
