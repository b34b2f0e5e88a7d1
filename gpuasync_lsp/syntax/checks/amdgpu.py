"""amdgpu: products of matrices, buffers, and copies to the memory of a workgroup."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    Float64Type,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
)
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import (
    NotKnown,
    Refusal,
    View,
    as_memref,
    as_vector,
    bits,
    has_unit_stride,
)
from gpuasync_lsp.syntax.llvm_types import quoted
from gpuasync_lsp.syntax.printer import attribute_text

_WAVE = 64
_MOST_DIMENSIONS = 5
_FLOATS_OF_TEXT = {"f8": 8, "f6": 6, "f4": 4}


def _bits(type: Attribute) -> int:
    """Return how many bits a number has; raises NotKnown for other types."""
    width = _FLOATS_OF_TEXT.get(attribute_text(type)[:2])
    return bits(type) if width is None or isinstance(type, AnyFloat) else width


def _is_float(type: Attribute) -> bool:
    return not isinstance(type, IntegerType) and bool(_bits(type))


def _parts(type: Attribute) -> tuple[Attribute, int]:
    """Return the element type of a vector and how many there are; of a number itself and 1."""
    if isinstance(type, VectorType):
        vector = cast("VectorType[Attribute]", type)
        count = 1
        for size in vector.get_shape():
            count *= size
        return vector.element_type, count
    return type, 1


def _is_set(view: View, name: str) -> bool:
    found = view.attribute(name)
    return found is not None and attribute_text(found) != "false"


def _number(view: View, name: str, default: int) -> int:
    return default if view.attribute(name) is None else view.integer(name)


def _existing(view: View) -> str | None:
    existing = view.types("existing")
    if existing and existing[0] != view.op.results[0].type:
        return "existing values must have same type as result"
    return None


def _product(view: View) -> str | None:
    source, other, sum = (view.type(name) for name in ("sourceA", "sourceB", "destC"))
    element, length = _parts(source)
    if _is_float(element) and _bits(element) <= 8:
        other_element, other_length = _parts(other)
        if not _is_float(other_element) or _bits(other_element) > 8:
            return "expected both source operands to have small-float elements if one does"
        if length != other_length:
            return "expected both small-float source vectors to have the same length"
    elif source != other:
        return "expected both non-small-float source operand types to match exactly"
    if not _is_float(element) and _bits(element) in (32, 64):
        length *= _bits(element) // 8
    m, n, k = (view.integer(name) for name in "mnk")
    blocks = _number(view, "blocks", 1)
    wanted = m * k * blocks // _WAVE
    if length != wanted:
        return f"expected {wanted} source values for this operation but got {length}"
    sum_element, sum_length = _parts(sum)
    wanted = m * n * blocks // _WAVE
    if sum_length != wanted:
        return f"expected {wanted} result values for this operation but got {sum_length}"
    return _permuted(view, isinstance(sum_element, Float64Type))


def _permuted(view: View, is_double: bool) -> str | None:
    cbsz, abid = _number(view, "cbsz", 0), _number(view, "abid", 0)
    if is_double and (view.word("blgp") or "none") != "none":
        return "double-precision ops do not support permuting lanes of B"
    if is_double and cbsz:
        return "double-precision ops do not support permuting lanes of A"
    if not 0 <= cbsz < 32:
        raise NotKnown
    if abid >= 1 << cbsz:
        return "block ID for permuting A (abid) must be below 2 ** cbsz"
    if not is_double and any(_is_set(view, name) for name in ("negateA", "negateB", "negateC")):
        return "negation flags only available for double-precision operations"
    return None


def _mfma(view: View) -> Refusal | None:
    words = _product(view)
    return None if words is None else Refusal(words, 22)


def _wmma(view: View) -> Refusal | None:
    words = _wave_product(view)
    return None if words is None else Refusal(words, 22)


def _wave_product(view: View) -> str | None:
    a, b, c = (view.type(name) for name in ("sourceA", "sourceB", "destC"))
    (left, left_length), (right, right_length), (sum, _) = _parts(a), _parts(b), _parts(c)
    if left_length != right_length:
        return f"source vectors have different lengths: {quoted(a)} vs. {quoted(b)}"
    if _is_float(sum) and not _is_float(left):
        return "expected float sources with float destination"
    if not _is_float(sum) and _is_float(left):
        return "expected int sources with int destination"
    if not (_is_float(left) and _bits(left) == 8) and left != right:
        return f"source element types must match (except for fp8/bf8) but have {quoted(a)} and {quoted(b)}"
    if _is_float(left):
        if _is_set(view, "clamp"):
            return "clamp flag is not supported for float types"
        if _is_set(view, "unsignedA") or _is_set(view, "unsignedB"):
            return "unsigned flags are not supported for float types"
    return None


def _space(type: MemRefType[Attribute]) -> str:
    """Return the memory space of a memref: a number or a word, nothing where it has none."""
    space = type.memory_space
    if isinstance(space, NoneAttr):
        return ""
    if isinstance(space, IntegerAttr):
        return str(cast("IntegerAttr[IntegerType]", space).value.data)
    text = attribute_text(space)
    if not text.startswith(("#gpu.address_space<", "#amdgpu.address_space<")):
        raise NotKnown
    return text.partition("<")[2].removesuffix(">")


def _is_global(type: MemRefType[Attribute]) -> bool:
    return _space(type) in ("", "0", "1", "global")


def _is_shared(type: MemRefType[Attribute]) -> bool:
    return _space(type) in ("3", "workgroup")


def _buffer(view: View) -> str | None:
    memory = as_memref(view.type("memref"))
    if not _is_global(memory):
        return "Buffer ops must operate on a memref in global memory"
    rank, given = len(memory.get_shape()), view.count("indices")
    return None if rank == given else f"Expected {rank} indices to memref"


def _transpose_load(view: View) -> str | None:
    if not _is_shared(as_memref(view.type("src"))):
        return "source memory address space must be Workgroup"
    vector = as_vector(view.op.results[0].type)
    element, count = _parts(vector)
    bits = _bits(element)
    wanted = {4: 16, 6: 16, 8: 8, 16: 4}.get(bits)
    if wanted is None:
        return f"Unsupported element type size for transpose load: {bits} bits"
    return None if count == wanted else f"Transferring type size mismatch: expected num of elements: {wanted}"


def _gather(view: View) -> str | None:
    source, target = as_memref(view.type("src")), as_memref(view.type("dst"))
    if not has_unit_stride(target):
        return "destination type inner most dim must be contiguous"
    if not _is_global(source) and _space(source) not in ("7", "fat_raw_buffer"):
        return "source memory address space must be global or fat raw buffer"
    if not _is_shared(target):
        return "destination memory address space must be Workgroup"
    return None


def _cast(view: View) -> str | None:
    source = as_memref(view.type("source"))
    if _is_set(view, "resetOffset"):
        if isinstance(source.layout, AffineMapAttr):
            return f"source type {quoted(source)} can't have its offset reset"
        if not isinstance(source.layout, NoneAttr):
            raise NotKnown
    made = view.op.results[0].type
    text = attribute_text(MemRefType(source.element_type, source.shape, source.layout, NoneAttr()))
    wanted = f"{text.removesuffix('>')}, #amdgpu.address_space<fat_raw_buffer>>"
    if attribute_text(made) != wanted:
        return f"expected result type to be '{wanted}' but got {quoted(made)}"
    return None


def _base(view: View) -> str | None:
    if not _is_global(as_memref(view.type("global"))):
        return "global memref must have global address space attribute."
    if not _is_shared(as_memref(view.type("lds"))):
        return "lds memref must have workgroup address space attribute."
    return None


def _sparse(view: View) -> str | None:
    sparse, dense, sum = (as_vector(view.type(name)) for name in ("sourceA", "sourceB", "destC"))
    (left, left_length), (right, length), (_, sum_length) = _parts(sparse), _parts(dense), _parts(sum)
    if length != 2 * left_length:
        return (
            "expected dense source operand to have exactly double the number of elements of the sparse "
            "source operand"
        )
    are_small = all(_is_float(each) and _bits(each) == 8 for each in (left, right))
    if not are_small and left != right:
        return "expected source operands to have the same element type"
    of_8 = _bits(left) == 8
    if _number(view, "cbsz", 0) == 0:
        abid = _number(view, "abid", 0)
        if of_8 and abid > 1:
            return "ABID must be 0 or 1 for 8-bit source data"
        if not of_8 and abid > 3:
            return "ABID must be between 0 and 3 for 16-bit source data"
    given = attribute_text(view.type("sparseIdx"))
    wanted = "vector<2xi16>" if of_8 else "vector<4xi8>"
    if given != wanted:
        return f"expected {wanted} sparse indices for {8 if of_8 else 16}-bit source data, but got '{given}'"
    m, n, k = (view.integer(name) for name in "mnk")
    if length != m * k // _WAVE:
        return f"expected {m * k // _WAVE} source values for this operation but got {length}"
    if sum_length != m * n // _WAVE:
        return f"expected {m * n // _WAVE} result values for this operation but got {sum_length}"
    return None


def _sparse_product(view: View) -> Refusal | None:
    words = _sparse(view)
    return None if words is None else Refusal(words, 22)


def _scaled(view: View) -> str | None:
    source = as_vector(view.type("source"))
    size, lane, byte = (view.integer(name) for name in ("blockSize", "firstScaleLane", "firstScaleByte"))
    if _bits(source.element_type) != 8:
        allowed = (0, 1) if size == 16 else (0, 2)
        if byte not in allowed:
            choice = f"{allowed[0]} or {allowed[1]}"
            return f"blockSize of {size} can only have firstScaleByte be {choice} for f4 and f6."
    elif size == 16 and (lane, byte) not in ((0, 0), (16, 2)):
        return "blockSize of 16 can only have (firstScaleLane, firstScaleByte) be (0, 0) or (16, 2) for f8."
    return None


def _descriptor(view: View) -> str | None:
    """Sizes and strides of a tile that is moved, its barrier, and what it is gathered by."""
    strides = view.integers("global_static_strides")
    if not strides:
        return "strides must not be empty."
    if strides[-1] != 1:
        return "strides for the innermost dimension must be 1."
    rank = len(view.integers("global_static_sizes"))
    if rank > _MOST_DIMENSIONS:
        return "tensor and tile must be at most of rank 5."
    if rank != len(strides):
        return "strides and sizes must have same rank."
    if rank != len(view.integers("shared_static_sizes")):
        return "tensor must have same rank as tile."
    if view.has("indices"):
        base = attribute_text(view.type("base")).rpartition(",")[2].strip(" >")
        if attribute_text(as_vector(view.type("indices")).element_type) != base:
            return "indices' element type must match base's element type."
    for barrier in view.types("atomic_barrier_address"):
        if not _is_shared(as_memref(barrier)):
            return "atomic barrier address must be in LDS."
    return None


CHECKS = {
    "amdgpu.packed_trunc_2xfp8": _existing,
    "amdgpu.packed_stoch_round_fp8": _existing,
    "amdgpu.packed_scaled_trunc": _existing,
    "amdgpu.mfma": _mfma,
    "amdgpu.sparse_mfma": _sparse_product,
    "amdgpu.wmma": _wmma,
    "amdgpu.raw_buffer_load": _buffer,
    "amdgpu.raw_buffer_store": _buffer,
    "amdgpu.raw_buffer_atomic_fadd": _buffer,
    "amdgpu.raw_buffer_atomic_fmax": _buffer,
    "amdgpu.raw_buffer_atomic_smax": _buffer,
    "amdgpu.raw_buffer_atomic_umin": _buffer,
    "amdgpu.raw_buffer_atomic_cmpswap": _buffer,
    "amdgpu.transpose_load": _transpose_load,
    "amdgpu.gather_to_lds": _gather,
    "amdgpu.fat_raw_buffer_cast": _cast,
    "amdgpu.make_dma_base": _base,
    "amdgpu.make_gather_dma_base": _base,
    "amdgpu.make_dma_descriptor": _descriptor,
    "amdgpu.make_gather_dma_descriptor": _descriptor,
    "amdgpu.scaled_ext_packed_matrix": _scaled,
}
