"""xegpu in LLVM 19, with blocks of rank 2 and MMAs of rank 3 (mlir-opt 19)."""

from __future__ import annotations

from collections.abc import Callable

from gpuasync_lsp.syntax.checks.view import View, as_vector
from gpuasync_lsp.syntax.checks.xegpu.newest import READS, WRITES, Descriptor, descriptor_of
from gpuasync_lsp.syntax.kinds import is_memref
from gpuasync_lsp.syntax.printer import attribute_text

_BLOCK_RANK = 2
_PRODUCT_RANK = 3
_RESHAPED = ("packed", "transpose", "transpose_bit_width", "vnni_axis")
"""Attributes that change the shape of a loaded block."""
_NOT_A_BLOCK = "Expecting a 2D TensorDesc."


def _is_scattered(descriptor: Descriptor) -> bool:
    return "scattered=true" in descriptor.text.replace(" ", "")


def _hints(view: View, allowed: frozenset[str]) -> str | None:
    for name in ("l1_hint", "l2_hint", "l3_hint"):
        if view.attribute(name) is not None and (word := view.word(name)) not in allowed:
            return f"invlid {name}: #xegpu.cache_hint<{word}>"
    return None


def _create(view: View) -> str | None:
    descriptor, source = descriptor_of(view.type("TensorDesc")), view.type("source")
    if not is_memref(source):
        return None
    rank = len(source.get_shape())
    if rank != len(descriptor.shape):
        return (
            "Expecting the rank of shape, strides, offsets, source memref type (if source is a memref) and "
            f"TensorDesc should match with each other. They currenlty are {_BLOCK_RANK}D."
        )
    if attribute_text(source.element_type) != descriptor.element:
        return "TensorDesc should have the same element type with the source if it is a memref."
    return None


def _load(view: View) -> str | None:
    descriptor, value = descriptor_of(view.type("TensorDesc")), as_vector(view.type("value"))
    if len(descriptor.shape) != _BLOCK_RANK:
        return _NOT_A_BLOCK
    if (error := _hints(view, READS)) is not None:
        return error
    if any(view.attribute(name) is not None for name in _RESHAPED):
        return None
    wanted, given = list(descriptor.shape), list(value.get_shape())
    if descriptor.arrays > 1:
        wanted.insert(0, descriptor.arrays)
    if wanted == given:
        return None
    return (
        f"Result shape doesn't match TensorDesc shape.The expected shape is {wanted}. "
        f"But the given shape is {given}."
    )


def _store(view: View) -> str | None:
    descriptor = descriptor_of(view.type("TensorDesc"))
    return _NOT_A_BLOCK if len(descriptor.shape) != _BLOCK_RANK else _hints(view, WRITES)


def _move(view: View) -> str | None:
    descriptor = descriptor_of(view.type("TensorDesc"))
    return (
        "Invalid number of offsets." if len(descriptor.shape) != len(view.integers("const_offsets")) else None
    )


def _gathered(allowed: frozenset[str]) -> Callable[[View], str | None]:
    """Return the check of a scattered access; one operand is its descriptor."""

    def check(view: View) -> str | None:
        types = [value.type for value in view.op.operands]
        memory = next((each for each in types if attribute_text(each).startswith("!xegpu.tensor_desc")), None)
        if memory is not None and not _is_scattered(descriptor_of(memory)):
            return "Expects a scattered TensorDesc."
        return _hints(view, allowed)

    return check


def _dot(view: View) -> str | None:
    left, right = (list(as_vector(view.type(name)).get_shape()) for name in ("lhs", "rhs"))
    if len(left) != len(right) or len(left) != _PRODUCT_RANK:
        return "lhs and rhs rank does not match for dpas op, or their rank is not 3."
    if left[1] != right[0] or left[2] != right[2]:
        return "K-dimension or vnni-factor mismatch."
    return None


OF_19: dict[str, Callable[[View], str | None]] = {
    "xegpu.create_nd_tdesc": _create,
    "xegpu.dpas": _dot,
    "xegpu.load": _gathered(READS),
    "xegpu.load_nd": _load,
    "xegpu.prefetch": _gathered(READS),
    "xegpu.prefetch_nd": lambda view: _hints(view, READS),
    "xegpu.store": _gathered(WRITES),
    "xegpu.store_nd": _store,
    "xegpu.update_nd_offset": _move,
}
