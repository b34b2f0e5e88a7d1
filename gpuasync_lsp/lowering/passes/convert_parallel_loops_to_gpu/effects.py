"""The memory effects in a nest of loops that decide whether it can become a launch.

Source: the output of each release. Through LLVM 21 no loop may follow an op with an effect. From LLVM
22 on a loop may, unless it accesses memory that was written earlier in the nest. Two allocations do not
alias each other or the arguments of their function; other values may alias. Calls are ignored.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from gpuasync_lsp.lowering.conversion.errors import OwnLimit
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.effects import (
    ALIASES,
    ALLOCATE,
    NESTING,
    PARTS,
    Effect,
    Mode,
    effects_by_traits,
    listed_effects,
)
from gpuasync_lsp.text.effort import spend

_NONE = ALLOCATE | {"func.call", "gpu.barrier", "gpu.dealloc", "memref.dealloc"}
"""Ops that do not declare which operands they read and write."""
_VIEWS = ALIASES | PARTS
_OTHER_WRITES = frozenset({"gpu.printf"})
"""Ops that write, but not to an operand."""


class Effects:
    """Records the effects of the ops in a nest."""

    def __init__(self, profile: Profile) -> None:
        self.seen = False
        """Whether an op may have had an effect since the last block ended."""
        self._looks = profile.nests_may_have_effects
        self._written: dict[SSAValue, None] = {}

    def forget(self) -> None:
        """Clear `seen` at the end of a block."""
        self.seen = False

    def see(self, op: Operation) -> bool:
        """Record the effects of `op`; return whether the nest may still be converted.

        Raises PassError for unknown effects."""
        if not op.regions and effects_by_traits(op) == frozenset():
            return True
        self.seen = True
        if not self._looks:
            return True
        if op.name in _OTHER_WRITES:
            return False
        self._written.update(
            (_origin(op.operands[each.operand]), None) for each in _accesses(op) if each.mode is not Mode.READ
        )
        return True

    def allow(self, loop: Operation) -> bool:
        """Return whether `loop` may follow the recorded ops. Raises PassError for unknown effects in it."""
        if not self.seen:
            return True
        if not self._looks:
            return False
        for op in loop.walk():
            spend()
            if op.name in _OTHER_WRITES:
                return False
            for each in _accesses(op):
                touched = _origin(op.operands[each.operand])
                spend(len(self._written))
                if not all(_apart(op, touched, written) for written in self._written):
                    return False
        return True


def _accesses(op: Operation) -> list[Effect]:
    if op.name in NESTING or op.name in _NONE:
        return []
    listed = listed_effects(op)
    if listed is not None and all(each.mode in _ACCESSES for each in listed):
        return listed
    effects = effects_by_traits(op)
    if effects is None or any(each.kind in _TOUCHING for each in effects):
        raise OwnLimit(op, f"this tool does not know the memory effects of '{op.name}' in a nest of loops")
    return []


_TOUCHING = (MemoryEffectKind.READ, MemoryEffectKind.WRITE)
_ACCESSES = (Mode.READ, Mode.WRITE, Mode.BOTH, Mode.ATOMIC)


def _origin(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, Operation) and value.owner.name in _VIEWS:
        spend()
        value = value.owner.operands[0]
    return value


def _apart(op: Operation, a: SSAValue, b: SSAValue) -> bool:
    if a is b:
        return False
    kinds = {_kind(op, a), _kind(op, b)}
    return kinds in ({"allocation"}, {"allocation", "argument"})


def _kind(op: Operation, value: SSAValue) -> str:
    """Return the kind of a memref: "allocation", "argument" of a function, or "other"."""
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        if parent is not None and parent.name in _FUNCTIONS:
            region = owner.parent
            if region is not None and region.first_block is owner:
                return "argument"
        raise OwnLimit(op, "this tool does not know which memory a block argument refers to")
    if owner.name in ALLOCATE:
        return "allocation"
    if owner.regions:
        raise OwnLimit(op, f"this tool does not know which memory '{owner.name}' returns")
    return "other"


_FUNCTIONS = frozenset({"func.func", "gpu.func", "llvm.func"})
