"""Default sizes and alignments of llvm types, for modules without a `dlti.dl_spec`.

Source: the defaults in mlir/lib/Interfaces/DataLayoutInterfaces.cpp and in LLVMTypes.cpp.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType, LLVMPointerType, LLVMStructType

_POINTER_BYTES = 8


class Layout(NamedTuple):
    """The memory layout of a type, in bytes."""

    size: int
    alignment: int
    """The ABI alignment."""


def layout_of(type: Attribute) -> Layout | None:
    """Return the layout of `type`, or None for a type that this tool does not support, such as a vector."""
    if isinstance(type, IntegerType | AnyFloat):
        size = (type.bitwidth + 7) // 8
        # MLIR's default aligns wide integers to 4 bytes.
        is_wide = isinstance(type, IntegerType) and type.bitwidth >= 64
        return Layout(size, 4 if is_wide else _power_of_two(size))
    if isinstance(type, LLVMPointerType):
        return Layout(_POINTER_BYTES, _POINTER_BYTES)
    if isinstance(type, LLVMArrayType):
        element = layout_of(type.type)
        return None if element is None else Layout(type.size.data * element.size, element.alignment)
    if isinstance(type, LLVMStructType) and type.form.data == "body":
        return _of_struct(type)
    return None


def _of_struct(type: LLVMStructType) -> Layout | None:
    size, alignment = 0, 1
    for each in type.types.data:
        field = layout_of(each)
        if field is None:
            return None
        if not type.packed.value.data:
            alignment = max(alignment, field.alignment)
            size = _up(size, field.alignment)
        size += field.size
    return Layout(_up(size, alignment), alignment)


def _up(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def _power_of_two(size: int) -> int:
    return 1 << max(size - 1, 0).bit_length()
