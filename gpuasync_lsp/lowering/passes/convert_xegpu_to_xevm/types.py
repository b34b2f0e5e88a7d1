"""The type converter of `convert-xegpu-to-xevm` (to flat vectors and addresses), and its casts."""

from __future__ import annotations

import re
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import (
    IndexType,
    Signedness,
    UnregisteredAttr,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion.insertion import Insertion
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.passes.convert_xegpu_to_xevm.builder import Builder
from gpuasync_lsp.syntax.kinds import is_integer, is_integer_attr, is_memref, is_vector
from gpuasync_lsp.syntax.memref_types import AnyMemRef, dynamic, strides_and_offset

SHARED = 3
GLOBAL = 1
"""xevm's numbers for the shared and the global memory space."""

_INDEX = IndexType()
_BODY = re.compile(r"((?:[0-9]{1,9}x){1,8})([a-z][A-Za-z0-9]*)\s*(?:,(.*))?", re.DOTALL)
_BITS = re.compile(r"[0-9]+")
_ARRAY = re.compile(r"array_length\s*=\s*([0-9]{1,9})")


class Tile(NamedTuple):
    """The parameters of a `!xegpu.tensor_desc` or `!xegpu.mem_desc`."""

    shape: tuple[int, ...]
    element: str
    rest: str
    """The text after the element type."""

    @property
    def bits(self) -> int:
        """The width of an element."""
        return bits_in(self.element)

    @property
    def arrays(self) -> int:
        """The number of tiles that one load reads."""
        found = _ARRAY.search(self.rest)
        return int(found[1]) if found else 1

    @property
    def is_scattered(self) -> bool:
        """Whether the descriptor has an offset per lane."""
        return "scatter_tdesc_attr" in self.rest

    @property
    def space(self) -> int:
        """The number of the memory space."""
        return SHARED if re.search(r"memory_space\s*=\s*slm", self.rest) else GLOBAL


def tile_of(type: Attribute) -> Tile | None:
    """Return the parameters of a descriptor's type; None for any other type, or one with an unknown part."""
    if not isinstance(type, UnregisteredAttr) or not type.attr_name.data.startswith("xegpu."):
        return None
    match = _BODY.fullmatch(type.value.data.strip().removeprefix("<").removesuffix(">").strip())
    if match is None or "#" in (match[3] or "").replace("#xegpu.", ""):
        return None
    return Tile(tuple(int(size) for size in match[1].split("x") if size), match[2], match[3] or "")


def bits_in(name: str) -> int:
    """Return the bit width of the type with this name: 8 for `f8E5M2`; tf32 has 19 bits."""
    found = _BITS.search(name)
    return 19 if name == "tf32" else int(found[0]) if found else 0


def width_of(type: Attribute) -> int:
    """Return the width of an integer or float type."""
    return type.bitwidth if is_integer(type) else bits_in(type.name)


def is_shared(type: AnyMemRef) -> bool:
    """Return whether a memref is in workgroup memory."""
    space: Attribute = type.memory_space
    if is_integer_attr(space):
        return space.value.data == SHARED
    text = str(space)
    return text in ("#gpu.address_space<workgroup>", "#xevm.addr_space<shared>")


class XeVMTypes(TypeConverter):
    """Converts vectors to flat vectors, one-element vectors to scalars, and memory to its address."""

    def _convert(self, type: Attribute) -> Attribute | None:
        if is_vector(type):
            element = self.convert(type.element_type)
            count = prod(type.get_shape())
            if element is None or count == 1:
                return element
            return VectorType(element, (count,))
        if is_memref(type):
            return i32 if is_shared(type) else self.index
        if isinstance(type, UnregisteredAttr) and type.attr_name.data.startswith("xegpu."):
            if type.attr_name.data == "xegpu.mem_desc":
                return i32
            tile = tile_of(type)
            if tile is None or tile.is_scattered:
                return None
            return self.index if len(tile.shape) == 1 else VectorType(i32, (8,))
        return super()._convert(type)


def materialize(
    insertion: Insertion, value: SSAValue, type: Attribute, types: TypeConverter
) -> SSAValue | None:
    """Insert the ops that convert `value` to `type`; None if the pass has none and leaves a cast."""
    build = Builder(insertion)
    source = value.type
    if is_memref(source):
        return _address(build, value, source, type)
    if is_integer(source) and source.signedness.data == Signedness.UNSIGNED:
        if source.bitwidth not in (32, 64):
            return None
        index = build.one("index.castu", [value], _INDEX)
        return build.one("arith.index_castui", [index], type)
    if is_vector(source):
        if is_vector(type):
            return _reshaped(build, value, source, type)
        if prod(source.get_shape()) != 1:
            return None
        element = build.extract(value, *[0] * len(source.get_shape()))
        if element.type == type:
            return element
        cast = "arith.index_castui" if element.type == _INDEX else "arith.bitcast"
        return build.one(cast, [element], type)
    if is_vector(type) and prod(type.get_shape()) == 1 and (is_integer(source) or source.name != "index"):
        element_type: Attribute = type.element_type
        if element_type == _INDEX:
            value = build.one("arith.index_castui", [value], _INDEX)
        elif element_type != source:
            value = build.one("arith.bitcast", [value], element_type)
        return build.one("vector.broadcast", [value], type)
    return None


def _address(build: Builder, value: SSAValue, source: AnyMemRef, type: Attribute) -> SSAValue | None:
    """Return the address of a memref's first element as an integer."""
    layout = strides_and_offset(source)
    if layout is not None and not dynamic(layout.offset):
        address = build.one("memref.extract_aligned_pointer_as_index", [value], _INDEX)
        offset = build.constant(layout.offset, _INDEX)
    else:
        rank = len(source.get_shape())
        base = type_of_base(source)
        metadata = build.op("memref.extract_strided_metadata", [value], [base, *[_INDEX] * (1 + 2 * rank)])
        address = build.one("memref.extract_aligned_pointer_as_index", [metadata.results[0]], _INDEX)
        offset = metadata.results[1]
    address = build.one("arith.index_castui", [address], type)
    offset = build.one("arith.index_castui", [offset], type)
    return build.displaced(address, offset, width_of(source.element_type) // 8)


def type_of_base(source: AnyMemRef) -> Attribute:
    """Return the type of the rank-0 memref that extract_strided_metadata returns."""
    return type(source)(source.element_type, (), memory_space=source.memory_space)


def _reshaped(
    build: Builder, value: SSAValue, source: VectorType[Attribute], type: VectorType[Attribute]
) -> SSAValue:
    """Insert casts of a vector to the shape and element type of `type`."""
    if source.get_shape() != type.get_shape():
        value = build.one("vector.shape_cast", [value], VectorType(source.element_type, type.get_shape()))
    if source.element_type != type.element_type:
        value = build.one("vector.bitcast", [value], type)
    return value
