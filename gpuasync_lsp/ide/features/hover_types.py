"""What a type means: how large its values are, how a memref's elements lie in memory, and in which."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ComplexType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    UnrankedMemRefType,
    VectorType,
)
from xdsl.dialects.builtin import AnyFloat as Float
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.printer import attribute_text

_SPACES = {0: "generic", 1: "global", 3: "shared by the block", 4: "constant", 5: "local to the thread"}
"""The address spaces of NVIDIA and AMD GPUs; the addresses of 2 differ."""
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def explained(type: Attribute) -> list[str]:
    """Return what is to be said of a type, a sentence each; nothing of one that says it all itself."""
    if isinstance(type, MemRefType | TensorType | VectorType):
        return list(filter(None, (_size(type), _layout(type), _space(type))))
    if isinstance(type, UnrankedMemRefType):
        return ["Of any rank: a rank, and a pointer to a descriptor."]
    size = _bytes(type)
    return [] if size is None or isinstance(type, IntegerType | Float) else [f"{_amount(size)}"]


def _bytes(type: Attribute) -> int | None:
    """Return the bytes of a scalar in memory."""
    match type:
        case IntegerType():
            return -(-type.width.data // 8)
        case IndexType():
            return 8
        case ComplexType():
            inner = _bytes(cast(Attribute, type.element_type))
            return None if inner is None else 2 * inner
        case _:
            width = getattr(type, "bitwidth", None)
            return -(-width // 8) if isinstance(width, int) else None


def _size(type: Any) -> str:
    shape: Sequence[int] = type.get_shape()
    element = cast(Attribute, type.element_type)
    each = _bytes(element)
    if element.name == "vector":
        vector = cast(Any, element)
        inner = _bytes(vector.element_type)
        each = None if inner is None else inner * prod(vector.get_shape())
    if each is None:
        return ""
    known = prod(size for size in shape if size >= 0)
    sizes = " × ".join("?" if size < 0 else f"{size}" for size in shape)  # noqa: RUF001
    unit = f"{attribute_text(element)} of {each} byte{'s' * (each != 1)}"
    if any(size < 0 for size in shape):
        return f"{sizes} elements, {unit}: {known * each} bytes times what is only known when it runs."
    return f"{_amount(known * each)}: {f'{sizes} elements' if shape else 'one element'}, {unit}."


def _amount(size: int) -> str:
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
        begins = "at the pointer" if offset == "0" else f"{offset} elements behind the pointer"
        return f"Strided: the next index of each dimension is {strides} elements on; it begins {begins}."
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
    if not isinstance(type, MemRefType):
        return ""
    space = cast(Any, type).memory_space
    if isinstance(space, NoneAttr):
        return ""
    if isinstance(space, IntegerAttr):
        number = cast("IntegerAttr[Any]", space).value.data
        return f"Memory space {number}" + (f": {_SPACES[number]}." if number in _SPACES else ".")
    return f"Memory space `{attribute_text(cast(Attribute, space))}`."
