"""What a function body does to its memref and pointer arguments, read off the body."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.analysis.model.terms import Mode

_VIEWS = frozenset(
    {
        "memref.subview",
        "memref.cast",
        "memref.reinterpret_cast",
        "memref.view",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.transpose",
        "memref.memory_space_cast",
        "memref.assume_alignment",
        "memref.extract_aligned_pointer_as_index",
        "builtin.unrealized_conversion_cast",
        "llvm.getelementptr",
        "llvm.bitcast",
        "llvm.addrspacecast",
        "llvm.insertvalue",
        "llvm.extractvalue",
    }
)
_NOTHING = frozenset(
    {
        "memref.dim",
        "memref.rank",
        "memref.extract_strided_metadata",
        "memref.assume_alignment",
        "memref.prefetch",
    }
)
_READS = frozenset(
    {"memref.load", "vector.load", "vector.transfer_read", "vector.maskedload", "affine.load", "llvm.load"}
)
_WRITES = frozenset(
    {
        "memref.store",
        "vector.store",
        "vector.transfer_write",
        "vector.maskedstore",
        "affine.store",
        "llvm.store",
    }
)
_ATOMICS = {"memref.atomic_rmw": 1, "memref.generic_atomic_rmw": 0, "llvm.atomicrmw": 0, "llvm.cmpxchg": 0}
"""Ops that update memory atomically, and which operand is the memory."""


def argument_modes(function: Operation) -> tuple[Mode | None, ...]:
    """Return per argument of `function` what its body does to the memory behind it; None for nothing.

    Sure only where every use is an op known here: any other use counts as reading and writing.
    """
    if not function.regions or not function.regions[0].blocks:
        return ()
    return tuple(_mode(a) if points(a.type) else None for a in function.regions[0].blocks[0].args)


def points(kind: Attribute) -> bool:
    """Tell whether a value of this type leads to memory."""
    return isinstance(kind, MemRefType | UnrankedMemRefType) or kind.name == "llvm.ptr"


def _mode(root: SSAValue) -> Mode | None:
    reads = writes = atomics = False
    work, seen = [root], {root}
    while work:
        value = work.pop()
        for use in value.uses:
            op, index = use.operation, use.index
            name = op.name
            if name in _NOTHING:
                continue
            if name in _READS:
                reads = True
            elif name in _WRITES:
                # A store's first operand is the value stored: a pointer stored somewhere is out of sight.
                if index == 0 and value.type.name == "llvm.ptr":
                    return Mode.BOTH
                writes = True
            elif name in ("memref.copy", "gpu.memcpy"):
                source_first = name == "memref.copy"
                is_source = (
                    (index == 0) == source_first if name == "memref.copy" else index == len(op.operands) - 1
                )
                reads, writes = reads or is_source, writes or not is_source
            elif name == "gpu.memset":
                writes = True
            elif _ATOMICS.get(name) == index:
                atomics = True
            elif name in _VIEWS:
                for result in op.results:
                    if result not in seen:
                        seen.add(result)
                        work.append(result)
            else:
                return Mode.BOTH
    if atomics and not reads and not writes:
        return Mode.ATOMIC
    if atomics or (reads and writes):
        return Mode.BOTH
    return Mode.READ if reads else Mode.WRITE if writes else None
