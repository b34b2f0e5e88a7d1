"""What the verifiers of llvm ask of types."""

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
    """Return a type as MLIR's messages have it."""
    return f"'{attribute_text(type)}'"


def is_settled(type: Attribute) -> bool:
    """Return whether all of `type` is there: no struct in it is only named, nothing in it was unreadable."""
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
    """Return whether two types are known to be two."""
    return one != other and is_settled(one) and is_settled(other)


def is_compatible(type: Attribute) -> bool | None:
    """Return whether LLVM has the type; None where that is not known."""
    return holds(["llvm-type"], type)


def is_float(type: Attribute) -> bool:
    """Return whether `type` is a floating-point type of LLVM."""
    return isinstance(type, _FLOATS)


def is_vector(type: Attribute) -> bool:
    """Return whether `type` is a vector, of MLIR or of LLVM."""
    return isinstance(type, VectorType | LLVMVectorType)


def element(type: Attribute) -> Attribute:
    """Return the element type of a vector, `type` itself where it is none."""
    if kinds.is_vector(type):
        return type.element_type
    return type.type if isinstance(type, LLVMVectorType) else type


def is_scalable(type: Attribute) -> bool:
    """Return whether `type` is a vector with a scalable dimension."""
    if kinds.is_vector(type):
        return any(bool(each) for each in type.get_scalable_dims())
    return isinstance(type, LLVMVectorType) and bool(type.scalable.value.data)


def elements(type: Attribute) -> int:
    """Return how many elements a vector of one dimension has; raises NotKnown for any other type."""
    if kinds.is_vector(type):
        shape = type.get_shape()
        if len(shape) == 1:
            return shape[0]
    elif isinstance(type, LLVMVectorType):
        return type.size.data
    raise NotKnown


def width(type: Attribute) -> int:
    """Return how many bits an integer has, 0 for any other type."""
    return type.width.data if kinds.is_integer(type) else 0


def is_atomic(type: Attribute) -> bool:
    """Return whether atomic operations take `type`: of a power of two of bits, at least 8."""
    if isinstance(type, LLVMPointerType):
        return True  # 64 bits, or what a data layout says
    bits = width(type)
    if isinstance(type, LLVMPPCFP128Type):
        bits = 128
    elif isinstance(type, _FLOATS):
        bits = cast("AnyFloat", type).bitwidth
    return bits >= 8 and not bits & (bits - 1)
