"""Helpers for the amdgpu checks: types and attributes."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, IntegerType, MemRefType, NoneAttr
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, View, bits
from gpuasync_lsp.syntax.kinds import is_integer_attr, is_vector
from gpuasync_lsp.syntax.printer import attribute_text

WAVE = 64
_FLOATS_OF_TEXT = {"f8": 8, "f6": 6, "f4": 4}


def bits_of(type: Attribute) -> int:
    """Return the bit width of a numeric type; raises NotKnown for other types."""
    width = _FLOATS_OF_TEXT.get(attribute_text(type)[:2])
    return bits(type) if width is None or isinstance(type, AnyFloat) else width


def is_float(type: Attribute) -> bool:
    """Return whether a numeric type is a float; raises NotKnown for other types."""
    return not isinstance(type, IntegerType) and bool(bits_of(type))


def parts_of(type: Attribute) -> tuple[Attribute, int]:
    """Return the element type and element count of a vector; a scalar type and 1 for a scalar."""
    if is_vector(type):
        vector = type
        count = 1
        for size in vector.get_shape():
            count *= size
        return vector.element_type, count
    return type, 1


def number(view: View, name: str, default: int) -> int:
    """Return the value of the integer attribute `name`, or `default` if the op has none."""
    return default if view.attribute(name) is None else view.integer(name)


def space_of(type: MemRefType[Attribute]) -> str:
    """Return the memory space of a memref: a number, a keyword, or an empty string if it has none.

    Raises NotKnown for any other attribute of a dialect."""
    space = type.memory_space
    if isinstance(space, NoneAttr):
        return ""
    if is_integer_attr(space):
        return str(space.value.data)
    text = attribute_text(space)
    if not text.startswith(("#gpu.address_space<", "#amdgpu.address_space<")):
        raise NotKnown
    return text.partition("<")[2].removesuffix(">")


def is_global(type: MemRefType[Attribute]) -> bool:
    """Return whether a memref is in global or flat memory."""
    return space_of(type) in ("", "0", "1", "global")


def is_shared(type: MemRefType[Attribute]) -> bool:
    """Return whether a memref is in workgroup memory (LDS)."""
    return space_of(type) in ("3", "workgroup")
