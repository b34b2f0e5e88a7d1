"""Folders of the llvm dialect and of casts, for the greedy driver only: a conversion does not use them.

Source: `ExtractValueOp::fold`, `GEPOp::fold` and `ZExtOp::fold` in
mlir/lib/Dialect/LLVMIR/IR/LLVMDialect.cpp, and the folder of builtin.unrealized_conversion_cast.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, UnrealizedConversionCastOp, i32
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.folders.constants import bits_of, constant_int, wrap
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, llvm
from gpuasync_lsp.syntax.dialects.assembly import i64_array, integers
from gpuasync_lsp.syntax.kinds import is_integer_attr

LONGEST = 256
"""The maximum number of insertions to look through; descriptors need fewer, and the time is quadratic."""
DYNAMIC = -(1 << 31)
"""The marker for a dynamic index among raw indices."""
MOST = 1 << 28
"""The limit for constant indices, which LLVM stores in 29 bits."""


def fold_llvm(op: Operation) -> SSAValue | None:
    """Return the existing value to which `op` folds, or None; apply in-place folds."""
    if isinstance(op, llvm.ExtractValueOp):
        return _extracted(op)
    if isinstance(op, llvm.GEPOp):
        return _address(op)
    return _uncast(op) if isinstance(op, UnrealizedConversionCastOp) else None


def fold_to_llvm_constant(op: Operation, profile: Profile) -> Operation | None:
    """Return a new constant for an `llvm.zext` of a constant, not inserted; None if the op does not fold."""
    if op.name != "llvm.zext" or not profile.extensions_of_llvm_constants_fold:
        return None
    value = op.operands[0]
    type = op.results[0].type
    number = constant_int(value) if isinstance(value.owner, arith.ConstantOp) else _constant(value)
    if number is None or type.name != IntegerType.name:
        return None
    attribute = IntegerAttr(wrap(number, bits_of(value.type)), cast(IntegerType, type))
    return llvm.ConstantOp.create(properties={"value": attribute}, result_types=[type])


def _uncast(op: UnrealizedConversionCastOp) -> SSAValue | None:
    if len(op.operands) != 1 or len(op.results) != 1:
        return None
    owner = op.operands[0].owner
    inner = owner.operands if isinstance(owner, UnrealizedConversionCastOp) else op.operands
    return inner[0] if len(inner) == 1 and inner[0].type == op.results[0].type else None


def _extracted(op: llvm.ExtractValueOp) -> SSAValue | None:
    owner = op.container.owner
    if isinstance(owner, llvm.ExtractValueOp):
        op.properties["position"] = i64_array([*integers(owner.position), *integers(op.position)])
        op.operands[0] = owner.container
        owner = op.container.owner
    wanted = list(integers(op.position))
    for _ in range(LONGEST):
        if not isinstance(owner, llvm.InsertValueOp):
            break
        given = list(integers(owner.position))
        if given == wanted:
            return owner.value
        shorter = min(len(given), len(wanted))
        if given[:shorter] == wanted[:shorter]:
            return None
        op.operands[0] = owner.container
        owner = owner.container.owner
    return None


def _address(op: llvm.GEPOp) -> SSAValue | None:
    base, *dynamic = op.operands
    raw = list(integers(op.raw_constant_indices))
    rest: list[SSAValue] = []
    given = iter(dynamic)
    for position, index in enumerate(raw):
        if index == DYNAMIC:
            operand = next(given)
            number = _constant(operand)
            if number is not None and -MOST <= number < MOST:
                raw[position] = number
            else:
                rest.append(operand)
    if raw == [0] and base.type == op.results[0].type:
        return base
    if len(rest) < len(dynamic):
        op.operands = [base, *rest]
        op.properties["rawConstantIndices"] = DenseArrayBase.from_list(i32, raw)
    return None


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    attribute = owner.value if isinstance(owner, llvm.ConstantOp) else None
    return attribute.value.data if is_integer_attr(attribute) else None
