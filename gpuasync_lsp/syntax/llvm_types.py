"""Predicates on types for the verifiers of the llvm dialect."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    VectorType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.syntax import kinds
from gpuasync_lsp.syntax.checks.view import NotKnown
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMPPCFP128Type,
    LLVMStructType,
    LLVMVectorType,
)
from gpuasync_lsp.syntax.ods.predicates import holds
from gpuasync_lsp.syntax.opaque import UnknownType
from gpuasync_lsp.syntax.printer import attribute_text

_FLOATS = (BFloat16Type, Float16Type, Float32Type, Float64Type, Float80Type, Float128Type, LLVMPPCFP128Type)


def quoted(type: Attribute) -> str:
    """Return the text of a type in quotes, for MLIR's messages."""
    return f"'{attribute_text(type)}'"


def is_settled(type: Attribute) -> bool:
    """Return whether `type` is completely known: it contains no struct reference and no unknown type."""
    if isinstance(type, UnknownType):
        return False
    if isinstance(type, LLVMStructType):
        return type.form.data != "reference" and all(is_settled(each) for each in type.types.data)
    if isinstance(type, LLVMArrayType | LLVMVectorType):
        return is_settled(type.type)
    if isinstance(type, LLVMFunctionType):
        return is_settled(type.output) and all(is_settled(each) for each in type.inputs.data)
    return not isinstance(type, LLVMPointerType) or type.pointee.name == "none"


def differ(one: Attribute, other: Attribute) -> bool:
    """Return whether two types certainly differ."""
    return one != other and is_settled(one) and is_settled(other)


def is_compatible(type: Attribute) -> bool | None:
    """Return whether the type is valid in the llvm dialect; None if unknown."""
    return holds(["llvm-type"], type)


def is_float(type: Attribute) -> bool:
    """Return whether `type` is a floating-point type of LLVM."""
    return isinstance(type, _FLOATS)


def is_vector(type: Attribute) -> bool:
    """Return whether `type` is a builtin vector or one of the llvm dialect."""
    return isinstance(type, VectorType | LLVMVectorType)


def element(type: Attribute) -> Attribute:
    """Return the element type of a vector; any other type is returned unchanged."""
    if kinds.is_vector(type):
        return type.element_type
    return type.type if isinstance(type, LLVMVectorType) else type


def is_scalable(type: Attribute) -> bool:
    """Return whether `type` is a vector with a scalable dimension."""
    if kinds.is_vector(type):
        return any(bool(each) for each in type.get_scalable_dims())
    return isinstance(type, LLVMVectorType) and bool(type.scalable.value.data)


def elements(type: Attribute) -> int:
    """Return the number of elements of a one-dimensional vector; raises NotKnown for any other type."""
    if kinds.is_vector(type):
        shape = type.get_shape()
        if len(shape) == 1:
            return shape[0]
    elif isinstance(type, LLVMVectorType):
        return type.size.data
    raise NotKnown


def width(type: Attribute) -> int:
    """Return the bit width of an integer type; 0 for any other type."""
    return type.width.data if kinds.is_integer(type) else 0


def is_atomic(type: Attribute) -> bool:
    """Return whether atomic operations support `type`: its width is a power of two, at least 8."""
    if isinstance(type, LLVMPointerType):
        return True  # It has 64 bits unless a data layout specifies another width.
    bits = width(type)
    if isinstance(type, LLVMPPCFP128Type):
        bits = 128
    elif isinstance(type, _FLOATS):
        bits = cast("AnyFloat", type).bitwidth
    return bits >= 8 and not bits & (bits - 1)
