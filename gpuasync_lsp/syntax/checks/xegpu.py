"""xegpu: blocks of memory that a subgroup reads and writes, and products of them.

Said from LLVM 22 on, whose tensor descriptors are read here; older ones have other rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import IntegerType, MemRefType, UnregisteredAttr, VectorType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View, as_vector, bits
from gpuasync_lsp.syntax.printer import attribute_text

_SINCE = 22
_TENSOR = re.compile(r"((?:[0-9]{1,9}x){0,8})([a-z][A-Za-z0-9]*)\s*(?:,(.*))?", re.DOTALL)
_ARRAY = re.compile(r"array_length = ([0-9]{1,9})")
_READS = frozenset({"cached", "uncached", "streaming", "read_invalidate"})
_WRITES = frozenset({"cached", "uncached", "write_back", "write_through"})


class _Descriptor(NamedTuple):
    shape: tuple[int, ...]
    element: str
    is_scattered: bool
    has_layout: bool
    arrays: int
    text: str


def _descriptor(type: Attribute) -> _Descriptor:
    if not isinstance(type, UnregisteredAttr) or type.attr_name.data != "xegpu.tensor_desc":
        raise NotKnown
    body = type.value.data.strip().removeprefix("<").removesuffix(">")
    match = _TENSOR.fullmatch(body.strip())
    if match is None or "#" in (match[2] or ""):
        raise NotKnown
    shape = tuple(int(size) for size in match[1].split("x") if size)
    rest = match[3] or ""
    if "#" in rest.replace("#xegpu.", ""):
        raise NotKnown  # an alias
    arrays = _ARRAY.search(rest)
    return _Descriptor(
        shape,
        match[2],
        "scatter_tdesc_attr" in rest,
        "layout" in rest,
        int(arrays[1]) if arrays else 1,
        attribute_text(type),
    )


def _product(sizes: Sequence[int]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product


def _hints(view: View, allowed: frozenset[str]) -> str | None:
    for name in ("l1_hint", "l2_hint", "l3_hint"):
        found = view.attribute(name)
        if found is not None and (word := view.word(name)) not in allowed:
            return f"invalid {name}: #xegpu.cache_hint<{word}>"
    return None


def _offsets(view: View, rank: int) -> str | None:
    if view.attribute("const_offsets") is not None and len(view.integers("const_offsets")) != rank:
        return "Mismatched ranks between offsets and tensor descriptor"
    return None


def _create(view: View) -> str | None:
    descriptor, source = _descriptor(view.type("TensorDesc")), view.type("source")
    if not isinstance(source, MemRefType):
        if view.attribute("const_shape") is None or view.attribute("const_strides") is None:
            return "expecting strides and shape to be present for integer source."
        return None
    memory = cast("MemRefType[Attribute]", source)
    if memory.memory_space.name != "none":
        raise NotKnown
    if len(descriptor.shape) > len(memory.get_shape()):
        return (
            "Expecting the TensorDesc rank is not greater than the ranks of shape, strides, offsets or the "
            "memref source."
        )
    if attribute_text(memory.element_type) != descriptor.element:
        return "TensorDesc should have the same element type with the source if it is a memref."
    return "Expects a non-scattered TensorDesc." if descriptor.is_scattered else None


def _prefetch(view: View) -> str | None:
    descriptor = _descriptor(view.type("TensorDesc"))
    if descriptor.is_scattered:
        return "Expects a non-scattered TensorDesc."
    return _hints(view, _READS) or _offsets(view, len(descriptor.shape))


def _shared(view: View, kind: str, value: VectorType[Attribute], descriptor: _Descriptor) -> str | None:
    """What loads and stores of one thread of many are asked; nothing where they are of all."""
    shape = list(value.get_shape())
    if descriptor.has_layout:
        return "TensorDesc doesn't need LayoutAttr for SIMT code"
    if _product(descriptor.shape) * descriptor.arrays % _product(shape):
        what = f"{kind} shape {shape}"
        return f"{what} is not a valid distribution for tensor descriptor '{descriptor.text}'"
    return None


def _load(view: View) -> str | None:
    descriptor, value = _descriptor(view.type("TensorDesc")), as_vector(view.type("value"))
    if len(descriptor.shape) > 2:
        return "Expects a 1D or 2D TensorDesc."
    if descriptor.is_scattered:
        return "Expects a non-scattered TensorDesc."
    if (said := _hints(view, _READS)) is not None:
        return said
    shape = list(value.get_shape())
    all = _product(descriptor.shape) * descriptor.arrays
    if len(shape) == 1 and _product(shape) < all:
        return _shared(view, "Result", value, descriptor)
    if view.attribute("transpose") is not None:
        raise NotKnown
    wanted = list(descriptor.shape)
    if view.attribute("packed") is not None and len(wanted) == 2 and shape:
        if not shape[-1]:
            raise NotKnown
        wanted = [wanted[0] // shape[-1], wanted[1], shape[-1]]
    if descriptor.arrays > 1:
        wanted.insert(0, descriptor.arrays)
    if wanted != shape:
        return f"Result shape {shape} is not consistent with tensor descriptor '{descriptor.text}'"
    return _offsets(view, len(descriptor.shape))


def _store(view: View) -> str | None:
    descriptor, value = _descriptor(view.type("TensorDesc")), as_vector(view.type("value"))
    if len(descriptor.shape) > 2:
        return "Expects a 1D or 2D TensorDesc."
    if descriptor.is_scattered:
        return "Expects a non-scattered TensorDesc."
    if (said := _hints(view, _WRITES)) is not None:
        return said
    if descriptor.arrays > 1:
        return "array length is not supported by store_nd."
    shape = list(value.get_shape())
    if len(shape) == 1 and _product(shape) < _product(descriptor.shape):
        return _shared(view, "Value", value, descriptor)
    if list(descriptor.shape) != shape:
        return f"Value shape {shape} is not consistent with tensor descriptor '{descriptor.text}'"
    return _offsets(view, len(descriptor.shape))


def _move(view: View) -> str | None:
    descriptor = _descriptor(view.type("TensorDesc"))
    if descriptor.is_scattered:
        return "Expects a non-scattered TensorDesc."
    if len(descriptor.shape) != len(view.integers("const_offsets")):
        return "Invalid number of offsets."
    return None


def _create_scattered(view: View) -> str | None:
    return None if _descriptor(view.type("TensorDesc")).is_scattered else "Expects a scattered TensorDesc."


def _gathered(name: str, allowed: frozenset[str]) -> Callable[[View], str | None]:
    """Return a check of an op on scattered memory: its offsets, which a descriptor has, and its hints."""

    def check(view: View) -> str | None:
        memory, offsets = view.type(name), view.values("offsets")
        if isinstance(memory, UnregisteredAttr) and memory.attr_name.data == "xegpu.tensor_desc":
            if not _descriptor(memory).is_scattered:
                return "Expects a scattered TensorDesc."
            if offsets:
                return "offsets not allowed."
        elif not offsets and (isinstance(memory, IntegerType | MemRefType)):
            return "Expects offsets."
        return _hints(view, allowed)

    return check


def _dot(view: View) -> str | None:
    left, right, made = (as_vector(view.type(name)) for name in ("lhs", "rhs", "result"))
    a, b, c = ([*each.get_shape()] for each in (left, right, made))
    sums = view.types("acc")
    if sums and sums[0] != made:
        return "Expecting the acc type to be the same as result."
    if len(a) == len(b) == len(c) == 1:
        width = bits(right.element_type)
        if not 0 < width <= 32:
            raise NotKnown
        return "Expecting B operand to be a multiple of 32 bits." if b[0] % (32 // width) else None
    if len(a) != 2 or len(b) not in (2, 3) or len(c) != 2:
        return "expecting lhs and result to be a 2D vector, and rhs to be either 2D or 3D (packed) vector."
    if (b[0] * b[2] if len(b) == 3 else b[0]) != a[1]:
        return "K-dimension mismatch."
    if a[0] != c[0]:
        return "M-dimension mismatch."
    return "N-dimension mismatch." if b[1] != c[1] else None


def _newest(check: Callable[[View], str | None]) -> Callable[[View], Refusal | None]:
    def of_release(view: View) -> Refusal | None:
        words = check(view)
        return None if words is None else Refusal(words, _SINCE)

    return of_release


CHECKS = {
    "xegpu.create_nd_tdesc": _newest(_create),
    "xegpu.prefetch_nd": _newest(_prefetch),
    "xegpu.load_nd": _newest(_load),
    "xegpu.store_nd": _newest(_store),
    "xegpu.update_nd_offset": _newest(_move),
    "xegpu.create_tdesc": _newest(_create_scattered),
    "xegpu.prefetch": _newest(_gathered("source", _READS)),
    "xegpu.load": _newest(_gathered("source", _READS)),
    "xegpu.store": _newest(_gathered("dest", _WRITES)),
    "xegpu.dpas": _newest(_dot),
}
