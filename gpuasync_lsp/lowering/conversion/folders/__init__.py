"""What ops fold to: the folders of MLIR that host code and kernels meet.

A fold says for each result of an op what it is: a value that is there already, or a constant. The folders
are in the module of their dialect beside this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import complex
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.folders import arith as fold_arith
from gpuasync_lsp.lowering.conversion.folders import gpu as fold_gpu
from gpuasync_lsp.lowering.conversion.folders import memref as fold_memref
from gpuasync_lsp.lowering.conversion.folders.arith import constant_int
from gpuasync_lsp.profiles import Profile
from gpuasync_lsp.syntax.dialects import arith

__all__ = ["Folded", "constant_int", "fold", "fold_as_it_is"]

Folded = Sequence["SSAValue | arith.ConstantOp"]


def fold(op: Operation, profile: Profile) -> Folded | None:
    """Return what the results of `op` are, values or constants still to be inserted, or None.

    As in MLIR, folding puts the constant of a commutative op last, in place."""
    fold_arith.put_constant_last(op)
    return fold_as_it_is(op, profile)


def fold_as_it_is(op: Operation, profile: Profile) -> Folded | None:
    """Return what `fold` does, and change nothing."""
    kind = type(op)
    newer = fold_arith.OF_PRODUCTS.get(kind) if profile.divisions_undo_products else None
    if profile.truncations_undo_extensions:
        newer = newer or fold_arith.OF_EXTENDED_FLOATS.get(kind)
    if profile.index_casts_fold:
        newer = newer or fold_arith.OF_INDEX_CASTS.get(kind)
    folded = None if newer is None else newer(op)
    folder = _FOLDERS.get(kind) or _rare_folder(op)
    return folder(op) if folded is None and folder is not None else folded


def _rare_folder(op: Operation) -> Callable[[Operation], Folded | None] | None:
    """Return the folder of an op of a dialect that few programs have."""
    if not op.name.startswith("affine."):
        return None
    from gpuasync_lsp.lowering.conversion.folders.affine import FOLDERS

    return FOLDERS.get(type(op))


def _fold_part(op: Operation) -> Folded | None:
    """A part of a complex number is what the number was made of."""
    made = op.operands[0].owner
    if not isinstance(made, complex.CreateOp):
        return None
    return [made.operands[isinstance(op, complex.ImOp)]]


_FOLDERS: dict[type[Operation], Callable[[Operation], Folded | None]] = {
    **fold_arith.FOLDERS,
    **fold_memref.FOLDERS,
    **fold_gpu.FOLDERS,
    complex.ReOp: _fold_part,
    complex.ImOp: _fold_part,
}
