"""nvvm: copies of matrices between shared memory, tensor memory and registers."""

from __future__ import annotations

from xdsl.dialects.builtin import i32

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.nvvm.parts import result, sizes, word
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType, LLVMStructType

_PADDED = ("b8x16.b4x16_p64", "b8x16.b6x16_p32")
_SHARED = 3
_SHAPED = Profile.matrices_say_shape.since


def _load(view: View) -> VerifierError | None:
    number = view.integer("num")
    if view.attribute("shape") is None:
        words = None if number in (1, 2, 4) else "expected num attribute to be 1, 2 or 4"
        pointer = view.type("ptr")
        if isinstance(pointer, LLVMPointerType) and pointer.space != _SHARED:
            words = "expected source pointer in memory space 3"
        words = words or _destination(view, number)
        return None if words is None else VerifierError(words, before=_SHAPED)
    shape = sizes(view, "shape")
    words = _loaded(number, (shape["m"], shape["n"]), view.word("layout"), view.word("eltType"))
    if words is None:
        words = _destination(view, number * 2 if (shape["m"], shape["n"]) == (16, 16) else number)
    return None if words is None else VerifierError(words, _SHAPED)


def _loaded(number: int, shape: tuple[int, int], layout: str | None, type: str | None) -> str | None:
    if shape not in ((8, 8), (8, 16), (16, 16)):
        return "expected shape to be 8x8, 8x16 or 16x16"
    name = f"{shape[0]}x{shape[1]} matrix"
    if shape == (16, 16):
        if number not in (1, 2):
            return f"expected num attribute to be 1 or 2 for {name}"
    elif number not in (1, 2, 4):
        return f"expected num attribute to be 1, 2 or 4 for {name}"
    wanted = {(8, 16): "row", (16, 16): "col"}.get(shape)
    if wanted is not None and layout is not None and layout != wanted:
        return f"expected layout to be {wanted} for {name}"
    if type is None:
        return None
    if shape == (8, 8):
        return None if type == "b16" else f"expected element type to be b16 for {name}"
    if shape == (8, 16):
        expected = "b8x16.b4x16_p64 or b8x16.b6x16_p32"
        return None if type in _PADDED else f"expected element type to be {expected} for {name}"
    expected = "b8, b8x16.b4x16_p64 or b8x16.b6x16_p32"
    return None if type in (*_PADDED, "b8") else f"expected element type to be {expected} for {name}"


def _destination(view: View, count: int) -> str | None:
    if count == 1:
        return None if result(view) == i32 else "expected destination type is i32"
    if count in (2, 4) and result(view) != LLVMStructType.literal([i32] * count):
        return f"expected destination type is a structure of {count} elements of type i32"
    return None


def _store(view: View) -> VerifierError | None:
    words = None
    if view.count("sources") not in (1, 2, 4):
        words = "expected num attribute to be 1, 2 or 4"
    elif view.attribute("shape") is None:
        raise NotKnown
    else:
        shape = sizes(view, "shape")
        words = _stored((shape["m"], shape["n"]), view.word("layout"), view.word("eltType"))
    return None if words is None else VerifierError(words, _SHAPED)


def _stored(shape: tuple[int, int], layout: str | None, type: str | None) -> str | None:
    if shape == (8, 8):
        return None if type in (None, "b16") else "expected element type to be B16 for 8x8 matrix"
    if shape == (16, 8):
        if type not in (None, "b8"):
            return "expected element type to be B8 for 16x8 matrix"
        return None if layout in (None, "col") else "expected layout to be col for 16x8 matrix"
    return "expected shape to be 8x8 or 16x8"


def _copy(view: View) -> VerifierError | None:
    shape, multicast = view.word("shape"), word(view, "multicast", "none")
    words = None
    if shape in ("shape_128x256b", "shape_128x128b", "shape_4x256b"):
        if multicast != "none":
            words = "Invalid multicast type for tcgen05.cp Op"
    elif shape == "shape_64x128b":
        if multicast not in ("warpx2_01_23", "warpx2_02_13"):
            words = "Shape 64x128b requires multicast warpx2_01_23 or warpx2_02_13 for tcgen05.cp Op"
    elif shape == "shape_32x128b" and multicast != "warpx4":
        words = "Shape 32x128b requires multicast warpx4 for tcgen05.cp Op"
    return None if words is None else VerifierError(words, bare=True)


MATRICES = {"nvvm.ldmatrix": _load, "nvvm.stmatrix": _store, "nvvm.tcgen05.cp": _copy}
