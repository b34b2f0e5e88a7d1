"""llvm: constants, whose value attribute must match their type."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    UnregisteredAttr,
    VectorType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVectorType,
)
from gpuasync_lsp.syntax.kinds import (
    is_array,
    is_dense_elements,
    is_integer,
    is_tensor,
    is_vector,
    vector_type,
)
from gpuasync_lsp.syntax.llvm_types import is_scalable, width

_IS_ARRAY_OF_STRUCTS = Profile.arrays_of_structs_are_constants.since


def _constant(view: View) -> str | VerifierError | None:
    value, type = view.attribute("value"), view.op.results[0].type
    if value is None:
        raise NotKnown
    if isinstance(value, StringAttr):
        return _string(value, type)
    if isinstance(type, LLVMStructType):
        return _struct(value, type)
    if isinstance(type, UnregisteredAttr) and type.attr_name.data == "llvm.target":
        return "does not support target extension type."
    if isinstance(value, IntegerAttr):
        if not isinstance(type, IntegerType) and _is_read(type):
            return VerifierError("expected integer type", 19)
        return None
    if isinstance(value, FloatAttr):
        given: Attribute = cast("FloatAttr[AnyFloat]", value).type
        return _semantics(given, type, 19)
    if is_dense_elements(value):
        return _elements(value, type)
    if is_array(value):
        if not _is_read(type):
            raise NotKnown
        if not isinstance(type, LLVMArrayType):
            return VerifierError("expected array or struct type for array attribute", 21)
        if isinstance(type.type, LLVMPointerType):
            return _pointers(value.data)
        error = _array(type, value.data, 0)
        return None if error is None else VerifierError(error, _IS_ARRAY_OF_STRUCTS)
    raise NotKnown


def _is_read(type: Attribute) -> bool:
    return not isinstance(type, UnregisteredAttr) and not type.name.startswith("gpuasync.")


def _string(value: StringAttr, type: Attribute) -> str | None:
    if not value.data.isascii() or not _is_read(type):
        raise NotKnown
    size = len(value.data)
    if isinstance(type, LLVMArrayType) and type.size.data == size and type.type == IntegerType(8):
        return None
    return f"expected array type of {size} i8 elements for the string constant"


def _is_number(type: Attribute) -> bool:
    if is_integer(type):
        return type.signedness.data == Signedness.SIGNLESS
    return isinstance(type, AnyFloat | IndexType)


def _struct(value: Attribute, type: LLVMStructType) -> str | VerifierError | None:
    if type.form.data == "reference":
        raise NotKnown
    if not is_array(value):
        if isinstance(value, UnregisteredAttr):
            raise NotKnown
        return "expected array attribute for struct type"
    elements, types = value.data, type.types.data
    if len(elements) != len(types):
        return f"expected array attribute of size {len(types)}"
    for index, (each, wanted) in enumerate(zip(elements, types, strict=True)):
        if not _is_number(wanted):
            if not _is_read(wanted):
                raise NotKnown
            return "expected struct element types to be floating point type or integer type"
        if not isinstance(each, IntegerAttr | FloatAttr):
            if isinstance(each, UnregisteredAttr) or not _is_read(each):
                raise NotKnown
            return "expected element of array attribute to be floating point or integer"
        if cast("IntegerAttr[IntegerType]", each).type != wanted:
            # Through LLVM 19, similar types were accepted.
            given = {cast("IntegerAttr[IntegerType]", other).type for other in elements[: index + 1]}
            return VerifierError(
                f"struct element at index {index} is of wrong type", 0 if len(given) > 1 else 20
            )
    return None


def _semantics(given: Attribute, type: Attribute, since: int) -> str | VerifierError | None:
    if not isinstance(given, AnyFloat):
        raise NotKnown
    if isinstance(type, AnyFloat):
        if type != given:
            has_width = type.bitwidth != given.bitwidth
            return VerifierError(
                "attribute and type have different float semantics", since if has_width else 22
            )
    elif (bits := width(type)) and bits != given.bitwidth:
        return VerifierError(f"expected integer type of width {given.bitwidth}", since)
    return None


def _count(type: Attribute) -> int:
    if is_vector(type):
        return prod(type.get_shape()) * _count(type.element_type)
    if isinstance(type, LLVMArrayType):
        return type.size.data * _count(type.type)
    return 1


def _innermost(type: Attribute) -> Attribute:
    while isinstance(type, LLVMArrayType):
        type = type.type
    if is_vector(type) or is_tensor(type):
        return type.element_type
    return type


def _has_scalable(type: Attribute) -> bool:
    while isinstance(type, LLVMArrayType):
        type = type.type
    return is_scalable(type)


def _elements(value: DenseIntOrFPElementsAttr, type: Attribute) -> str | VerifierError | None:
    inner = _innermost(type)
    if isinstance(inner, LLVMVectorType) or not _is_read(inner):
        raise NotKnown
    if _has_scalable(type):
        return (
            None if value.is_splat() else VerifierError("scalable vector type requires a splat attribute", 20)
        )
    if not isinstance(type, VectorType | LLVMArrayType):
        return VerifierError("expected vector or array type", 19)
    given = vector_type(value.type)
    wanted, number = _count(cast("Attribute", type)), prod(given.get_shape())
    if wanted != number:
        return VerifierError(
            f"type and attribute have a different number of elements: {wanted} vs. {number}", 20
        )
    if isinstance(given.element_type, AnyFloat):
        return _semantics(given.element_type, inner, 22)
    if isinstance(given.element_type, IntegerType) and not isinstance(inner, IntegerType):
        return VerifierError("expected integer element type for integer elements attribute", 22)
    return None


def _is_nothing(value: Attribute) -> bool:
    """Return whether an element is `#llvm.zero`, `#llvm.undef` or `#llvm.poison`."""
    return isinstance(value, UnregisteredAttr)


def _pointers(elements: Sequence[Attribute]) -> VerifierError | None:
    for index, each in enumerate(elements):
        is_flat = isinstance(each, SymbolRefAttr) and not each.nested_references.data
        if not is_flat and not _is_nothing(each):
            words = "must be a flat symbol reference, zero, undef, or poison"
            return VerifierError(f"pointer array element at index {index} {words}", 23)
    return None


def _array(type: LLVMArrayType, elements: Sequence[Attribute], depth: int) -> str | None:
    if type.size.data != len(elements):
        sizes = f"{len(elements)} vs. {type.size.data}"
        return f"array attribute size does not match array type size in dimension {depth}: {sizes}"
    inner = type.type
    if isinstance(inner, LLVMArrayType):
        for index, each in enumerate(elements):
            if _is_nothing(each):
                continue
            if not is_array(each):
                return (
                    f"nested attribute for sub-array in dimension {depth} at index {index} must be a zero, "
                    "or undef, or array attribute"
                )
            if (error := _array(inner, each.data, depth + 1)) is not None:
                return error
        return None
    if isinstance(inner, LLVMPointerType):
        raise NotKnown  # Newer releases accept symbols.
    if not isinstance(inner, LLVMStructType):
        return "for array with an array attribute must have a struct element type"
    for index, each in enumerate(elements):
        if _is_nothing(each):
            continue
        if not is_array(each):
            return (
                f"nested attribute for struct element at index {index} must be a zero, or undef, or array "
                "attribute"
            )
        given, wanted = len(each.data), len(inner.types.data)
        if given != wanted:
            return (
                f"nested array attribute size for struct element at index {index} must match struct size: "
                f"{given} vs. {wanted}"
            )
    return None


def _zero(view: View) -> str | None:
    type = view.op.results[0].type
    if not isinstance(type, UnregisteredAttr) or type.attr_name.data != "llvm.target":
        return None
    # `LLVMTargetExtType::hasProperty`: only for SPIR-V's types.
    has_zero = type.value.data.startswith('"spirv.')
    return None if has_zero else "target extension type does not support zero-initializer"


CONSTANTS = {"llvm.mlir.constant": _constant, "llvm.mlir.zero": _zero}
