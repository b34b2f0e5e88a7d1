"""How older releases spell ops whose newest spelling they do not read.

Facts: what mlir-opt 16 to 24 print of one op each.
"""

from __future__ import annotations

from xdsl.ir import Operation

FIRST_WITH_PROPERTIES = 17
"""The first release that writes `<{...}>` in generic ops; before, all attributes stand in one dictionary."""

_GENERIC_BEFORE = {
    "gpu.yield": 19,
    "llvm.intr.assume": 20,
    "llvm.intr.debugtrap": 22,
    "llvm.intr.trap": 22,
    "llvm.intr.ubsantrap": 22,
    "quant.dcast": 20,
    "quant.qcast": 20,
    "quant.scast": 20,
}
"""The first release that has a syntax of its own for an op."""

_TOSA = 18
"""The same for all ops of tosa."""

_ALIGNMENT_HAS_RESULT = 21
_REDUCE_ENDS_LOOPS = 19
_SOMETIMES = frozenset((*_GENERIC_BEFORE, "memref.assume_alignment", "scf.reduce"))


def may_differ(name: str) -> bool:
    """Whether any release writes some op of this name otherwise."""
    return name in _SOMETIMES or name.startswith("tosa.")


def is_generic(op: Operation, llvm: int) -> bool:
    """Whether the release has no syntax for `op` but the generic one."""
    name = op.name
    return llvm < _GENERIC_BEFORE.get(name, _TOSA if name.startswith("tosa.") else 0)


def has_no_results(op: Operation, llvm: int) -> bool:
    """Whether the release gives `op`, whose result nothing uses, no result."""
    return names_no_result(op, llvm) and not any(result.uses for result in op.results)


def names_no_result(op: Operation, llvm: int) -> bool:
    """Whether the release gives `op` no result that a text could name."""
    return op.name == "memref.assume_alignment" and llvm < _ALIGNMENT_HAS_RESULT


def other_text(op: Operation, llvm: int) -> str | None:
    """Return how the release writes `op`, None if as later ones do."""
    if op.name == "scf.reduce" and llvm < _REDUCE_ENDS_LOOPS and not op.operands and op.next_op is None:
        return "scf.yield"
    return None
