"""The type converter of `gpu-to-llvm`.

Source: MLIR's `LLVMTypeConverter`, gpu-to-llvm's conversion of `!gpu.async.token`, and the structural
conversions of `!async.value`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    FunctionType,
    IntegerAttr,
    IntegerType,
    Signedness,
    UnrankedMemRefType,
    VectorType,
    i16,
    i64,
)
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.dialects.async_dialect import ValueType
from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
    LLVMType,
)
from gpuasync_lsp.syntax.kinds import is_memref, is_vector
from gpuasync_lsp.syntax.memref_types import AnyMemRef, AnyUnranked, dynamic, memory_space, strides_and_offset

PTR = LLVMPointerType()
_UNCHANGED = frozenset({"f16", "bf16", "f32", "f64", "f80", "f128"})
PRIMITIVE = frozenset({"f16", "bf16", "f32", "f64", "f80", "f128"})
_DESCRIPTORLESS = frozenset({"async.token"})


def is_llvm_type(type: Attribute) -> bool:
    """Return whether `type` is valid in the llvm dialect; members of structs are not checked."""
    # Classes only: hashing a type costs more than the rest of the verification.
    if isinstance(type, (LLVMType, IntegerType)):
        return True
    if is_vector(type):
        return is_llvm_type(type.element_type)
    return type.name in PRIMITIVE


def pointer(space: int = 0) -> LLVMPointerType:
    """Return `!llvm.ptr` or `!llvm.ptr<space>`."""
    return PTR if space == 0 else LLVMPointerType(space)


def struct(types: Iterable[Attribute]) -> LLVMStructType:
    """Return the unnamed LLVM struct type with the members `types`."""
    return LLVMStructType.literal(tuple(types))


def array(size: int, element: Attribute) -> LLVMArrayType:
    """Return the LLVM type of an array of `size` elements."""
    return LLVMArrayType(size, element)


@dataclass
class TypeConverter:
    """Converts types and memoizes the results."""

    any_memory_space: bool = False
    """Whether a memory space that is not an integer is converted to 0 (LLVM 16) instead of rejected."""

    complaints: dict[str, None] = field(default_factory=dict[str, None])
    """The errors that MLIR reports for types that it cannot convert, in order."""

    index_bits: int = 64
    """The width of an index in bits."""

    keeps_tf32: bool = False
    """Whether tf32, which is not an LLVM type, is left unchanged; otherwise it cannot be converted."""

    signed_spaces: bool = True
    """Whether a memory space may be an integer attribute of a signed or unsigned type."""

    bare_pointers: bool = False
    """Whether statically shaped memrefs are passed to host functions as bare pointers."""

    bfloat_as_integer: bool = False
    """Whether bf16 is converted to i16."""

    spaces: Mapping[str, int] = field(default_factory=dict[str, int])
    """Maps the names in `#gpu.address_space<..>` to numbers; empty if these are already converted."""

    async_types: bool = True
    """Whether gpu tokens and handles are converted to pointers, and types of the async dialect are legal."""

    _seen: dict[int, tuple[Attribute, Attribute | None]] = field(
        default_factory=dict[int, tuple[Attribute, Attribute | None]]
    )
    _known: dict[Attribute, Attribute | None] = field(default_factory=dict[Attribute, Attribute | None])

    @property
    def index(self) -> IntegerType:
        """The converted type of an index."""
        return i64 if self.index_bits == 64 else IntegerType(self.index_bits)

    def convert(self, type: Attribute) -> Attribute | None:
        """Return the converted `type` (itself if it is legal), or None if it cannot be converted."""
        # Look up by identity first: values share their types, and hashing a type visits all its parts.
        found = self._seen.get(id(type))
        if found is not None:
            return found[1]
        if type not in self._known:
            self._known[type] = self._convert(type)
        result = self._known[type]
        self._seen[id(type)] = type, result
        return result

    def is_legal(self, type: Attribute) -> bool:
        """Return whether the conversion leaves `type` unchanged."""
        return self.convert(type) == type

    def convert_all(self, types: Iterable[Attribute]) -> list[Attribute] | None:
        """Return the converted `types`, or None if one cannot be converted."""
        converted: list[Attribute] = []
        for type in types:
            result = self.convert(type)
            if result is None:
                return None
            converted.append(result)
        return converted

    def argument_types(self, type: Attribute, bare_pointers: bool) -> list[Attribute] | None:
        """Return the LLVM argument types for a function argument of `type`."""
        if is_memref(type):
            memref = type
            if bare_pointers:
                bare = self.bare_pointer(memref)
                return None if bare is None else [bare]
            return self.descriptor_fields(memref)
        if isinstance(type, UnrankedMemRefType):
            if bare_pointers:
                return None
            return [self.index, PTR]
        converted = self.convert(type)
        return None if converted is None else [converted]

    def descriptor_fields(self, type: AnyMemRef) -> list[Attribute] | None:
        """Return the types of a flattened descriptor: two pointers, the offset, sizes and strides."""
        if strides_and_offset(type) is None:
            self.complaints[
                "conversion to strided form failed either due to non-strided layout maps "
                "(which should have been normalized away) or other reasons"
            ] = None
            return None
        space = self.space_of(type)
        if space is None or self.convert(type.element_type) is None:
            return None
        ptr = pointer(space)
        return [ptr, ptr, self.index, *[self.index] * (2 * len(type.get_shape()))]

    def bare_pointer(self, type: AnyMemRef) -> Attribute | None:
        """Return the bare pointer type for a memref of static shape, strides and offset."""
        layout = strides_and_offset(type)
        if layout is None or self.convert(type.element_type) is None:
            return None
        strides, offset = layout
        if any(dynamic(n) for n in (*type.get_shape(), *strides, offset)):
            return None
        space = self.space_of(type)
        return None if space is None else pointer(space)

    def _convert(self, type: Attribute) -> Attribute | None:
        name = type.name
        if name.startswith("llvm."):
            return type
        if isinstance(type, IntegerType):
            number = cast(IntegerType, type)
            return number if number.signedness.data == Signedness.SIGNLESS else IntegerType(number.width)
        if name == "index":
            return self.index
        if not self.async_types and name.startswith(("async.", "gpu.")):
            return None
        if name == "gpu.async.token" or name.startswith("gpu.sparse."):
            return PTR
        if is_memref(type):
            return self._convert_memref(type)
        if isinstance(type, UnrankedMemRefType):
            unranked = cast(AnyUnranked, type)
            known = self.space_of(unranked) is not None and self.convert(unranked.element_type) is not None
            return struct((self.index, PTR)) if known else None
        if name == "bf16" and self.bfloat_as_integer:
            return i16
        if name in _UNCHANGED or name in _DESCRIPTORLESS or (name == "tf32" and self.keeps_tf32):
            return type
        if name.startswith(("f8", "f6", "f4")):
            return IntegerType(int(name[1]))
        if isinstance(type, ComplexType):
            element = self.convert(cast(ComplexType, type).element_type)
            return None if element is None else struct((element, element))
        if is_vector(type):
            return self._convert_vector(type)
        if isinstance(type, FunctionType):
            return PTR
        if name == "async.value":
            return self._convert_async_value(type)
        return None

    def _convert_memref(self, type: AnyMemRef) -> Attribute | None:
        fields = self.descriptor_fields(type)
        if fields is None:
            return None
        rank = len(type.get_shape())
        sizes = (array(rank, self.index),) * 2 if rank else ()
        return struct((*fields[:3], *sizes))

    def _convert_vector(self, type: VectorType[Attribute]) -> Attribute | None:
        element = self.convert(type.element_type)
        if element is None:
            return None
        shape: Sequence[int] = type.get_shape()
        if not shape:
            return VectorType(element, (1,))
        if element == type.element_type and len(shape) == 1:
            return type
        if any(each.value.data for each in type.scalable_dims.data[:-1]):
            return None
        result: Attribute = VectorType(element, shape[-1:], ArrayAttr(type.scalable_dims.data[-1:]))
        for size in reversed(shape[:-1]):
            result = array(size, result)
        return result

    def _convert_async_value(self, type: Attribute) -> Attribute | None:
        inner = self.convert(cast(ValueType, type).value_type)
        return None if inner is None else ValueType(inner)

    def space_of(self, type: AnyMemRef | AnyUnranked) -> int | None:
        """Return the number of a memref's memory space, or None if it cannot be converted to a number."""
        if self.spaces and isinstance(type.memory_space, AddressSpaceAttr):
            return self.spaces.get(type.memory_space.data.value, 0)
        space = memory_space(type) if self.signed_spaces or _is_plain(type.memory_space) else None
        if space is None and self.any_memory_space:
            return 0
        if space is None:
            self.complaints[
                f"conversion of memref memory space {type.memory_space} to integer address space failed. "
                "Consider adding memory space conversions."
            ] = None
        return space


def _is_plain(space: Attribute) -> bool:
    """Return whether a memory space is not an integer attribute of a signed or unsigned type."""
    if not isinstance(space, IntegerAttr):
        return True
    kind = cast("IntegerAttr[IntegerType]", space).type
    return kind.name != IntegerType.name or kind.signedness.data == Signedness.SIGNLESS
