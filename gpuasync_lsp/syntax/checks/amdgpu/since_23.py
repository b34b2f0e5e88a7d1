"""amdgpu checks of LLVM 23: for new ops, and for ops that LLVM 22 checks differently.

Source: `AMDGPUOps.cpp` of LLVM 23, and mlir-opt 23.1.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IntegerType, MemRefType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.amdgpu.ops import BUFFER_OPS, base, descriptor, gather
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
from gpuasync_lsp.syntax.checks.view import NotKnown, View, as_memref, as_vector
from gpuasync_lsp.syntax.llvm_types import quoted
from gpuasync_lsp.syntax.printer import attribute_text

_WIDTHS = (8, 16, 32, 64)
_SHORT_WAVE = 32


def _is_in_global_space(type: MemRefType[Attribute]) -> bool:
    """Return whether a memref is in global memory, not in flat memory."""
    return space_of(type) in ("1", "global")


def _indices(view: View, memory: str, indices: str, label: str) -> str | None:
    rank, given = len(as_memref(view.type(memory)).get_shape()), view.count(indices)
    return None if rank == given else f"expected {rank} {label} indices, got {given}"


def _buffer(view: View) -> str | None:
    if not is_global(as_memref(view.type("memref"))):
        return "buffer ops must operate on a memref in global memory"
    return _indices(view, "memref", "indices", "buffer")


def _elements_loaded(view: View, of_16_bits: Sequence[int]) -> tuple[int, int, Sequence[int]]:
    """Return the element's bit width, the element count, and the valid counts for that width.

    `of_16_bits` contains the valid counts for 16-bit elements."""
    element, count = parts_of(as_vector(view.op.results[0].type))
    width = bits_of(element)
    return width, count, {4: (16,), 6: (16,), 8: (8,), 16: of_16_bits}.get(width, ())


def _transpose_load(view: View) -> str | None:
    if (error := _indices(view, "src", "srcIndices", "source")) is not None:
        return error
    if not is_shared(as_memref(view.type("src"))):
        return "source memory address space must be Workgroup"
    width, count, allowed = _elements_loaded(view, (4, 8))
    if not allowed:
        return f"Unsupported element type size for transpose load: {width} bits"
    if count in allowed:
        return None
    return f"Transferring type size mismatch: expected num of elements: {' or '.join(map(str, allowed))}"


def _global_transpose_load(view: View) -> str | None:
    if (error := _indices(view, "src", "srcIndices", "source")) is not None:
        return error
    if not _is_in_global_space(as_memref(view.type("src"))):
        return "source memory address space must be Global"
    width, count, allowed = _elements_loaded(view, (8,))
    if not allowed:
        return f"unsupported element type size for global transpose load: {width} bits"
    if count in allowed:
        return None
    return f"transferring type size mismatch: expected num of elements: {allowed[0]}"


def _copy_indices(view: View) -> str | None:
    return _indices(view, "src", "srcIndices", "source") or _indices(view, "dst", "dstIndices", "destination")


def _load_async(view: View) -> str | None:
    if (error := _copy_indices(view)) is not None:
        return error
    source, target = as_memref(view.type("src")), as_memref(view.type("dst"))
    if source.element_type != target.element_type:
        return "source and destination element types must match"
    if _transfer_bits(view) not in (8, 32, 64, 128):
        return "transfer type size must be 8, 32, 64, or 128 bits"
    if not _is_in_global_space(source):
        return "source memory address space must be global"
    return None if is_shared(target) else "destination memory address space must be Workgroup"


def _transfer_bits(view: View) -> int:
    transferred: Attribute | None = view.attribute("transferType")
    if transferred is None:
        raise NotKnown
    element, count = parts_of(transferred)
    return bits_of(element) * count


def _base(view: View) -> str | None:
    if (error := _indices(view, "global", "global_indices", "global")) is not None:
        return error
    if (error := _indices(view, "lds", "lds_indices", "lds")) is not None:
        return error
    if is_shared(as_memref(view.type("lds"))) and not _is_in_global_space(as_memref(view.type("global"))):
        return "global memref must have global address space attribute."
    return base(view)


def _descriptor(view: View) -> str | None:
    """Apply the checks of older releases, and check that the barrier has an index per tile dimension."""
    if (error := descriptor(view)) is not None:
        return error
    given = view.count("atomic_barrier_indices")
    for barrier in view.types("atomic_barrier_address"):
        rank = len(as_memref(barrier).get_shape())
        return None if rank == given else f"expected {rank} atomic barrier indices, got {given}"
    return "atomic barrier indices require an atomic barrier address" if given else None


def _sparse_mfma(view: View) -> str | None:
    sparse, dense, sum = (as_vector(view.type(name)) for name in ("sourceA", "sourceB", "destC"))
    (left, left_length), (right, length), (_, sum_length) = parts_of(sparse), parts_of(dense), parts_of(sum)
    if length != 2 * left_length:
        return _NOT_DOUBLE
    if not _are_small_floats(left, right) and left != right:
        return _OTHER_ELEMENTS
    m, n, k = (view.integer(name) for name in "mnk")
    of_8 = bits_of(left) == 8
    if (error := _selection(view, of_8, m, k) or _sparse_indices(view, of_8, m, k)) is not None:
        return error
    return _lengths(length, sum_length, m * k // WAVE, m * n // WAVE)


_NOT_DOUBLE = (
    "expected dense source operand to have exactly double the number of elements of the sparse source operand"
)
_OTHER_ELEMENTS = "expected source operands to have the same element type"


def _are_small_floats(*types: Attribute) -> bool:
    return all(is_float(each) and bits_of(each) == 8 for each in types)


def _is_of_gfx950(of_8: bool, m: int, k: int) -> bool:
    return of_8 and (m, k) in ((16, 128), (32, 64))


def _is_of_gfx942(of_8: bool, m: int, k: int) -> bool:
    return not of_8 and (m, k) in ((16, 32), (32, 16))


def _selection(view: View, of_8: bool, m: int, k: int) -> str | None:
    """Return the error for the attributes CBSZ and ABID of a sparse MMA."""
    cbsz, abid = number(view, "cbsz", 0), number(view, "abid", 0)
    if _is_of_gfx950(of_8, m, k):
        for name, given in (("CBSZ", cbsz), ("ABID", abid)):
            if given:
                return f"{name} must be 0 for this variant (field is ignored by hardware)"
        return None
    most = 3 if _is_of_gfx942(of_8, m, k) else 1
    return f"ABID must be in [0, {most}] for this variant" if not cbsz and abid > most else None


def _sparse_indices(view: View, of_8: bool, m: int, k: int) -> str | None:
    given = view.type("sparseIdx")
    if _is_of_gfx950(of_8, m, k):
        if given == IntegerType(32):
            return None
        return (
            "expected i32 sparse indices for this variant (no internal set structure), but got "
            f"{quoted(given)}"
        )
    wanted = "vector<4xi8>" if _is_of_gfx942(of_8, m, k) else "vector<2xi16>"
    if attribute_text(given) == wanted:
        return None
    return f"expected {wanted} sparse indices for this variant, but got {quoted(given)}"


def _lengths(dense: int, sum: int, wanted_dense: int, wanted_sum: int) -> str | None:
    if dense != wanted_dense:
        return f"expected {wanted_dense} source values for this operation but got {dense}"
    if sum != wanted_sum:
        return f"expected {wanted_sum} result values for this operation but got {sum}"
    return None


def _sparse_wmma(view: View) -> str | None:
    sparse, dense, sum = (as_vector(view.type(name)) for name in ("sourceA", "sourceB", "destC"))
    (left, left_length), (right, length) = parts_of(sparse), parts_of(dense)
    made, sum_length = parts_of(sum)
    m, n, k = (view.integer(name) for name in "mnk")
    if (m, n) != (16, 16):
        return "expected MxN to be exactly 16x16"
    is_long = view.is_set("wave64")
    if is_long and left == right == IntegerType(4) and k == 32:
        if length != left_length:
            return "expected dense source operand to have exactly the same the number of elements"
    elif length != 2 * left_length:
        return _NOT_DOUBLE
    if any(is_float(each) != is_float(made) for each in (left, right)):
        return "source operand and destination operands must all be either integer or float types"
    if not _are_small_floats(left, right) and left != right:
        return _OTHER_ELEMENTS
    wave = WAVE if is_long else _SHORT_WAVE
    return _lengths(length, sum_length, m * k // wave, m * n // wave)


_SUMS = {"f16": ("f32", "f16"), "bf16": ("f32", "bf16")}


def _dot(view: View) -> str | None:
    (left, _), (right, _) = (parts_of(as_vector(view.type(name))) for name in ("sourceA", "sourceB"))
    element, sum = attribute_text(left), attribute_text(view.type("destC"))
    if not _are_small_floats(left, right) and left != right:
        return _OTHER_ELEMENTS
    is_integer = left.name == IntegerType.name
    if element in _SUMS:
        if sum not in _SUMS[element]:
            return f"expected f32 or {element} accumulator for {element} sources"
    elif is_integer and sum != "i32":
        return "expected i32 accumulator for integer sources"
    elif _are_small_floats(left) and sum != "f32":
        return "expected f32 accumulator for fp8 sources"
    unsigned = [view.is_set(name) for name in ("unsignedA", "unsignedB")]
    if any(unsigned) and not is_integer:
        return "unsignedA/unsignedB are only valid for integer source types"
    if element == "i16" and unsigned[0] != unsigned[1]:
        return "mixed-sign dot is not supported for 16-bit integer sources"
    if view.is_set("clamp") and ((element in _SUMS and sum == element) or _are_small_floats(left)):
        return "clamp is not supported for this (source, accumulator) combination"
    return None


_F8, _F6, _F4 = (
    frozenset({"f8E4M3FN", "f8E5M2"}),
    frozenset({"f6E2M3FN", "f6E3M2FN"}),
    frozenset({"f4E2M1FN"}),
)
_E8M0, _E4M3 = "f8E8M0FNU", "f8E4M3FN"


def _scaled_wmma(view: View) -> str | None:
    (a, a_length), (b, b_length) = (parts_of(as_vector(view.type(name))) for name in ("sourceA", "sourceB"))
    _, made = parts_of(as_vector(view.type("destC")))
    left, right = attribute_text(a), attribute_text(b)
    is_small = view.integer("m") == 16
    shape, wanted, wanted_a = ("16x16x128", 8, 64) if is_small else ("32x16x128", 16, 128)
    if made != wanted:
        return f"expected output vector of length {wanted} but got {made}"
    if not is_small and left not in _F4 and right not in _F4:
        return "32x16x128 only supports fp4 element types"
    for name, length, expected in (("sourceA", a_length, wanted_a), ("sourceB", b_length, 64)):
        if length != expected:
            return f"for {shape}, {name} must have {expected} elements but got {length}"
    if not is_small and number(view, "a_first_scale_lane", 0):
        return "for 32x16x128, a_first_scale_lane must be 0"
    return _scales(view, left, right)


def _scales(view: View, left: str, right: str) -> str | None:
    """Return the error for the element types of the scales, which depend on those of the matrices."""
    of_a, of_b = (attribute_text(as_vector(view.type(name)).element_type) for name in ("scaleA", "scaleB"))
    if not {of_a, of_b} <= {_E8M0, _E4M3}:
        return "scale operands must have f8 element types (E8M0FNU or E4M3FN)"
    wide = _F8 | _F6
    fits = (
        of_a == of_b == _E8M0
        or (left in wide and of_a == _E8M0 and right in _F4 and of_b == _E4M3)
        or (left in _F4 and of_a == _E4M3 and right in wide and of_b == _E8M0)
        or (left in _F4 and right in _F4 and of_a == of_b == _E4M3)
    )
    if fits:
        return None
    given = f"sourceA='{left}', scaleA='{of_a}', sourceB='{right}', scaleB='{of_b}'"
    return f"invalid combination of matrix and scale types: {given}"


def _barrier(view: View) -> str | None:
    if (error := _indices(view, "base", "indices", "barrier")) is not None:
        return error
    is_there = is_shared(as_memref(view.type("base")))
    return None if is_there else "barrier must be in workgroup (LDS) memory"


def _prefetch(view: View) -> str | None:
    if (error := _indices(view, "src", "indices", "source")) is not None:
        return error
    source = as_memref(view.type("src"))
    if not space_of(source):
        return "the source must have address space attribute"
    if not is_global(source):
        return "the source must reside in global address space"
    hint, scope, is_speculative = (
        view.word("temporalHint"),
        view.word("cacheScope"),
        view.is_set("speculative"),
    )
    if is_speculative and scope == "WGP":
        return "does not support speculative prefetch in WGP scope"
    if hint in ("NT", "LU"):
        return "does not support NT and LU modes"
    if hint in ("NT_RT", "RT_NT", "NT_HT") and not is_speculative:
        return "operates only in the speculative mode"
    return None


OF_23: dict[str, Callable[[View], str | None]] = {
    **dict.fromkeys(BUFFER_OPS, _buffer),
    "amdgpu.dot": _dot,
    "amdgpu.ds_async_barrier_arrive": _barrier,
    "amdgpu.ds_barrier_arrive": _barrier,
    "amdgpu.ds_barrier_init": _barrier,
    "amdgpu.ds_barrier_poll_state": _barrier,
    "amdgpu.gather_to_lds": lambda view: _copy_indices(view) or gather(view),
    "amdgpu.global_load_async_to_lds": _load_async,
    "amdgpu.global_prefetch": _prefetch,
    "amdgpu.global_transpose_load": _global_transpose_load,
    "amdgpu.make_dma_base": _base,
    "amdgpu.make_dma_descriptor": _descriptor,
    "amdgpu.make_gather_dma_base": _base,
    "amdgpu.make_gather_dma_descriptor": _descriptor,
    "amdgpu.scaled_wmma": _scaled_wmma,
    "amdgpu.sparse_mfma": _sparse_mfma,
    "amdgpu.sparse_wmma": _sparse_wmma,
    "amdgpu.transpose_load": _transpose_load,
}
"""Checks since LLVM 23."""
