"""MLIR's folders for ops of host code and kernels.

A folder returns an existing value or a constant for each result of an op. The folders of a dialect are in
the module with the dialect's name.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.folders import arith as fold_arith
from gpuasync_lsp.lowering.conversion.folders import arith_floats as fold_floats
from gpuasync_lsp.lowering.conversion.folders import arith_itself
from gpuasync_lsp.lowering.conversion.folders import gpu as fold_gpu
from gpuasync_lsp.lowering.conversion.folders import memref as fold_memref
from gpuasync_lsp.lowering.conversion.folders.constants import Folded, Folder, constant_int
from gpuasync_lsp.releases import Profile

__all__ = ["Folded", "constant_int", "fold", "fold_as_it_is"]


def fold(op: Operation, profile: Profile) -> Folded | None:
    """Return the values to which the results of `op` fold, or None; new constants are not inserted.

    As in MLIR, a constant first operand of a commutative op is moved last, in place."""
    fold_arith.put_constant_last(op)
    return fold_as_it_is(op, profile)


def fold_as_it_is(op: Operation, profile: Profile) -> Folded | None:
    """Like `fold`, without changing `op`."""
    kind = type(op)
    for table in _tables(profile):
        if kind in table and (folded := table[kind](op)) is not None:
            return folded
    folder = _FOLDERS.get(kind)
    return _rare_fold(op, profile) if folder is None else folder(op)


@cache
def _tables(profile: Profile) -> list[dict[type[Operation], Folder]]:
    """Return the tables of folders that the release has but others lack; they precede the common tables."""
    known = (
        (profile.divisions_undo_products, fold_arith.OF_PRODUCTS),
        (profile.truncations_undo_extensions, fold_floats.OF_EXTENDED),
        (profile.index_casts_fold, fold_arith.OF_INDEX_CASTS),
        (profile.comparisons_of_bits_fold, fold_arith.OF_BITS),
        (profile.divisions_by_itself_fold, arith_itself.FOLDERS),
        (profile.remainders_are_nearest, fold_floats.OF_NEAREST_REMAINDERS),
        (profile.numbers_give_way_to_nans, fold_floats.OF_NANS),
    )
    return [table for has, table in known if has]


def _rare_fold(op: Operation, profile: Profile) -> Folded | None:
    """Fold an op of a dialect whose folders are imported on demand."""
    if op.name.startswith("vector."):
        from gpuasync_lsp.lowering.conversion.folders.vector_values import fold_vector

        return fold_vector(op, profile)
    if op.name.startswith("tensor."):
        from gpuasync_lsp.lowering.conversion.folders.tensor import fold_tensor

        return fold_tensor(op, profile)
    if op.name in ("complex.re", "complex.im"):
        return _fold_part(op)
    if not op.name.startswith("affine."):
        return None
    from gpuasync_lsp.lowering.conversion.folders.affine import FOLDERS

    folder = FOLDERS.get(type(op))
    return None if folder is None else folder(op)


def _fold_part(op: Operation) -> Folded | None:
    """Fold the real or imaginary part of `complex.create` to its operand."""
    made = op.operands[0].owner
    if not isinstance(made, Operation) or made.name != "complex.create":
        return None
    return [made.operands[op.name == "complex.im"]]


_FOLDERS: dict[type[Operation], Folder] = {
    **fold_arith.FOLDERS,
    **fold_floats.FOLDERS,
    **fold_memref.FOLDERS,
    **fold_gpu.FOLDERS,
}
