"""Which memref, or pointer that the function is given, a pointer of the host leads to."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.analysis.model.memory.effects import is_memref
from gpuasync_lsp.analysis.model.memory.linear import ZERO, Integers
from gpuasync_lsp.analysis.model.memory.regions import UNKNOWN_PART, Region
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp

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
"""Ops whose result is the address of their operand, or says where that is."""
_MOVED = "llvm.getelementptr"
_STEPS = 16
_APART = 1_000_003
"""A factor that keeps the numbers of a launch from adding up to those of another."""


def is_pointer(value: SSAValue) -> bool:
    """Tell whether `value` is a pointer."""
    return value.type.name == "llvm.ptr"


def root_of(pointer: SSAValue, function: Operation) -> tuple[SSAValue, Region] | None:
    """Return what a pointer leads to, and where in it; None for a pointer that comes from elsewhere."""
    value, region = pointer, Region(ZERO, (), None)
    for _ in range(_STEPS):
        owner = value.owner
        if is_memref(value.type):
            return value, region
        if not isinstance(owner, Operation):
            is_given = is_pointer(value) and owner is function.regions[0].blocks[0]
            return (value, region) if is_given else None
        if owner.name == _MOVED:
            region = UNKNOWN_PART
        elif owner.name not in _SAME or not owner.operands:
            return None
        value = owner.operands[0]
    return None


def behind(pointer: Region, launch: LaunchFuncOp, integers: Integers) -> Region:
    """Return the part that a kernel touches behind a pointer.

    It is not known which, but the same if the kernel gets the same numbers: they may say where it begins.
    """
    offset = pointer.offset
    for number, value in enumerate(launch.kernel_operands, 1):
        if offset is not None and isinstance(value.type, IndexType | IntegerType):
            offset = offset.plus(integers.read(value).times(number * _APART))
    return pointer._replace(offset=offset)
