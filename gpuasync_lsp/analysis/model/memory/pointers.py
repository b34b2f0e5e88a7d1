"""Traces host pointers to the memref or pointer argument from which they are derived."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.conditions import constant
from gpuasync_lsp.analysis.model.memory.linear import ZERO, Integers, Linear
from gpuasync_lsp.analysis.model.memory.regions import UNKNOWN_PART, Region
from gpuasync_lsp.analysis.model.symbols import callee_of
from gpuasync_lsp.syntax.effects import is_memref

_SAME = frozenset(
    {
        "memref.extract_aligned_pointer_as_index",
        "builtin.unrealized_conversion_cast",
        "arith.index_cast",
        "arith.index_castui",
        "llvm.inttoptr",
        "llvm.addrspacecast",
        "llvm.bitcast",
        "llvm.extractvalue",
    }
)
"""Ops whose result is the address of their operand, or is derived from that address."""
_MOVED = "llvm.getelementptr"
_STEPS = 16
_APART = 1_000_003
"""A factor that makes offsets differ between launches with different integer arguments."""


def is_pointer(value: SSAValue) -> bool:
    """Return whether `value` is an `!llvm.ptr`."""
    return value.type.name == "llvm.ptr"


def root_of(pointer: SSAValue, function: Operation) -> tuple[SSAValue, Region] | None:
    """Return the memref or pointer that `pointer` is derived from, and the part it points to; None if
    unknown."""
    value, region = pointer, Region(ZERO, (), None)
    for _ in range(_STEPS):
        owner = value.owner
        if is_memref(value.type):
            return value, region
        if not isinstance(owner, Operation):
            is_given = is_pointer(value) and owner is function.regions[0].blocks[0]
            return (value, region) if is_given else None
        if owner.name == _MOVED:
            by = _moved_by(owner)
            at = region.offset.plus(Linear(by)) if region.offset is not None and by is not None else None
            region = region._replace(offset=at) if at is not None else UNKNOWN_PART
        elif callee_of(owner) is not None:
            return (value, region) if is_pointer(value) else None
        elif owner.name not in _SAME or not owner.operands:
            return None
        value = owner.operands[0]
    return None


def _moved_by(op: Operation) -> int | None:
    """Return the constant byte offset that a GEP adds; None if it depends on values."""
    # Imported here because it loads the llvm dialect, which few programs need.
    from gpuasync_lsp.analysis.model.memory.moves import moves_of
    from gpuasync_lsp.syntax.dialects.llvm.memory import GEPOp

    moves = moves_of(op) if isinstance(op, GEPOp) else None
    if moves is None:
        return None
    numbers = [(constant(value), size) for value, size in moves[0]]
    known = [number * size for number, size in numbers if number is not None]
    return moves[1] + sum(known) if len(known) == len(numbers) else None


def behind(pointer: Region, passed: Sequence[SSAValue], integers: Integers) -> Region:
    """Return the part that a kernel or function with the operands `passed` may touch through `pointer`.

    The part is unknown, but two launches with equal integer operands (possible offsets) get equal parts.
    """
    offset = pointer.offset
    for number, value in enumerate(passed, 1):
        if offset is not None and isinstance(value.type, IndexType | IntegerType):
            offset = offset.plus(integers.read(value).times(number * _APART))
    return pointer._replace(offset=offset)
