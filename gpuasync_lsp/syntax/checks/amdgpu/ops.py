"""amdgpu: checks that apply in all releases, and checks for releases before LLVM 23."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AffineMapAttr,
    Float64Type,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    UnitAttr,
)

from gpuasync_lsp.syntax.checks.amdgpu.parts import (
    WAVE,
    bits_of,
    is_float,
    is_global,
    is_shared,
    number,
    parts_of,
    space_of,
)
from gpuasync_lsp.syntax.checks.view import (
    NotKnown,
    VerifierError,
    View,
    as_memref,
    as_vector,
    has_unit_stride,
)
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.llvm_types import quoted
from gpuasync_lsp.syntax.printer import attribute_text


def _existing(view: View) -> str | None:
    existing = view.types("existing")
    if existing and existing[0] != view.op.results[0].type:
        return "existing values must have same type as result"
    return None


def _product(view: View) -> str | None:
    source, other, sum = (view.type(name) for name in ("sourceA", "sourceB", "destC"))
    element, length = parts_of(source)
    if is_float(element) and bits_of(element) <= 8:
        other_element, other_length = parts_of(other)
        if not is_float(other_element) or bits_of(other_element) > 8:
            return "expected both source operands to have small-float elements if one does"
        if length != other_length:
            return "expected both small-float source vectors to have the same length"
    elif source != other:
        return "expected both non-small-float source operand types to match exactly"
    if not is_float(element) and bits_of(element) in (32, 64):
        length *= bits_of(element) // 8
    m, n, k = (view.integer(name) for name in "mnk")
    blocks = number(view, "blocks", 1)
    wanted = m * k * blocks // WAVE
    if length != wanted:
        return f"expected {wanted} source values for this operation but got {length}"
    sum_element, sum_length = parts_of(sum)
    wanted = m * n * blocks // WAVE
    if sum_length != wanted:
        return f"expected {wanted} result values for this operation but got {sum_length}"
    return _permuted(view, isinstance(sum_element, Float64Type))


def _permuted(view: View, is_double: bool) -> str | None:
    cbsz, abid = number(view, "cbsz", 0), number(view, "abid", 0)
    if is_double and (view.word("blgp") or "none") != "none":
        return "double-precision ops do not support permuting lanes of B"
    if is_double and cbsz:
        return "double-precision ops do not support permuting lanes of A"
    if not 0 <= cbsz < 32:
        raise NotKnown
    if abid >= 1 << cbsz:
        return "block ID for permuting A (abid) must be below 2 ** cbsz"
    if not is_double and any(view.is_set(name) for name in ("negateA", "negateB", "negateC")):
        return "negation flags only available for double-precision operations"
    return None


def _mfma(view: View) -> VerifierError | None:
    words = _product(view)
    return None if words is None else VerifierError(words, 22)


def _wmma(view: View) -> VerifierError | None:
    words = _wave_product(view)
    return None if words is None else VerifierError(words, 22)


def _wave_product(view: View) -> str | None:
    a, b, c = (view.type(name) for name in ("sourceA", "sourceB", "destC"))
    (left, left_length), (right, right_length), (sum, _) = parts_of(a), parts_of(b), parts_of(c)
    if left_length != right_length:
        return f"source vectors have different lengths: {quoted(a)} vs. {quoted(b)}"
    if is_float(sum) and not is_float(left):
        return "expected float sources with float destination"
    if not is_float(sum) and is_float(left):
        return "expected int sources with int destination"
    if not (is_float(left) and bits_of(left) == 8) and left != right:
        return f"source element types must match (except for fp8/bf8) but have {quoted(a)} and {quoted(b)}"
    if is_float(left):
        if view.is_set("clamp"):
            return "clamp flag is not supported for float types"
        if view.is_set("unsignedA") or view.is_set("unsignedB"):
            return "unsigned flags are not supported for float types"
    return None


def _buffer(view: View) -> str | None:
    memory = as_memref(view.type("memref"))
    if not is_global(memory):
        return "Buffer ops must operate on a memref in global memory"
    rank, given = len(memory.get_shape()), view.count("indices")
    return None if rank == given else f"Expected {rank} indices to memref"


def _transpose_load(view: View) -> str | None:
    if not is_shared(as_memref(view.type("src"))):
        return "source memory address space must be Workgroup"
    vector = as_vector(view.op.results[0].type)
    element, count = parts_of(vector)
    bits = bits_of(element)
    wanted = {4: 16, 6: 16, 8: 8, 16: 4}.get(bits)
    if wanted is None:
        return f"Unsupported element type size for transpose load: {bits} bits"
    return None if count == wanted else f"Transferring type size mismatch: expected num of elements: {wanted}"


def gather(view: View) -> str | None:
    source, target = as_memref(view.type("src")), as_memref(view.type("dst"))
    if not has_unit_stride(target):
        return "destination type inner most dim must be contiguous"
    if source.element_type != target.element_type:
        return "source and destination element types must match"
    transferred = view.attribute("transferType")
    if transferred is not None:
        element, count = parts_of(transferred)
        if bits_of(element) * count not in (8, 16, 32, 96, 128):
            return "Transfering type size must be 8, 16, 32, 96 or 128 bits"
    if not is_global(source) and space_of(source) not in ("7", "fat_raw_buffer"):
        return "source memory address space must be global or fat raw buffer"
    if not is_shared(target):
        return "destination memory address space must be Workgroup"
    return None


def _cast(view: View) -> str | None:
    source = as_memref(view.type("source"))
    if view.is_set("resetOffset"):
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


def base(view: View) -> str | None:
    if not is_global(as_memref(view.type("global"))):
        return "global memref must have global address space attribute."
    if not is_shared(as_memref(view.type("lds"))):
        return "lds memref must have workgroup address space attribute."
    width = bits_of(as_memref(view.type("lds")).element_type)
    if width not in (8, 16, 32, 64):
        return f"element type must be 1, 2, 4, or 8 bytes long but type was {width} bits long."
    return None


def _sparse(view: View) -> str | None:
    sparse, dense, sum = (as_vector(view.type(name)) for name in ("sourceA", "sourceB", "destC"))
    (left, left_length), (right, length), (_, sum_length) = parts_of(sparse), parts_of(dense), parts_of(sum)
    if length != 2 * left_length:
        return (
            "expected dense source operand to have exactly double the number of elements of the sparse "
            "source operand"
        )
    are_small = all(is_float(each) and bits_of(each) == 8 for each in (left, right))
    if not are_small and left != right:
        return "expected source operands to have the same element type"
    of_8 = bits_of(left) == 8
    if number(view, "cbsz", 0) == 0:
        abid = number(view, "abid", 0)
        if of_8 and abid > 1:
            return "ABID must be 0 or 1 for 8-bit source data"
        if not of_8 and abid > 3:
            return "ABID must be between 0 and 3 for 16-bit source data"
    given = attribute_text(view.type("sparseIdx"))
    wanted = "vector<2xi16>" if of_8 else "vector<4xi8>"
    if given != wanted:
        return f"expected {wanted} sparse indices for {8 if of_8 else 16}-bit source data, but got '{given}'"
    m, n, k = (view.integer(name) for name in "mnk")
    if length != m * k // WAVE:
        return f"expected {m * k // WAVE} source values for this operation but got {length}"
    if sum_length != m * n // WAVE:
        return f"expected {m * n // WAVE} result values for this operation but got {sum_length}"
    return None


def _scaled(view: View) -> str | None:
    source = as_vector(view.type("source"))
    size, lane, byte = (view.integer(name) for name in ("blockSize", "firstScaleLane", "firstScaleByte"))
    if bits_of(source.element_type) != 8:
        allowed = (0, 1) if size == 16 else (0, 2)
        if byte not in allowed:
            choice = f"{allowed[0]} or {allowed[1]}"
            return f"blockSize of {size} can only have firstScaleByte be {choice} for f4 and f6."
    elif size == 16 and (lane, byte) not in ((0, 0), (16, 2)):
        return "blockSize of 16 can only have (firstScaleLane, firstScaleByte) be (0, 0) or (16, 2) for f8."
    return None


_ROWS = frozenset({"row_shl", "row_shr", "row_ror"})


def _permutation(view: View) -> str | None:
    """Check the argument of an amdgpu.dpp, which depends on its kind."""
    kind, argument = view.word("kind"), view.attribute("permArgument")
    if kind == "quad_perm":
        if not is_array(argument) or len(argument.data) != 4:
            return "quad_perm attribute must have exactly 4 elements"
        if any(not 0 <= each <= 3 for each in view.integers("permArgument")):
            return "Each element of quad_perm must be in the range [0, 3]"
    elif kind in _ROWS:
        if argument is None:
            return f"Attribute '{kind}' value not specified"
        if isinstance(argument, IntegerAttr) and not 1 <= view.integer("permArgument") <= 15:
            return "Attribute value must be between 1 and 15"
    elif argument is not None and not isinstance(argument, UnitAttr):
        return "Expected unit attribute for permArgument, but found non-trivial argument"
    return None


def _rows(view: View) -> str | None:
    if view.integer("row_length") in (16, 32):
        return None
    return "row_length attribute must either be 16 or 32."


BUFFER_OPS = tuple(
    f"amdgpu.raw_buffer_{name}"
    for name in (
        "load",
        "store",
        "atomic_fadd",
        "atomic_fmax",
        "atomic_smax",
        "atomic_umin",
        "atomic_cmpswap",
    )
)


def descriptor(view: View) -> str | None:
    """Check a descriptor of a tile copy: sizes and strides, barrier, and gather indices."""
    strides = view.integers("global_static_strides")
    if not strides:
        return "strides must not be empty."
    if strides[-1] != 1:
        return "strides for the innermost dimension must be 1."
    rank = len(view.integers("global_static_sizes"))
    if rank > 5:
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
        if not is_shared(as_memref(barrier)):
            return "atomic barrier address must be in LDS."
    return None


CHECKS_OF_ALL = {
    "amdgpu.packed_trunc_2xfp8": _existing,
    "amdgpu.packed_stoch_round_fp8": _existing,
    "amdgpu.packed_scaled_trunc": _existing,
    "amdgpu.mfma": _mfma,
    "amdgpu.wmma": _wmma,
    "amdgpu.fat_raw_buffer_cast": _cast,
    "amdgpu.scaled_ext_packed_matrix": _scaled,
    "amdgpu.dpp": _permutation,
    "amdgpu.permlane_swap": _rows,
}
"""Checks that are the same in all releases that have the op."""

BEFORE_23 = {
    **dict.fromkeys(BUFFER_OPS, _buffer),
    "amdgpu.sparse_mfma": _sparse,
    "amdgpu.transpose_load": _transpose_load,
    "amdgpu.gather_to_lds": gather,
    "amdgpu.make_dma_base": base,
    "amdgpu.make_gather_dma_base": base,
    "amdgpu.make_dma_descriptor": descriptor,
    "amdgpu.make_gather_dma_descriptor": descriptor,
}
"""Checks of LLVM 22 and older, for ops that LLVM 23 checks differently."""
