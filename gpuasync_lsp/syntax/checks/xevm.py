"""xevm: sizes of blocks and tiles for loads and stores on Intel GPUs (XeVMDialect.cpp)."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.syntax.checks.conversions import xevm_conversion
from gpuasync_lsp.syntax.checks.view import Checks, NotKnown, View, bits, shaped, vector_of

_SUBGROUP = 16


def _block(type: Attribute) -> str | None:
    vector = vector_of(type)
    if vector is None:
        return None
    if bits(vector.element_type) == 8:
        sizes, words = (2, 4, 8, 16), "2, 4, 8 or 16 for 8-bit element type"
    else:
        sizes, words = (2, 4, 8), "2, 4 or 8 for element type > 8 bits"
    return None if vector.get_shape()[0] in sizes else f"vector size must be {words}"


def _mma(view: View) -> str | None:
    c = view.types("c")
    return "type of C operand must match result type" if c and c[0] != view.type("d") else None


def _between(name: str, value: int, least: int, most: int) -> str | None:
    return None if least <= value <= most else f"expecting {name} to be between {least} and {most}"


_WIDTHS = {8: (4, 64), 16: (2, 32), 32: (1, 16), 64: (1, 8)}
_SIZES = "expecting elem_size_in_bits to be 8, 16, 32, or 64"


def _store_2d(view: View) -> str | None:
    height, width, size = (view.integer(name) for name in ("tile_height", "tile_width", "elem_size_in_bits"))
    if (error := _between("tile_height", height, 1, 8)) is not None:
        return error
    if size not in _WIDTHS:
        return _SIZES
    error = _between("tile_width", width, *_WIDTHS[size]) or _matrix(view)
    return error or _width(size, width, {8: (16, 32), 16: (16,), 32: (16,)})


def _prefetch_2d(view: View) -> str | None:
    widths = {8: (16, 32), 16: (16,), 32: (8, 16)}
    return _matrix(view) or _width(view.integer("elem_size_in_bits"), view.integer("tile_width"), widths)


def _width(size: int, width: int, widths: dict[int, tuple[int, ...]]) -> str | None:
    if width in widths[size]:
        return None
    return f"tile_width for {size} bit elements should be equal to {' or '.join(map(str, widths[size]))}"


def _matrix(view: View) -> str | None:
    width, pitch = (_constant(view, name) for name in ("base_width", "base_pitch"))
    if width is not None and pitch is not None and pitch < width:
        return "4th operand (base pitch) should be >= 2nd operand (base width)"
    if view.integer("elem_size_in_bits") not in (8, 16, 32):
        return "expecting 'elem_size_in_bits' to be 8, 16, or 32"
    if view.integer("tile_height") not in (1, 2, 4, 8, 16, 32):
        return "expecting tile_height to be 1, 2, 4, 8, 16, or 32"
    if view.attribute("v_blocks") is not None and view.integer("v_blocks") not in (1, 2, 4, 8):
        return "expecting v_blocks to be 1, 2, 4, or 8"
    return None


def _constant(view: View, name: str) -> int | None:
    owner = view.values(name)[0].owner
    if not isinstance(owner, Operation) or owner.name not in ("arith.constant", "llvm.mlir.constant"):
        return None
    value = owner.properties.get("value")
    return int(value.value.data) if isinstance(value, IntegerAttr) else None


def _load_2d(view: View) -> str | None:
    shape, element = shaped(view.type("res"))
    height, width, size = (view.integer(name) for name in ("tile_height", "tile_width", "elem_size_in_bits"))
    blocks = view.integer("v_blocks")
    if min(height, width, size, blocks) < 0:
        raise NotKnown
    found, wanted = prod(shape) * bits(element), size * height * width * blocks // _SUBGROUP
    if found != wanted:
        return f"result size of {found} bits does not match the expected size of {wanted} bits"
    transposes, packs = bool(view.integer("transpose")), bool(view.integer("pack_register"))
    if transposes and packs:
        return "transpose and pack_register are mutually exclusive"
    if transposes:
        error = _transposed(size, height, width, blocks)
    elif packs:
        error = _packed(size, height, width, blocks)
    else:
        error = _plain(size, height, width, blocks)
    if error is not None or (error := _matrix(view)) is not None:
        return error
    if (size == 32 or packs) and bits(element) != 32:
        return "expecting result element type to be 32 bits"
    if packs and width != _SUBGROUP:
        return "tile_width when pack_register is true should be equal to subgroup size (16 elements)"
    return None


def _plain(size: int, height: int, width: int, blocks: int) -> str | None:
    if (error := _between("tile_height", height, 1, 32)) is not None:
        return error
    if size not in _WIDTHS:
        return _SIZES
    if (error := _between("tile_width", width, *_WIDTHS[size])) is not None:
        return error
    most = {8: (1, 2, 4), 16: (1, 2, 4), 32: (1, 2), 64: (1,)}[size]
    if blocks not in most:
        words = {3: "1, 2, or 4", 2: "1 or 2", 1: "1"}[len(most)]
        return f"expecting v_blocks to be {words}"
    return _together(size, width * blocks, _WIDTHS[size][1]) if size < 64 else None


def _together(size: int, found: int, most: int) -> str | None:
    if found <= most:
        return None
    return f"tile_width * v_blocks should be less than or equal to {most} for {size} bit elements"


def _transposed(size: int, height: int, width: int, blocks: int) -> str | None:
    if blocks != 1:
        return "expecting v_blocks to be 1"
    if size == 32:
        return _between("tile_height", height, 1, 32) or _between("tile_width", width, 1, 8)
    if size != 64:
        return "transpose is only supported for 32 and 64 bit elements"
    if height != 8:
        return "expecting tile_height to be 8 for 64 bit elements"
    return None if width in (1, 2, 4) else "expecting tile_width to be 1, 2, or 4"


def _packed(size: int, height: int, width: int, blocks: int) -> str | None:
    if blocks not in (1, 2, 4):
        return "expecting v_blocks to be 1, 2, or 4"
    if size not in (8, 16):
        return "pack_register is only supported for 8 and 16 bit elements"
    least = 32 // size
    error = _between("tile_height", height, least, 32) or _between("tile_width", width, least, 16)
    return error or (_together(16, width * blocks, 32) if size == 16 else None)


CHECKS: Checks = {
    "xevm.blockload": lambda view: _block(view.type("res")),
    "xevm.blockload2d": _load_2d,
    "xevm.blockprefetch2d": _prefetch_2d,
    "xevm.blockstore": lambda view: _block(view.type("val")),
    "xevm.blockstore2d": _store_2d,
    "xevm.extf": xevm_conversion,
    "xevm.mma": _mma,
    "xevm.mma_mx": _mma,
    "xevm.truncf": xevm_conversion,
}
