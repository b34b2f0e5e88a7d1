"""The folders of the vector dialect. Source: `fold` in mlir/lib/Dialect/Vector/IR/VectorOps.cpp.

Imported on demand: most programs have no vector ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AffineMapAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from gpuasync_lsp.lowering.conversion.folders.constants import Folded, Folder, constant_float, constant_int
from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.conversion.folders.vector_parts import fold_parts, simplify_parts
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, llvm, vector
from gpuasync_lsp.syntax.dialects.assembly import i32_array, i64_array, integers
from gpuasync_lsp.syntax.kinds import is_number, is_ranked, is_vector, numbers_of, vector_type
from gpuasync_lsp.text.effort import spend

AnyVector = VectorType[Attribute]

_DYNAMIC = -(2**63)
"""The marker for a dynamic index in a static position."""


def fold_vector(op: Operation, profile: Profile) -> Folded | None:
    """Return the value or constant to which the result of a vector op folds, or None."""
    if isinstance(op, vector.TransposeOp) and profile.unit_transposes_fold and _keeps_order(op):
        return [op.vector]
    if op.name == "vector.constant_mask":
        return _all_or_nothing(op) if profile.constant_masks_fold else None
    folder = _FOLDERS.get(op.name)
    folded = None if folder is None else folder(op)
    return fold_parts(op, profile) if folded is None else folded


def simplify_vector(op: Operation, profile: Profile) -> bool:
    """Fold a vector op in place; return whether it changed."""
    if isinstance(op, vector.ExtractOp | vector.InsertOp) and profile.positions_fold and _know_position(op):
        return True
    if isinstance(op, vector.ExtractOp):
        moved = _extract_from_first(op) or _skip_insertions(op) or _skip_broadcast(op)
        return moved or simplify_parts(op, profile)
    if isinstance(op, vector.ShuffleOp | vector.InsertOp):
        return simplify_parts(op, profile)
    if isinstance(op, vector.TransferReadOp | vector.TransferWriteOp):
        if profile.unit_transfers_are_plain and _make_plain(op):
            return True
        return op.mask is not None and _is_full(op.mask, profile) and _drop_mask(op)
    if op.name in ("vector.bitcast", "vector.shape_cast"):
        source = op.operands[0].owner
        if isinstance(source, Operation) and source.name == op.name:
            op.operands[0] = source.operands[0]
            return True
    return False


def _repeated(op: Operation) -> Folded | None:
    """Fold a broadcast of a constant, and a broadcast to the same type."""
    (source,) = op.operands
    kind = op.results[0].type
    if source.type == kind:
        return [source]
    number = _number(source)
    return None if number is None else [_constant(kind, number)]


def _transposed(transpose: vector.TransposeOp) -> Folded | None:
    number = _number(transpose.vector)
    if number is not None:
        return [_constant(transpose.result.type, number)]
    order = list(integers(transpose.permutation))
    return [transpose.vector] if order == sorted(order) else None


def _keeps_order(op: vector.TransposeOp) -> bool:
    """Return whether a transposition only moves dimensions of size 1, and keeps the type."""
    shape = _shape(op.vector.type)
    moved = [number for number in integers(op.permutation) if shape[number] != 1]
    return op.vector.type == op.result.type and moved == sorted(moved)


def _cast_back(op: Operation) -> Folded | None:
    """Fold a cast to the same type, and a cast that undoes another one."""
    (source,) = op.operands
    if source.type == op.results[0].type:
        return [source]
    owner = source.owner
    is_cast = isinstance(owner, Operation) and owner.name == op.name
    if isinstance(owner, Operation) and is_cast and owner.operands[0].type == op.results[0].type:
        return [owner.operands[0]]
    return None


def _extracted(extract: vector.ExtractOp) -> Folded | None:
    """Fold an extraction to the value inserted at its position, or to the operand of a broadcast."""
    if extract.source.type == extract.result.type and not integers(extract.static_position):
        return [extract.source]
    source = extract.source.owner
    if isinstance(source, vector.FromElementsOp) and not is_vector(extract.result.type):
        return _element(extract, source)
    if isinstance(source, vector.BroadcastOp | vector.SplatOp):
        return [source.operands[0]] if source.operands[0].type == extract.result.type else None
    found = _looked_through(extract)
    return [found.source] if found is not None and found.position is None else None


def _element(extract: vector.ExtractOp, made: vector.FromElementsOp) -> Folded | None:
    """Return the operand of vector.from_elements at a static position."""
    position = _position(extract)
    if position is None:
        return None
    start = 0
    for index, size in zip(position, _shape(extract.source.type), strict=True):
        if not 0 <= index < size:
            return None
        start = start * size + index
    return [made.operands[start]]


def _extract_from_first(op: vector.ExtractOp) -> bool:
    """Merge an extraction with the extractions that define its source."""
    position, source = _position(op), op.source
    if position is None:
        return False
    while isinstance(source.owner, vector.ExtractOp):
        outer = _position(source.owner)
        if outer is None:
            return False
        position, source = [*outer, *position], source.owner.source
    if source is op.source:
        return False
    op.operands[0] = source
    op.static_position = i64_array(position)
    return True


def _skip_insertions(op: vector.ExtractOp) -> bool:
    """Extract from the value to which insertions at other positions, or transpositions, are applied."""
    found = _looked_through(op)
    if found is None or found.position is None or found.source is op.source:
        return False
    op.operands[0] = found.source
    op.static_position = i64_array(found.position)
    return True


@dataclass(frozen=True)
class _Found:
    """The source of an extraction after looking through other ops."""

    source: SSAValue
    position: Sequence[int] | None
    """The position in the source; None if the whole source is extracted."""


def _looked_through(op: vector.ExtractOp) -> _Found | None:
    """Look through insertions and transpositions (`ExtractFromInsertTransposeChainState`)."""
    position = _position(op)
    if position is None:
        return None
    source = op.source
    # Negative numbers represent unindexed dimensions, which transpositions also move.
    rest = [-1 - number for number in range(len(vector_type(source.type).get_shape()) - len(position))]
    place = [*position, *rest]
    while isinstance(source.owner, vector.InsertOp | vector.TransposeOp):
        spend()
        owner = source.owner
        if isinstance(owner, vector.TransposeOp):
            order = integers(owner.permutation)
            place = [place[list(order).index(number)] for number in range(len(place))]
            source = owner.vector
            continue
        there = _position(owner)
        if there is None:
            return None
        index = place[: len(place) - len(rest)]
        is_whole = place[len(index) :] == rest
        if there == index and is_whole:
            return _Found(owner.value_to_store, None)
        if index[: len(there)] == there:
            source, place = owner.value_to_store, place[len(there) :]
            break
        if there[: len(index)] == index or not any(
            a >= 0 and a != b for a, b in zip(place, there, strict=False)
        ):
            return None
        source = owner.dest
    index = place[: len(place) - len(rest)]
    return _Found(source, index) if place[len(index) :] == rest else None


def _skip_broadcast(op: vector.ExtractOp) -> bool:
    """Extract from the source of a broadcast, if that has all dimensions of the result."""
    broadcast = op.source.owner
    position = _position(op)
    if not isinstance(broadcast, vector.BroadcastOp) or position is None:
        return False
    given = broadcast.operands[0]
    source, result = _shape(given.type), _shape(op.result.type)
    if len(result) >= len(source) or (result and result != source[-len(result) :]):
        return False
    kept = position[len(position) - (len(source) - len(result)) :]
    wide = _shape(broadcast.results[0].type)[-len(source) :]
    op.operands[0] = given
    op.static_position = i64_array(
        [0 if source[n] == 1 and wide[n] != 1 else place for n, place in enumerate(kept)]
    )
    return True


def _shape(type: Attribute) -> tuple[int, ...]:
    return tuple(vector_type(type).get_shape()) if type.name == VectorType.name else ()


def _inserted(insert: vector.InsertOp) -> Folded | None:
    """Fold an insertion that replaces the whole vector."""
    whole = insert.value_to_store.type == insert.dest.type and not integers(insert.static_position)
    return [insert.value_to_store] if whole else None


def _know_position(op: vector.ExtractOp | vector.InsertOp) -> bool:
    """Make constant dynamic indices of a position static."""
    static, left = list(integers(op.static_position)), list[SSAValue]()
    dynamic = iter(op.dynamic_position)
    sizes = vector_type((op.source if isinstance(op, vector.ExtractOp) else op.dest).type).get_shape()
    for number, place in enumerate(static):
        if place != _DYNAMIC:
            continue
        value = next(dynamic)
        known = constant_int(value)
        if known is None or not 0 <= known < sizes[number]:
            left.append(value)
        else:
            static[number] = known
    if len(left) == len(op.dynamic_position):
        return False
    first = [op.source] if isinstance(op, vector.ExtractOp) else [op.value_to_store, op.dest]
    op.operands = [*first, *left]
    op.static_position = i64_array(static)
    return True


def _is_full(mask: SSAValue, profile: Profile) -> bool:
    """Return whether the release detects that `mask` is all true."""
    owner = mask.owner
    if profile.full_masks_fold == "all" and constant_int(mask) in (1, -1):
        return True
    if profile.full_masks_fold == "none" or not isinstance(owner, Operation):
        return False
    return owner.name == "vector.constant_mask" and mask_sizes(owner) == list(_shape(mask.type))


def mask_sizes(op: Operation) -> list[int] | None:
    """Return the mask sizes of a vector.constant_mask; None if the op has no such attribute."""
    sizes = op.get_attr_or_prop("mask_dim_sizes")
    return None if sizes is None else numbers_of(sizes)


def _all_or_nothing(op: Operation) -> Folded | None:
    """Fold a constant mask that is all true or all false."""
    sizes, type = mask_sizes(op), op.results[0].type
    if sizes is None:
        return None
    if 0 in sizes:
        return [_constant(type, 0)]
    return [_constant(type, 1)] if sizes == (list(_shape(type)) or [1]) else None


def _make_plain(op: vector.TransferReadOp | vector.TransferWriteOp) -> bool:
    """Give a one-element transfer the minor identity as its permutation map; return whether it changed."""
    value = op.vector if isinstance(op, vector.TransferReadOp) else op.value_to_store
    map = op.permutation_map.data
    plain = AffineMap.minor_identity(map.num_dims, 1) if map.num_dims else map
    is_unit = _shape(value.type) == (1,) and not any(
        each.value.data for each in vector_type(value.type).scalable_dims
    )
    if not is_unit or len(map.results) != 1 or map == plain:
        return False
    op.permutation_map = AffineMapAttr(plain)
    return True


def _drop_mask(op: vector.TransferReadOp | vector.TransferWriteOp) -> bool:
    op.operands = op.operands[:-1]
    op.properties["operandSegmentSizes"] = i32_array(
        [*integers(op.properties["operandSegmentSizes"])[:-1], 0]
    )
    return True


def _read(read: vector.TransferReadOp) -> Folded | None:
    """Fold a read from a tensor to the vector that was just written at the same indices."""
    write = read.base.owner
    while isinstance(write, vector.TransferWriteOp) and write.result is not None:
        spend()
        same = is_in_place(write, read) and write.mask is None and read.mask is None
        if same and all(bounds_of(write)):
            return [write.value_to_store]
        return None
    return None


def _written(write: vector.TransferWriteOp) -> Folded | None:
    """Fold a write of a vector read at the same indices, or of one that contains a whole other tensor."""
    read = write.value_to_store.owner
    if write.result is None or not isinstance(read, vector.TransferReadOp):
        return None
    same = read.base is write.base and is_in_place(write, read)
    if same and write.mask is None and read.mask is None:
        return [read.base]
    return [read.base] if _are_whole(read, write) else None


def _are_whole(read: vector.TransferReadOp, write: vector.TransferWriteOp) -> bool:
    tensor, type = write.base.type, vector_type(read.vector.type)
    if not is_ranked(tensor) or read.base.type != tensor:
        return False
    return tuple(type.get_shape()) == tuple(tensor.get_shape()) and all(
        each.permutation_map.data == AffineMap.identity(len(type.get_shape()))
        and all(bounds_of(each))
        and all(constant_int(index) == 0 for index in each.indices)
        for each in (read, write)
    )


def is_in_place(write: vector.TransferWriteOp, read: vector.TransferReadOp) -> bool:
    """Return whether a write and a read access vectors of the same type at the same indices."""
    return (
        list(write.indices) == list(read.indices)
        and write.permutation_map == read.permutation_map
        and write.value_to_store.type == read.vector.type
    )


def _position(op: vector.ExtractOp | vector.InsertOp) -> list[int] | None:
    """Return the position of an op if it is static, otherwise None."""
    return None if op.dynamic_position else list(integers(op.static_position))


def _number(value: SSAValue) -> float | None:
    """Return the number of a scalar constant or splat constant; None for other values."""
    owner = value.owner
    if isinstance(owner, llvm.ConstantOp):  # An earlier pass created it.
        lowered = owner.properties.get("value")
        return lowered.value.data if is_number(lowered) and lowered.type == value.type else None
    number = constant_int(value)
    return constant_float(value) if number is None else number


def _constant(type: Attribute, number: float) -> arith.ConstantOp:
    made = splat(type, number)
    return arith.ConstantOp.create(result_types=[type], properties={"value": made})


_FOLDERS: Mapping[str, Folder] = {
    "vector.broadcast": _repeated,
    "vector.splat": _repeated,
    "vector.transpose": _transposed,
    "vector.bitcast": _cast_back,
    "vector.shape_cast": _cast_back,
    "vector.extract": _extracted,
    "vector.insert": _inserted,
    "vector.transfer_read": _read,
    "vector.transfer_write": _written,
}
