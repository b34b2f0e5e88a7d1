"""Converts transfers with maps that permute or repeat dimensions to plain ones.

vector.transpose and vector.broadcast permute and repeat the dimensions instead. Source:
mlir/lib/Dialect/Vector/Transforms/LowerVectorTransfer.cpp; measured in all releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from gpuasync_lsp.lowering.conversion.folders.vector import bounds_of
from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import (
    AnyVector,
    Builder,
    is_on_tensor,
    load,
    map_of,
    read,
    vector_of,
    write,
)
from gpuasync_lsp.lowering.passes.kernels.names import op_class
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.dialects.assembly import i64_array
from gpuasync_lsp.syntax.kinds import vector_type

ItemT = TypeVar("ItemT")


def _permuted_read(transfer: vector.TransferReadOp, rewriter: Rewriter) -> bool:
    """Replace a permuting read with a read in memory order and a transposition."""
    map, permutation = map_of(transfer), _permutation(map_of(transfer))
    if not map.results or permutation is None or permutation == sorted(permutation):
        return False
    type = vector_of(transfer)
    results = _moved(map.results, permutation)
    new = read(
        transfer.base,
        transfer.indices,
        transfer.padding,
        _type_of(_moved(_dimensions(type), permutation), type),
        AffineMap(map.num_dims, 0, tuple(results)),
        _moved(bounds_of(transfer), permutation),
        transfer.mask,
    )
    builder = Builder(rewriter, transfer)
    rewriter.replace(transfer, [builder.value(_transposed(builder.value(new), permutation))])
    return True


def _repeated_read(transfer: vector.TransferReadOp, rewriter: Rewriter) -> bool:
    """Replace a read that has leading repeated dimensions with a smaller read and a broadcast."""
    map, type = map_of(transfer), vector_of(transfer)
    leading = next(
        (number for number, each in enumerate(map.results) if each != AffineConstantExpr(0)),
        len(map.results),
    )
    kept = map.results[leading:]
    if not leading or not _is_minor(kept, map.num_dims):
        return False
    builder = Builder(rewriter, transfer)
    if not kept and not rewriter.profile.reads_scalars_as_vectors:
        element = load(transfer.base, transfer.indices)
        if is_on_tensor(transfer):
            made = op_class("tensor.extract").create(
                operands=element.operands, result_types=[type.element_type]
            )
            element.erase()
            element = made
        value = builder.value(element)
    else:
        value = builder.value(
            read(
                transfer.base,
                transfer.indices,
                transfer.padding,
                _type_of(_dimensions(type)[leading:], type),
                AffineMap(map.num_dims, 0, kept),
                bounds_of(transfer)[leading:],
                transfer.mask,
            )
        )
    rewriter.replace(transfer, [builder.value(_broadcast(value, type))])
    return True


def _permuted_write(transfer: vector.TransferWriteOp, rewriter: Rewriter) -> bool:
    """Replace a permuting write with a transposition and a write in memory order."""
    map, permutation = map_of(transfer), _permutation(map_of(transfer))
    count = len(map.results)
    if not count or permutation is None or map == AffineMap.minor_identity(map.num_dims, count):
        return False
    order = [permutation.index(number) for number in range(count)]
    builder = Builder(rewriter, transfer)
    value = builder.value(_transposed(transfer.value_to_store, order))
    new = write(
        value,
        transfer.base,
        transfer.indices,
        AffineMap.minor_identity(map.num_dims, count),
        _moved(bounds_of(transfer), permutation),
        transfer.mask,
    )
    rewriter.replace(transfer, builder.add(new).results)
    return True


def _thin_write(transfer: vector.TransferWriteOp, rewriter: Rewriter) -> bool:
    """Add unit dimensions to a write for unmapped memory dimensions that follow the first mapped one."""
    map = map_of(transfer)
    if not map.results or _permutation(map) is not None:
        return False
    if not all(isinstance(each, AffineDimExpr) for each in map.results):
        return False
    found = sorted(each.position for each in map.results if isinstance(each, AffineDimExpr))
    missing = [number for number in range(found[0], map.num_dims) if number not in found]
    builder = Builder(rewriter, transfer)
    value, mask = _with_units(builder, transfer.value_to_store, len(missing)), transfer.mask
    if mask is not None and rewriter.profile.transposes_masks:
        mask = _with_units(builder, mask, len(missing))
        rank = len(vector_type(mask.type).get_shape())
        order = [*range(len(missing), rank), *range(len(missing))]
        mask = builder.value(_transposed(mask, order))
    results = (*(AffineExpr.dimension(number) for number in missing), *map.results)
    known = bounds_of(transfer)
    # Through LLVM 17, an omitted in_bounds attribute remains omitted.
    added = rewriter.profile.transposes_masks or any(known)
    new = write(
        value,
        transfer.base,
        transfer.indices,
        AffineMap(map.num_dims, 0, results),
        [*(added for _ in missing), *known],
        mask,
    )
    rewriter.replace(transfer, builder.add(new).results)
    return True


READS: Sequence[Pattern] = (_permuted_read, _repeated_read)
WRITES: Sequence[Pattern] = (_permuted_write, _thin_write)


def _permutation(map: AffineMap) -> list[int] | None:
    """Return the position of each map result in a minor identity with broadcasts.

    Returns None if `map` is not a permutation of one (`isPermutationOfMinorIdentityWithBroadcasting`)."""
    count, dims = len(map.results), map.num_dims
    start, leading = max(dims - count, 0), max(count - dims, 0)
    places: dict[int, int] = {}
    for number, result in enumerate(map.results):
        if isinstance(result, AffineDimExpr):
            if result.position < start:
                return None
            places[number] = result.position - start + leading
        elif result != AffineConstantExpr(0):
            return None
    free = (place for place in range(count) if place not in places.values())
    return [places[number] if number in places else next(free) for number in range(count)]


def _is_minor(results: Sequence[AffineExpr], dims: int) -> bool:
    """Return whether `results` are the trailing dimensions in order, except that some may be 0."""
    start = dims - len(results)
    return start >= 0 and all(
        each == AffineConstantExpr(0) or each == AffineExpr.dimension(start + number)
        for number, each in enumerate(results)
    )


def _moved(items: Sequence[ItemT], permutation: Sequence[int]) -> list[ItemT]:
    """Return the permuted items: item n is moved to `permutation[n]`."""
    places = dict(zip(permutation, items, strict=True))
    return [places[number] for number in range(len(items))]


def _dimensions(type: AnyVector) -> list[tuple[int, BoolAttr]]:
    return list(zip(type.get_shape(), type.scalable_dims, strict=True))


def _type_of(dimensions: Sequence[tuple[int, BoolAttr]], like: AnyVector) -> AnyVector:
    sizes, scalable = [size for size, _ in dimensions], [each for _, each in dimensions]
    return VectorType(like.element_type, sizes, ArrayAttr(scalable))


def _transposed(value: SSAValue, order: Sequence[int]) -> Operation:
    """Create a vector.transpose: dimension n of its result is dimension `order[n]` of its operand."""
    type = vector_type(value.type)
    dimensions = _dimensions(type)
    return vector.TransposeOp.create(
        operands=[value],
        result_types=[_type_of([dimensions[number] for number in order], type)],
        properties={"permutation": i64_array(order)},
    )


def _with_units(builder: Builder, value: SSAValue, count: int) -> SSAValue:
    """Insert a broadcast that adds `count` leading dimensions of size 1."""
    type = vector_type(value.type)
    units = [(1, BoolAttr.from_bool(False))] * count
    return builder.value(_broadcast(value, _type_of([*units, *_dimensions(type)], type)))


def _broadcast(value: SSAValue, type: AnyVector) -> Operation:
    return vector.BroadcastOp.create(operands=[value], result_types=[type])
