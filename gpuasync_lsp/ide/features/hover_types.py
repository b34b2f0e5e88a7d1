"""Explanations of types: the size of a value, a memref's layout and memory space."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ComplexType,
    IndexType,
    IntAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.dialects.builtin import AnyFloat as Float
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr
from gpuasync_lsp.syntax.kinds import (
    element_type,
    is_integer_attr,
    is_memref,
    is_ranked,
    is_unranked_memref,
    is_vector,
)
from gpuasync_lsp.syntax.printer import attribute_text

_SPACES = {0: "generic", 1: "global", 3: "shared by the block", 4: "constant", 5: "local to the thread"}
"""The address spaces that NVIDIA and AMD GPUs have in common; space 2 differs."""
NAMED_SPACES = {
    "global": "of the whole device",
    "workgroup": "shared by the threads of a block",
    "private": "of one thread",
    "constant": "of the whole device, not written by kernels",
}
"""Memory spaces in `#gpu.address_space`."""
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def explained(type: Attribute) -> list[str]:
    """Return the explanation of a type, one string per sentence; empty for a self-explanatory type."""
    if is_ranked(type):
        parts = [_size(type), *((_layout(type), _space(type.memory_space)) if is_memref(type) else ())]
        return [part for part in parts if part]
    if is_unranked_memref(type):
        space = _space(type.memory_space)
        return ["Of any rank: a rank, and a pointer to a descriptor.", *([space] if space else [])]
    if isinstance(type, UnrankedTensorType):
        return ["Of any rank, known at run time."]
    size = byte_size(type)
    return [] if size is None or isinstance(type, IntegerType | Float) else [f"{amount(size)}"]


def byte_size(type: Attribute) -> int | None:
    """Return the size of a scalar in memory, in bytes."""
    match type:
        case IntegerType():
            return -(-type.width.data // 8)
        case IndexType():
            return 8
        case ComplexType():
            inner = byte_size(element_type(type))
            return None if inner is None else 2 * inner
        case _:
            width = getattr(type, "bitwidth", None)
            return -(-width // 8) if isinstance(width, int) else None


def _size(type: VectorType[Attribute] | TensorType[Attribute] | MemRefType[Attribute]) -> str:
    shape = type.get_shape()
    element = type.element_type
    each = byte_size(element)
    if is_vector(element):
        inner = byte_size(element.element_type)
        each = None if inner is None else inner * prod(element.get_shape())
    if each is None:
        return ""
    known = prod(size for size in shape if size >= 0)
    flags = type.scalable_dims.data if is_vector(type) else ()
    scalable = [flag.value.data != 0 for flag in flags] or [False] * len(shape)
    sizes = " × ".join(  # noqa: RUF001
        "?" if size < 0 else f"{size} × vscale" if scales else f"{size}"  # noqa: RUF001
        for size, scales in zip(shape, scalable, strict=True)
    )
    unit = f"{attribute_text(element)} of {each} byte{'s' * (each != 1)}"
    if any(size < 0 for size in shape):
        return f"{sizes} elements, {unit}: a multiple of {known * each} bytes, known at run time."
    if any(scalable):
        return f"{sizes} elements, {unit}: {known * each} bytes times vscale, which depends on the processor."
    return f"{amount(known * each)}: {f'{sizes} elements' if shape else 'one element'}, {unit}."


def amount(size: int) -> str:
    """Format a number of bytes."""
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size:,} bytes ({size / unit:.4g} {name})"
    return f"{size} byte{'s' * (size != 1)}"


def _layout(type: MemRefType[Attribute]) -> str:
    layout, shape = type.layout, type.get_shape()
    if isinstance(layout, StridedLayoutAttr):
        strides = ", ".join(_shown(stride) for stride in layout.strides.data)
        offset = _shown(layout.offset)
        begins = "at the pointer" if offset == "0" else f"{offset} elements after the pointer"
        return f"Strided: strides of {strides} elements; it begins {begins}."
    if isinstance(layout, AffineMapAttr):
        return f"With a map from indices to offsets: {layout.data}."
    if len(shape) < 2:
        return "Contiguous." if shape else ""
    steps = ["1"]
    step = 1
    for size in reversed(shape[1:]):
        step = step * size if step >= 0 and size >= 0 else -1
        steps.insert(0, f"{step}" if step >= 0 else "?")
    return f"Row by row without gaps: strides {', '.join(steps)}."


def _shown(value: IntAttr | NoneAttr) -> str:
    return "?" if isinstance(value, NoneAttr) else f"{value.data}"


def _space(space: Attribute) -> str:
    if isinstance(space, NoneAttr):
        return ""
    if is_integer_attr(space):
        return numbered(space.value.data)
    if isinstance(space, AddressSpaceAttr):
        return f"Memory space `{space.data.value}`: {NAMED_SPACES[space.data.value]}."
    return f"Memory space `{attribute_text(space)}`."


def numbered(number: int) -> str:
    """Describe the memory space with this number."""
    return f"Memory space {number}" + (f": {_SPACES[number]}." if number in _SPACES else ".")
