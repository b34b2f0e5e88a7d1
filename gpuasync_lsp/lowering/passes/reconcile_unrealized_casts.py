"""`reconcile-unrealized-casts`: erases casts in a chain that returns to the original types.

Source: the output of mlir-opt 16, 19 and 22. Other casts silently remain since LLVM 18; in LLVM 16 and
17 the pass fails.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation, OpResult, SSAValue

from gpuasync_lsp.lowering.conversion.edits import erase
from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.conversion.folders import fold_as_it_is
from gpuasync_lsp.lowering.conversion.folders.arith import put_constant_last
from gpuasync_lsp.lowering.conversion.greedy import fold_in_place
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith


def reconcile_unrealized_casts(root: Operation, profile: Profile) -> None:
    """Replace each cast inside `root` with earlier values of its result types, and erase unused casts.

    For LLVM 16 and 17, raises PassError for a remaining cast; these releases also fold other ops, but
    not to constants."""
    if profile.casts_must_reconcile:
        _fold(root, profile)
    casts = [op for op in root.walk() if isinstance(op, UnrealizedConversionCastOp)]
    for cast in casts:
        origin = _origin(cast)
        if origin is not None:
            for old, new in zip(cast.results, origin.operands, strict=True):
                old.replace_all_uses_with(new)
    left: list[UnrealizedConversionCastOp] = []
    for cast in reversed(casts):
        if any(result.first_use for result in cast.results):
            left.append(cast)
        else:
            erase(cast)
    if left and profile.casts_must_reconcile:
        raise PassError(
            left[-1], f"failed to legalize operation '{left[-1].name}' that was explicitly marked illegal"
        )


def _fold(root: Operation, profile: Profile) -> None:
    for op in list(root.walk()):
        fold_in_place(op, profile)
        if isinstance(op, arith.CmpiOp):
            put_constant_last(op)
        values = fold_as_it_is(op, profile)
        if values is None or not all(isinstance(value, SSAValue) for value in values):
            continue
        for result, value in zip(op.results, values, strict=True):
            result.replace_all_uses_with(SSAValue.get(value))
        erase(op)


def _origin(cast: UnrealizedConversionCastOp) -> UnrealizedConversionCastOp | None:
    """Return the cast in the chain that ends at `cast` whose operands have the result types of `cast`."""
    current: UnrealizedConversionCastOp | None = cast
    while current is not None and list(current.operand_types) != list(cast.result_types):
        current = _input_cast(current)
    return current


def _input_cast(cast: UnrealizedConversionCastOp) -> UnrealizedConversionCastOp | None:
    """Return the cast whose results, all in order, are the operands of `cast`; None if there is none."""
    first = cast.operands[0] if cast.operands else None
    if not isinstance(first, OpResult) or not isinstance(first.op, UnrealizedConversionCastOp):
        return None
    return first.op if list(first.op.results) == list(cast.operands) else None
