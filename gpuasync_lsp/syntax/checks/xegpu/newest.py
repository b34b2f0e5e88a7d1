"""xegpu since LLVM 21: accesses of a subgroup to blocks of memory, and matrix products."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, MemRefType, NoneAttr, UnregisteredAttr, VectorType
from xdsl.ir import Attribute

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.block_types import block_of
from gpuasync_lsp.syntax.checks.conversions import xegpu_truncf
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View, as_vector, bits, vector_of
from gpuasync_lsp.syntax.kinds import is_integer_attr, is_memref
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.type_texts import distributes, lists_of

SINCE = Profile.xegpu_of_blocks.since
_SINCE_23 = 23
_TENSOR = re.compile(r"((?:[0-9]{1,9}x){0,8})([a-z][A-Za-z0-9]*)\s*(?:,(.*))?", re.DOTALL)
_CHUNK = re.compile(r"chunk_size\s*=\s*([0-9]{1,9})")
_ARRAY = re.compile(r"array_length = ([0-9]{1,9})")
_SHARED_SPACE = 3
_SHARED = re.compile(r"memory_space\s*=\s*slm")
_Check = Callable[[View], "str | VerifierError | None"]
READS = frozenset({"cached", "uncached", "streaming", "read_invalidate"})
WRITES = frozenset({"cached", "uncached", "write_back", "write_through"})


class Descriptor(NamedTuple):
    """The parameters of a tensor descriptor."""

    shape: tuple[int, ...]
    element: str
    is_scattered: bool
    has_layout: bool
    arrays: int
    text: str


def descriptor_of(type: Attribute) -> Descriptor:
    """Return the parameters of a tensor descriptor; raises NotKnown for any other type."""
    if not isinstance(type, UnregisteredAttr) or type.attr_name.data != "xegpu.tensor_desc":
        raise NotKnown
    body = type.value.data.strip().removeprefix("<").removesuffix(">")
    match = _TENSOR.fullmatch(body.strip())
    if match is None or "#" in (match[2] or ""):
        raise NotKnown
    shape = tuple(int(size) for size in match[1].split("x") if size)
    rest = match[3] or ""
    if "#" in rest.replace("#xegpu.", ""):
        raise NotKnown  # The layout contains an alias.
    arrays = _ARRAY.search(rest)
    return Descriptor(
        shape,
        match[2],
        "scatter_tdesc_attr" in rest,
        "layout" in rest,
        int(arrays[1]) if arrays else 1,
        attribute_text(type),
    )


def _hints(view: View, allowed: frozenset[str]) -> str | None:
    for name in ("l1_hint", "l2_hint", "l3_hint"):
        found = view.attribute(name)
        if found is not None and (word := view.word(name)) not in allowed:
            return f"invalid {name}: #xegpu.cache_hint<{word}>"
    return None


def _contiguity(view: View) -> VerifierError | None:
    """Return the error for the number of contiguous elements per lane, an attribute added in LLVM 23."""
    if view.attribute("contiguity") is None:
        return None
    given, offsets = view.integer("contiguity"), vector_of(view.type("offsets"))
    if given < 2:
        words = f"contiguity = {given} (must be >= 2)"
    elif offsets is None:
        words = "contiguity requires vector offsets (one per lane)."
    elif (innermost := offsets.get_shape()[-1]) % given:
        words = f"contiguity = {given} (must divide the innermost offsets dim {innermost})"
    else:
        return None
    return VerifierError(words, _SINCE_23)


def _offsets(view: View, rank: int) -> str | None:
    if view.attribute("const_offsets") is not None and len(view.integers("const_offsets")) != rank:
        return "Mismatched ranks between offsets and tensor descriptor"
    return None


def _space(type: MemRefType[Attribute]) -> int | None:
    """Return the number of a memref's memory space: 0 if it has none, None if the space is not a number."""
    space: Attribute = type.memory_space
    if is_integer_attr(space):
        return space.value.data
    return 0 if isinstance(space, NoneAttr) else None


def _other_space(source: Attribute, descriptor: Descriptor) -> str | None:
    """Return the error for memory in a different space than the descriptor's: 0, or 3 for shared memory."""
    space = _space(source) if is_memref(source) else 0
    wanted = _SHARED_SPACE if _SHARED.search(descriptor.text) else 0
    if space in (wanted, None):
        return None
    return f"Memory space mismatch. Source: {space}, TensorDesc: {wanted}"


def _create(view: View) -> str | None:
    descriptor, source = descriptor_of(view.type("TensorDesc")), view.type("source")
    if (error := _other_space(source, descriptor)) is not None:
        return error
    if not is_memref(source):
        if view.attribute("const_shape") is None or view.attribute("const_strides") is None:
            return "expecting strides and shape to be present for integer source."
        return None
    if source.memory_space.name != "none":
        raise NotKnown
    if len(descriptor.shape) > len(source.get_shape()):
        return (
            "Expecting the TensorDesc rank is not greater than the ranks of shape, strides, offsets or the "
            "memref source."
        )
    if attribute_text(source.element_type) != descriptor.element:
        return "TensorDesc should have the same element type with the source if it is a memref."
    return "Expects a non-scattered TensorDesc." if descriptor.is_scattered else None


def _prefetch(view: View) -> str | None:
    descriptor = descriptor_of(view.type("TensorDesc"))
    if descriptor.is_scattered:
        return "Expects a non-scattered TensorDesc."
    return _hints(view, READS) or _offsets(view, len(descriptor.shape))


def _shared(view: View, kind: str, value: VectorType[Attribute], descriptor: Descriptor) -> str | None:
    """Check a load or store by one lane (SIMT): the size of the lane's part must divide the block's size."""
    shape = list(value.get_shape())
    if descriptor.has_layout:
        return "TensorDesc doesn't need LayoutAttr for SIMT code"
    if prod(descriptor.shape) * descriptor.arrays % prod(shape):
        what = f"{kind} shape {shape}"
        return f"{what} is not a valid distribution for tensor descriptor '{descriptor.text}'"
    return None


def _load_block(view: View) -> str | VerifierError | None:
    descriptor, value = descriptor_of(view.type("TensorDesc")), as_vector(view.type("value"))
    if descriptor.is_scattered:
        return "Expects a non-scattered TensorDesc."
    if (error := _hints(view, READS)) is not None:
        return error
    shape = list(value.get_shape())
    all = prod(descriptor.shape) * descriptor.arrays
    if len(shape) == 1 and prod(shape) < all:
        return _shared(view, "Result", value, descriptor)
    if view.attribute("transpose") is not None:
        raise NotKnown
    wanted = list(descriptor.shape)
    if view.attribute("packed") is not None and len(wanted) == 2 and shape:
        if not shape[-1]:
            raise NotKnown
        wanted = [wanted[0] // shape[-1], wanted[1], shape[-1]]
    of_blocks = [descriptor.arrays * wanted[0], *wanted[1:]] if wanted else []
    if descriptor.arrays > 1:
        wanted.insert(0, descriptor.arrays)
    if wanted != shape:
        message = f"Result shape {shape} is not consistent with tensor descriptor '{descriptor.text}'"
        # Since LLVM 23 the blocks of an array may also be adjacent in the first dimension.
        return VerifierError(message, SINCE, before=_SINCE_23) if of_blocks == shape else message
    return _offsets(view, len(descriptor.shape))


def _store_block(view: View) -> str | None:
    descriptor, value = descriptor_of(view.type("TensorDesc")), as_vector(view.type("value"))
    if descriptor.is_scattered:
        return "Expects a non-scattered TensorDesc."
    if (error := _hints(view, WRITES)) is not None:
        return error
    if descriptor.arrays > 1:
        return "array length is not supported by store_nd."
    shape = list(value.get_shape())
    if len(shape) == 1 and prod(shape) < prod(descriptor.shape):
        return _shared(view, "Value", value, descriptor)
    if list(descriptor.shape) != shape:
        return f"Value shape {shape} is not consistent with tensor descriptor '{descriptor.text}'"
    return _offsets(view, len(descriptor.shape))


_OF_FEW_DIMENSIONS = "Expects a 1D or 2D TensorDesc."


def _of_any_rank(check: _Check) -> _Check:
    """Wrap the check of a block access: LLVM 23 accepts any rank, older releases rank 1 or 2."""

    def checked(view: View) -> str | VerifierError | None:
        if len(descriptor_of(view.type("TensorDesc")).shape) <= 2:
            return check(view)
        error = check(view)
        words = error.words if isinstance(error, VerifierError) else error or ""
        if not words:
            return VerifierError(_OF_FEW_DIMENSIONS, SINCE, before=_SINCE_23)
        return VerifierError(words, _SINCE_23, earlier=_OF_FEW_DIMENSIONS)

    return checked


def _move(view: View) -> str | None:
    descriptor = descriptor_of(view.type("TensorDesc"))
    if descriptor.is_scattered:
        return "Expects a non-scattered TensorDesc."
    if len(descriptor.shape) != len(view.integers("const_offsets")):
        return "Invalid number of offsets."
    return None


def _create_scattered(view: View) -> str | None:
    descriptor = descriptor_of(view.type("TensorDesc"))
    if not descriptor.is_scattered:
        return "Expects a scattered TensorDesc."
    return _other_space(view.type("source"), descriptor)


def _gathered(
    name: str, allowed: frozenset[str], *, prefetches: bool = False
) -> Callable[[View], str | VerifierError | None]:
    """Return the check of a scattered access: its offsets or descriptor, hints, mask and value."""

    def check(view: View) -> str | VerifierError | None:
        memory, offsets = view.type(name), view.values("offsets")
        descriptor = descriptor_of(memory) if block_of(memory) is not None else None
        if descriptor is not None:
            if not descriptor.is_scattered:
                return "Expects a scattered TensorDesc."
            if offsets:
                return "offsets not allowed."
        elif not offsets and (isinstance(memory, IntegerType | MemRefType)):
            return "Expects offsets."
        if (error := _hints(view, allowed)) is not None:
            return error
        if prefetches:
            return _byte_alignment(view, memory)
        if descriptor is not None:
            return _described(view, descriptor)
        return _of_chunks(view) or _contiguity(view)

    return check


def _byte_alignment(view: View, memory: Attribute) -> str | None:
    """Check that a prefetch has `offset_align_byte` if, and only if, its source is an integer."""
    is_number, is_aligned = isinstance(memory, IntegerType), view.attribute("offset_align_byte") is not None
    if is_number and not is_aligned:
        return "offset_align_byte is required with integer source."
    return "offset_align_byte only allowed with integer source." if is_aligned and not is_number else None


def _described(view: View, descriptor: Descriptor) -> str | None:
    """Check the mask and value of a load or store through a descriptor (`isValidGatherScatterParams`)."""
    value, mask = as_vector(view.type("value")), as_vector(view.type("mask"))
    chunk = _CHUNK.search(descriptor.text)
    size = int(chunk[1]) if chunk is not None else 1
    if attribute_text(value.element_type) != descriptor.element:
        return "Value should have the same element type as TensorDesc."
    lanes = descriptor.shape[:-1] if size > 1 else descriptor.shape
    if lanes != tuple(mask.get_shape()):
        return "Mask should match TensorDesc except the chunk size dim."
    shape = [*value.get_shape()]
    if shape == [size]:  # The value's type is already per thread.
        return "TensorDesc doesn't need LayoutAttr for SIMT code" if descriptor.has_layout else None
    if [*descriptor.shape] != shape:
        return (
            f"Value shape {shape} is neither a valid distribution for SIMT nor consistent with the tensor "
            f"descriptor for SIMD '{descriptor.text}'"
        )
    return None


def _of_chunks(view: View) -> str | None:
    """Check the mask and value of a load or store at offsets (`isValidGatherScatterBufferParams`)."""
    chunk = view.integer("chunk_size") if view.attribute("chunk_size") is not None else 1
    value, mask, offsets = (vector_of(view.type(name)) for name in ("value", "mask", "offsets"))
    if value is None:
        if chunk > 1:
            return "Expecting chunk size == 1 for scalar result"
        return "Expecting scalar mask and offsets." if mask is not None or offsets is not None else None
    shape = [*value.get_shape()]
    wrong_size = f"value elements must match chunk size {chunk}"
    if mask is None and offsets is None:
        return None if prod(shape) == chunk else wrong_size
    if mask is None:
        return "Expecting a vector type mask."
    of_mask = [*mask.get_shape()]
    wrong_mask = "Mask should match value except the chunk size dim."
    if chunk > 1:
        if len(shape) == 1 and prod(shape) != chunk:
            return wrong_size
    elif prod(shape) != prod(of_mask):
        return wrong_mask
    if prod(of_mask) == 1:
        return None
    return None if (shape[:-1] if chunk > 1 else shape) == of_mask else wrong_mask


def _matrix(name: str) -> Callable[[View], str | VerifierError | None]:
    """Return the check of a load or store of shared memory (`IsValidMatrixOpParams`).

    `name` is the operand or result with the data."""

    def check(view: View) -> str | VerifierError | None:
        data, block = vector_of(view.type(name)), block_of(view.type("mem_desc"))
        if block is None:
            raise NotKnown
        if data is None:
            if view.attribute("subgroup_block_io") is None:
                return None
            words = "subgroup_block_io are only allowed when result is a VectorType."
        elif view.attribute("subgroup_block_io") is not None and (of_lanes := _of_lanes(view)) is not None:
            words = f"With subgroup_block_io, {of_lanes}"
        elif len(data.get_shape()) == len(block[0]) and any(
            size > whole for size, whole in zip(data.get_shape(), block[0], strict=True)
        ):
            words = "data shape must not exceed mem_desc shape."
        else:
            words = ""
        if len(block[0]) == 2:
            return VerifierError(words, bare=True) if words else None
        message = "mem_desc must be 2D."
        return (
            VerifierError(words, _SINCE_23, True, earlier=message)
            if words
            else VerifierError(message, 0, True, before=_SINCE_23)
        )

    return check


def _of_lanes(view: View) -> str | None:
    """Return the error if the layout distributes the block over lanes in a way that block access cannot
    use."""
    layout = view.attribute("layout")
    if layout is None:
        return None
    shares, block = lists_of(attribute_text(layout)), lists_of(attribute_text(view.type("mem_desc")))
    data, lanes = shares.get("lane_data", []), shares.get("lane_layout", [])
    if any(each != 1 for each in data[:-1]):
        return "accessed data must be contiguous and coalesced."
    if "block" not in block or "stride" not in block:
        raise NotKnown
    for count, size, stride in zip(lanes, block["block"], block["stride"], strict=False):
        if count != size:
            return "the block shape must match the lane layout."
        if count != 1 and stride != 1:
            return "the distributed dimensions must be contiguous."
    return None


def _memory(view: View) -> str | None:
    """Check `xegpu.create_mem_desc`: the source is shared memory with as many bits as the descriptor."""
    source, block = view.type("source"), block_of(view.type("mem_desc"))
    if not is_memref(source) or block is None:
        raise NotKnown
    if _space(source) not in (_SHARED_SPACE, None):
        return f"operand #0 must be {view.constraint('source')}, but got '{attribute_text(source)}'"
    if any(size < 0 for size in source.get_shape()):
        raise NotKnown
    given = prod([*source.get_shape()]) * bits(source.element_type)
    if given == prod(block[0]) * bits(block[1]):
        return None
    return "failed to verify that all of {source, mem_desc} have same size in bits"


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


def _product_of(name: str, other: str, view: View) -> str | None:
    """Return LLVM 23's error for the shapes of a matrix product; packed matrices are not checked."""
    made = as_vector(view.type("result"))
    left, right = ([*as_vector(view.type(each)).get_shape()] for each in (name, other))
    result = [*made.get_shape()]
    if any(sum != made for sum in view.types("acc")):
        return "Accumulator type must match result type."
    if len(left) == len(right) == len(result) == 1:
        return None
    for label, shape in (("A operand", left), ("B operand", right), ("Result", result)):
        if len(shape) < 2:
            return f"{label} must be at least a 2D vector."
    if len(result) != len(left) or len(right) < len(left):
        return "Rank mismatch among A, B, and result."
    if len(right) > len(left):
        return None
    if right[-2] != left[-1]:
        return f"K-dimension mismatch: A has K={left[-1]} but B has K={right[-2]}."
    if left[-2] != result[-2]:
        return f"M-dimension mismatch: A has M={left[-2]} but result has M={result[-2]}."
    if right[-1] != result[-1]:
        return f"N-dimension mismatch: B has N={right[-1]} but result has N={result[-1]}."
    return None


def _dot_of_any_rank(view: View) -> VerifierError | None:
    now, once = _product_of("lhs", "rhs", view) or "", _dot(view) or ""
    if now:
        return VerifierError(now, _SINCE_23, earlier=once)
    return VerifierError(once, SINCE, before=_SINCE_23) if once else None


def _scaled_dot(view: View) -> str | None:
    if (error := _product_of("a", "b", view)) is not None:
        return error
    left, right = ([*as_vector(view.type(each)).get_shape()] for each in ("a", "b"))
    if len(left) == len(right) == 2 and (error := _block_scales(view, left[0], right[1])) is not None:
        return error
    return _shares_of_product(view)


def _shares_of_product(view: View) -> str | None:
    """Return the error for a matrix, or its scales, that cannot be distributed according to its layout."""
    for name, attribute, word in (
        ("a", "layout_a", "A"),
        ("b", "layout_b", "B"),
        ("scale_a", "layout_a_scale", "ScaleA"),
        ("scale_b", "layout_b_scale", "ScaleB"),
    ):
        layout, types = view.attribute(attribute), view.types(name)
        vector = vector_of(types[0]) if types else None
        lists = {} if layout is None else lists_of(attribute_text(layout))
        if not lists or vector is None or "slice" in attribute_text(layout or NoneAttr()):
            continue
        shape = [*vector.get_shape()]
        of_each = {len(lists[each]) for each in ("sg_layout", "inst_data", "lane_layout") if each in lists}
        if of_each == {len(shape)} and not distributes(shape, lists):
            return f"{word} shape is not distributable with the layout"
    return None


def _block_scales(view: View, m: int, n: int) -> str | None:
    """Check the shapes of the scales of both matrices; a scalar applies to all elements."""
    shapes = [
        [*vector.get_shape()] if vector is not None else None
        for name in ("scale_a", "scale_b")
        for vector in map(vector_of, view.types(name) or [NoneAttr()])
    ]
    if any(shape is not None and len(shape) != 2 for shape in shapes):
        return None
    of_a, of_b = shapes
    if of_a is not None and of_a[0] != m:
        return f"Scale A M dimension [{of_a[0]}] must match A M dimension [{m}]."
    if of_b is not None and of_b[1] != n:
        return f"Scale B N dimension [{of_b[1]}] must match B N dimension [{n}]."
    if of_a is not None and of_b is not None and of_a[1] != of_b[0]:
        return f"Scale K dimension mismatch: scale_a has K={of_a[1]} but scale_b has K={of_b[0]}."
    return None


BLOCKS: dict[str, _Check] = {
    "xegpu.create_nd_tdesc": _create,
    "xegpu.prefetch_nd": _prefetch,
    "xegpu.load_nd": _of_any_rank(_load_block),
    "xegpu.store_nd": _of_any_rank(_store_block),
    "xegpu.update_nd_offset": _move,
    "xegpu.create_tdesc": _create_scattered,
    "xegpu.prefetch": _gathered("source", READS, prefetches=True),
    "xegpu.load": _gathered("source", READS),
    "xegpu.store": _gathered("dest", WRITES),
    "xegpu.dpas": _dot_of_any_rank,
    "xegpu.create_mem_desc": _memory,
    "xegpu.dpas_mx": _scaled_dot,
    "xegpu.truncf": xegpu_truncf,
}
MATRICES = {"xegpu.load_matrix": _matrix("res"), "xegpu.store_matrix": _matrix("data")}
"""Checks of ops added in LLVM 22, whose errors are printed without the op's name."""
