"""Folds divisions and shifts of a value by itself, and of a constant such as 0 that they do not change.

Measured: LLVM 24 folds these, LLVM 23 does not. Divisors are assumed to be nonzero.
"""

from __future__ import annotations

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.folders.constants import Folded, Folder, constant_int, folded_integer
from gpuasync_lsp.lowering.conversion.splats import splat
from gpuasync_lsp.syntax.dialects import arith
from gpuasync_lsp.syntax.kinds import is_tensor


def _folder(by_itself: int, *unmoved: int) -> Folder:
    """Return a folder that returns the constant `by_itself` if both operands are equal, or the first operand
    if it is a constant in `unmoved`."""

    def folder(op: Operation) -> Folded | None:
        left, right = op.operands
        type = op.results[0].type
        if left is not right:
            return [left] if constant_int(left) in unmoved else None
        if is_tensor(type):
            return [arith.ConstantOp(splat(type, by_itself))] if type.has_static_shape() else None
        return folded_integer(by_itself, op)

    return folder


_DIVISIONS = (arith.DivSIOp, arith.DivUIOp, arith.CeilDivSIOp, arith.CeilDivUIOp, arith.FloorDivSIOp)

FOLDERS: dict[type[Operation], Folder] = {
    **dict.fromkeys(_DIVISIONS, _folder(1, 0)),
    **dict.fromkeys((arith.RemSIOp, arith.RemUIOp, arith.ShRUIOp), _folder(0, 0)),
    arith.ShRSIOp: _folder(0, 0, -1),
    arith.ShLIOp: lambda op: [op.operands[0]] if constant_int(op.operands[0]) == 0 else None,
}
"""Maps each op class to its folder; only for releases with `divisions_by_itself_fold`."""
