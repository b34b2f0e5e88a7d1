"""Folders for slices, shuffles and extractions, which look through earlier ops that only move elements.

Source: `fold` in mlir/lib/Dialect/Vector/IR/VectorOps.cpp. Imported together with `vector_values`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod

from xdsl.dialects.builtin import VectorType
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import insert_before
from gpuasync_lsp.lowering.conversion.folders.constants import Folded, Folder
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, vector
from gpuasync_lsp.syntax.dialects.assembly import i64_array, integers
from gpuasync_lsp.syntax.kinds import (
    dense,
    is_float_elements,
    is_integer_elements,
    is_number,
    is_vector,
    number_attr,
    numbers_of,
)
from gpuasync_lsp.text.effort import spend

AnyVector = VectorType[Attribute]

_MOST_INSERTED = 256
"""The maximum size of a constant with several uses into which an insertion folds
(`vectorSizeFoldThreshold`)."""


def fold_parts(op: Operation, profile: Profile) -> Folded | None:
    """Return the value or constant to which a slice, shuffle or extraction folds, or None."""
    if op.name == "vector.extract_strided_slice" and op.operands[0].type == op.results[0].type:
        return [op.operands[0]]
    if op.name == "vector.insert_strided_slice" and op.operands[0].type == op.results[0].type:
        return [op.operands[0]]
    if isinstance(op, vector.ShuffleOp):
        return _shuffled(op)
    if not profile.vector_constants_fold:
        return None
    if op.name == "vector.shape_cast":
        return _reshaped(op, profile)
    fold = _OF_CONSTANTS.get(op.name)
    return None if fold is None else fold(op)


def _shuffled(op: vector.ShuffleOp) -> Folded | None:
    """Fold a shuffle that selects exactly one of its operands, and a shuffle of constants."""
    mask = list(integers(op.mask))
    for side, value in enumerate((op.v1, op.v2)):
        first = side * _shape(op.v1)[0] if _shape(op.v1) else 0
        size = _shape(value)[0] if _shape(value) else 1
        if mask == list(range(first, first + size)) and value.type == op.vector.type:
            return [value]
    left, right = _elements(op.v1), _elements(op.v2)
    if left is None or right is None or len(_shape(op.v1)) != 1 or min(mask) < 0:
        return None
    both = [*left, *right]
    return [_constant(op.vector.type, [both[number] for number in mask])]


def _extracted(extract: vector.ExtractOp) -> Folded | None:
    if isinstance(extract.source.owner, PoisonOp) or -1 in integers(extract.static_position):
        return [_poison(extract)]
    elements = _elements(extract.source)
    if elements is None or extract.dynamic_position:
        return None
    position, shape = list(integers(extract.static_position)), _shape(extract.source)
    size = prod(shape[len(position) :])
    start = _linear(position, shape[: len(position)]) * size
    return [_constant(extract.result.type, elements[start : start + size])]


def _poison(op: vector.ExtractOp | vector.InsertOp) -> SSAValue:
    """Insert a ub.poison with the result type of `op` before `op`."""
    made = PoisonOp(op.result.type)
    insert_before(op, made)
    return made.result


def _inserted(insert: vector.InsertOp) -> Folded | None:
    if -1 in integers(insert.static_position):
        return [_poison(insert)]
    whole = _elements(insert.dest)
    if whole is None or insert.dynamic_position:
        return None
    if insert.dest.has_one_use() is False and len(whole) > _MOST_INSERTED:
        return None
    part = _elements(insert.value_to_store)
    if part is None:
        return None
    position, shape = list(integers(insert.static_position)), _shape(insert.dest)
    size = prod(shape[len(position) :])
    start = _linear(position, shape[: len(position)]) * size
    return [_constant(insert.result.type, [*whole[:start], *part, *whole[start + size :]])]


def _sliced(op: Operation) -> Folded | None:
    elements = _elements(op.operands[0])
    if elements is None:
        return None
    offsets, sizes, strides = (_array(op, name) for name in ("offsets", "sizes", "strides"))
    shape = _shape(op.operands[0])
    if any(stride != 1 for stride in strides):
        return None
    rest = len(shape) - len(offsets)
    starts = [*offsets, *[0] * rest]
    extents = [*sizes, *shape[len(offsets) :]]
    taken = [
        elements[_linear([a + b for a, b in zip(starts, index, strict=True)], shape)]
        for index in product(*map(range, extents))
    ]
    return [_constant(op.results[0].type, taken)]


def _reshaped(op: Operation, profile: Profile) -> Folded | None:
    elements = _elements(op.operands[0])
    if elements is None or (len(set(elements)) != 1 and not profile.shape_casts_of_constants_fold):
        return None
    return [_constant(op.results[0].type, elements)]


_OF_CONSTANTS: Mapping[str, Folder] = {
    "vector.extract": _extracted,
    "vector.insert": _inserted,
    "vector.extract_strided_slice": _sliced,
}


def simplify_parts(op: Operation, profile: Profile) -> bool:
    """Fold a slice, shuffle or extraction in place; return whether it changed."""
    if isinstance(op, vector.ShuffleOp):
        return profile.shuffles_lose_poison and _take_no_poison(op)
    if isinstance(op, vector.InsertOp):
        return profile.vector_constants_fold and _put_once(op)
    if not isinstance(op, vector.ExtractOp) or op.dynamic_position:
        return False
    source = op.source.owner
    if isinstance(source, vector.ShuffleOp):
        return profile.vector_constants_fold and _through_shuffle(op, source)
    if not isinstance(source, Operation):
        return False
    through = _THROUGH.get(source.name)
    return through is not None and through(op, source)


def _take_no_poison(op: vector.ShuffleOp) -> bool:
    mask, size = list(integers(op.mask)), _shape(op.v1)[0] if _shape(op.v1) else 1
    lost = [isinstance(value.owner, PoisonOp) for value in (op.v1, op.v2)]
    new = [-1 if number >= 0 and lost[number >= size] else number for number in mask]
    if new == mask or all(lost):
        return False
    op.properties["mask"] = i64_array(new)
    return True


def _put_once(op: vector.InsertOp) -> bool:
    """Skip an earlier insertion at the same position (`foldInsertUse`)."""
    before = op.dest.owner
    if not isinstance(before, vector.InsertOp) or before.static_position != op.static_position:
        return False
    if list(before.dynamic_position) != list(op.dynamic_position):
        return False
    op.operands[1] = before.dest
    return True


def _through_shuffle(op: vector.ExtractOp, source: vector.ShuffleOp) -> bool:
    """Extract an element of a shuffle from the operand that contains it."""
    position = list(integers(op.static_position))
    if len(_shape(source.vector)) != 1 or len(position) != 1 or len(_shape(source.v1)) != 1:
        return False
    number, size = list(integers(source.mask))[position[0]], _shape(source.v1)[0]
    if number < 0:
        return False
    side, at = (source.v1, number) if number < size else (source.v2, number - size)
    _move(op, side, [at])
    return True


def _through_shape_cast(op: vector.ExtractOp, source: Operation) -> bool:
    """Extract from the source of a shape cast, which does not change the row-major order of elements."""
    given, inner = _shape(op.source), _shape(source.operands[0])
    result = _shape(op.result)
    if not given or not inner or len(result) > len(inner):
        return False
    if result and tuple(result) != tuple(inner[-len(result) :]):
        return False
    position = list(integers(op.static_position))
    place = _linear(position, given[: len(position)])
    found: list[int] = []
    for size in reversed(inner[: len(inner) - len(result)]):
        found.append(place % size)
        place //= size
    _move(op, source.operands[0], found[::-1])
    return True


def _through_slice(op: vector.ExtractOp, source: Operation) -> bool:
    """Extract from the source of a strided slice."""
    if any(stride != 1 for stride in _array(source, "strides")):
        return False
    offsets = _array(source, "offsets")
    inner, given = _shape(source.operands[0]), _shape(op.source)
    while offsets and offsets[-1] == 0 and given[len(offsets) - 1] == inner[len(offsets) - 1]:
        offsets.pop()
    position = list(integers(op.static_position))
    if len(_shape(op.result)) > len(inner) - len(offsets) or len(position) < len(offsets):
        return False
    moved = [a + b for a, b in zip(position, [*offsets, *[0] * len(position)], strict=False)]
    _move(op, source.operands[0], moved)
    return True


def _through_inserted_slices(op: vector.ExtractOp, source: Operation) -> bool:
    """Extract from an inserted slice that contains the position, or skip one that does not."""
    rank = len(_shape(op.result))
    current: Operation | None = source
    position = list(integers(op.static_position))
    while current is not None and current.name == "vector.insert_strided_slice":
        spend()
        part, whole = _shape(current.operands[0]), _shape(current.operands[1])
        more = len(whole) - len(part)
        if rank > len(part) or any(stride != 1 for stride in _array(current, "strides")):
            return False
        sizes = [*[1] * more, *part]
        steps = [at - start for at, start in zip(position, _array(current, "offsets"), strict=False)]
        if all(0 <= step < size for step, size in zip(steps, sizes, strict=False)):
            if rank and tuple(part[-rank:]) != tuple(whole[-rank:]):
                return False
            _move(op, current.operands[0], steps[more:])
            return True
        owner = current.operands[1].owner
        current = owner if isinstance(owner, Operation) else None
    return False


_THROUGH: Mapping[str, Callable[[vector.ExtractOp, Operation], bool]] = {
    "vector.shape_cast": _through_shape_cast,
    "vector.extract_strided_slice": _through_slice,
    "vector.insert_strided_slice": _through_inserted_slices,
}


def _move(op: vector.ExtractOp, source: SSAValue, position: Sequence[int]) -> None:
    op.operands[0] = source
    op.static_position = i64_array(position)


def _array(op: Operation, name: str) -> list[int]:
    return numbers_of(op.get_attr_or_prop(name))


def _shape(value: SSAValue) -> tuple[int, ...]:
    type = value.type
    return tuple(type.get_shape()) if is_vector(type) else ()


def _linear(position: Sequence[int], shape: Sequence[int]) -> int:
    place = 0
    for at, size in zip(position, shape, strict=True):
        place = place * size + at
    return place


def _elements(value: SSAValue) -> list[float] | None:
    """Return the elements of a constant (a single one for a scalar or splat); None for other values."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    constant = owner.value
    if is_number(constant):
        return [constant.value.data]
    type = value.type
    if not is_vector(type) or not (is_integer_elements(constant) or is_float_elements(constant)):
        return None
    if any(each.value.data for each in type.scalable_dims):
        return None
    spend(prod(type.get_shape()))
    return list(constant.get_values())


def _constant(type: Attribute, elements: Sequence[float]) -> arith.ConstantOp:
    value = dense(type, elements) if is_vector(type) else number_attr(elements[0], type)
    return arith.ConstantOp.create(result_types=[type], properties={"value": value})
