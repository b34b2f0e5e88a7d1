"""Explanations of types: the size of a value, a memref's layout and memory space."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ComplexType,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.dialects.builtin import AnyFloat as Float
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr
from gpuasync_lsp.syntax.kinds import element_type, is_integer_attr
from gpuasync_lsp.syntax.printer import attribute_text

_SPACES = {0: "generic", 1: "global", 3: "shared by the block", 4: "constant", 5: "local to the thread"}
"""The address spaces of NVIDIA and AMD GPUs, except for 2, which differs."""
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
    if isinstance(type, MemRefType | TensorType | VectorType):
        return list(filter(None, (_size(type), _layout(type), _space(type))))
    if isinstance(type, UnrankedMemRefType):
        return list(filter(None, ("Of any rank: a rank, and a pointer to a descriptor.", _space(type))))
    if isinstance(type, UnrankedTensorType):
        return ["Of any rank, known when it runs."]
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


def _size(type: Any) -> str:
    shape: Sequence[int] = type.get_shape()
    element = element_type(type)
    each = byte_size(element)
    if element.name == "vector":
        vector = cast(Any, element)
        inner = byte_size(vector.element_type)
        each = None if inner is None else inner * prod(vector.get_shape())
    if each is None:
        return ""
    known = prod(size for size in shape if size >= 0)
    scalable = _scalable(type, len(shape))
    sizes = " × ".join(  # noqa: RUF001
        "?" if size < 0 else f"{size} × vscale" if scales else f"{size}"  # noqa: RUF001
        for size, scales in zip(shape, scalable, strict=True)
    )
    unit = f"{attribute_text(element)} of {each} byte{'s' * (each != 1)}"
    if any(size < 0 for size in shape):
        return f"{sizes} elements, {unit}: a multiple of {known * each} bytes, known when it runs."
    if any(scalable):
        return f"{sizes} elements, {unit}: {known * each} bytes times vscale, which the processor has."
    return f"{amount(known * each)}: {f'{sizes} elements' if shape else 'one element'}, {unit}."


def _scalable(type: Any, rank: int) -> Sequence[bool]:
    """Return for each dimension of a vector whether it is scalable."""
    if not isinstance(type, VectorType):
        return [False] * rank
    return [bool(flag.value.data) for flag in cast(Any, type).scalable_dims]


def amount(size: int) -> str:
    """Format a number of bytes."""
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size:,} bytes ({size / unit:.4g} {name})"
    return f"{size} byte{'s' * (size != 1)}"


def _layout(type: Any) -> str:
    if not isinstance(type, MemRefType):
        return ""
    memref = cast(Any, type)
    layout = memref.layout
    shape: list[int] = list(memref.get_shape())
    if isinstance(layout, StridedLayoutAttr):
        strides = ", ".join(_shown(stride) for stride in layout.strides.data)
        offset = _shown(layout.offset)
        begins = "at the pointer" if offset == "0" else f"{offset} elements after the pointer"
        return f"Strided: strides of {strides} elements; it begins {begins}."
    if isinstance(layout, AffineMapAttr):
        return f"By a map: index to place is {layout.data}."
    if len(shape) < 2:
        return "Contiguous." if shape else ""
    steps = ["1"]
    step = 1
    for size in reversed(shape[1:]):
        step = step * size if step >= 0 and size >= 0 else -1
        steps.insert(0, f"{step}" if step >= 0 else "?")
    return f"Row by row without gaps: strides {', '.join(steps)}."


def _shown(value: Any) -> str:
    return "?" if isinstance(value, NoneAttr) else f"{value.data}"


def _space(type: Any) -> str:
    if not isinstance(type, MemRefType | UnrankedMemRefType):
        return ""
    space = cast(Any, type).memory_space
    if isinstance(space, NoneAttr):
        return ""
    if is_integer_attr(space):
        return numbered(space.value.data)
    if isinstance(space, AddressSpaceAttr):
        return f"Memory space `{space.data.value}`: {NAMED_SPACES[space.data.value]}."
    return f"Memory space `{attribute_text(cast(Attribute, space))}`."


def numbered(number: int) -> str:
    """Describe the memory space with this number."""
    return f"Memory space {number}" + (f": {_SPACES[number]}." if number in _SPACES else ".")
