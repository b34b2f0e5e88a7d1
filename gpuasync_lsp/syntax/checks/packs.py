"""Packed tensors: linalg.pack and linalg.unpack, named tensor.pack and tensor.unpack through LLVM 19."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View, shaped
from gpuasync_lsp.syntax.printer import attribute_text


def _invalid(positions: Sequence[int], rank: int) -> bool:
    is_wrong = any(not 0 <= at < rank for at in positions)
    return len(positions) > rank or is_wrong or len(set(positions)) != len(positions)


def _tiled(view: View, plain: Attribute, packed: Attribute) -> str | None:
    shape, element = shaped(plain)
    tiles = view.integers("static_inner_tiles")
    order = view.integers("outer_dims_perm") if view.attribute("outer_dims_perm") is not None else ()
    positions = view.integers("inner_dims_pos")
    if 0 in tiles:
        return "invalid zero tile factor"
    if _invalid(positions, len(shape)):
        return "invalid inner_dims_pos vector"
    if _invalid(order, len(shape)):
        return "invalid outer_dims_perm vector"
    if order and len(order) != len(shape):
        return "outer_dims_perm must be a permutation or empty"
    if len(tiles) > len(shape):
        return (
            "tiling factors must be less than or equal to the input rank for pack or output rank for unpack"
        )
    if len(tiles) != len(positions):
        return "tiling factors must equal the number of dimensions to tile"
    sizes = shaped(packed)[0]
    if len(sizes) != len(shape) + len(tiles):
        ranks = f"{len(sizes)} != {len(shape) + len(tiles)}"
        return f"packed rank != (unpacked rank + num tiling factors), got {ranks}"
    outer = list(shape)
    for at, tile in zip(positions, tiles, strict=True):
        outer[at] = DYNAMIC_INDEX if DYNAMIC_INDEX in (outer[at], tile) else -(-outer[at] // tile)
    if order:
        outer = [outer[at] for at in order]
    if tuple(tiles) != tuple(sizes[len(shape) :]):
        return "mismatch in inner tile sizes specified and shaped of tiled dimension in the packed type"
    wanted = (*outer, *tiles)
    if any(a != b and DYNAMIC_INDEX not in (a, b) for a, b in zip(wanted, sizes, strict=True)):
        expected: TensorType[Attribute] = TensorType(element, wanted)
        names = f"'{attribute_text(expected)}' for the packed domain value, got '{attribute_text(packed)}'"
        return f"expected {names}"
    return None


def pack(view: View) -> str | VerifierError | None:
    """Return the error for a pack; size errors of LLVM 19 and older have different, unknown messages."""
    source, packed = view.type("source"), view.type("dest")
    if source.name != "tensor" or packed.name != "tensor":
        raise NotKnown
    error = _tiled(view, source, packed)
    if error is not None:
        return _since(error)
    padding = view.values("padding_value")
    shape, element = shaped(source)
    if padding:
        if padding[0].type != element:
            names = f"'{attribute_text(element)}' but got: '{attribute_text(padding[0].type)}'"
            return f"expected padding_value has {names}"
        return None
    tiles = dict(zip(view.integers("inner_dims_pos"), view.integers("static_inner_tiles"), strict=True))
    for at, tile in tiles.items():
        if DYNAMIC_INDEX not in (shape[at], tile) and shape[at] % tile:
            return (
                "invalid tile factor or output size provided. Only full tiles are supported when "
                "padding_value is not set"
            )
    return None


def unpack(view: View) -> str | VerifierError | None:
    """Return the error for an unpack op."""
    packed, made = view.type("source"), view.type("dest")
    if packed.name != "tensor" or made.name != "tensor":
        raise NotKnown
    error = _tiled(view, made, packed)
    return None if error is None else _since(error)


def _since(error: str) -> VerifierError:
    return VerifierError(error, 22 if error.startswith("expected ") else 0, bare=True)
