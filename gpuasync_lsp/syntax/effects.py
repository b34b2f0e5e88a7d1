"""Finds ops that only allocate or read memory, and so can be erased if their results are unused.

The traits of ops (`Pure`) are in their classes; this module has the effects that depend on operands,
properties or nested ops. Source: `wouldOpBeTriviallyDead` in
mlir/lib/Interfaces/SideEffectInterfaces.cpp, and the effects that the ops declare.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import lru_cache

from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Operation
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    get_effects,
)

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.kinds import is_integer_attr
from gpuasync_lsp.text.effort import spend

_HARMLESS_KINDS = frozenset({MemoryEffectKind.ALLOC, MemoryEffectKind.READ})

_HARMLESS = frozenset(
    {
        "affine.load",
        "affine.vector_load",
        "bufferization.clone",
        "bufferization.to_buffer",
        "bufferization.to_memref",
        "bufferization.to_tensor",
        "gpu.alloc",
        "gpu.subgroup_broadcast",
        "gpu.subgroup_mma_load_matrix",
        "llvm.intr.abs",
        "llvm.intr.ctlz",
        "llvm.intr.cttz",
        "llvm.alloca",
        "memref.alloc",
        "memref.alloca",
        "memref.distinct_objects",
        "memref.load",
        "nvgpu.ldmatrix",
        "vector.expandload",
        "vector.gather",
        "vector.load",
        "vector.maskedload",
        "vector.transfer_read",
    }
)
_ALLOCATE = frozenset({"bufferization.clone", "gpu.alloc", "llvm.alloca", "memref.alloc", "memref.alloca"})
_FREE = frozenset({"memref.dealloc"})
"""Ops that free memory but do not write it."""
_CLOCKS = frozenset(
    f"nvvm.read.ptx.sreg.{name}" for name in ("clock", "clock64", "globaltimer", "globaltimer.lo")
)
_NESTING = frozenset(
    {
        "affine.for",
        "affine.if",
        "affine.parallel",
        "async.execute",
        "gpu.launch",
        "gpu.warp_execute_on_lane_0",
        "memref.alloca_scope",
        "scf.execute_region",
        "scf.for",
        "scf.forall",
        "scf.if",
        "scf.index_switch",
        "scf.parallel",
        "scf.while",
        "tensor.generate",
        "vector.mask",
    }
)
"""Ops that have exactly the effects of the ops in their regions."""
_HARMLESS_ON_TENSORS = frozenset({"bufferization.materialize_in_destination", "vector.transfer_write"})
"""Ops that, like those of linalg, write memory only if they have a memref operand."""


def effects_by_traits(op: Operation) -> Set[EffectInstance] | None:
    """Return the memory effects that the traits of `op` declare; None if they declare none."""
    kind = type(op)
    if _only_computes(kind):
        return frozenset()
    return get_effects(op) if _declares_effects(kind) else None


@lru_cache(maxsize=1_024)
def _declares_effects(kind: type[Operation]) -> bool:
    """Return whether a trait of the class declares memory effects."""
    return bool(kind.get_traits_of_type(MemoryEffect))


@lru_cache(maxsize=1_024)
def _only_computes(kind: type[Operation]) -> bool:
    """Return whether the traits of the class declare that it has no memory effects."""
    traits = kind.get_traits_of_type(MemoryEffect)
    return bool(traits) and all(
        type(trait).get_effects.__func__ is NoMemoryEffect.get_effects.__func__ for trait in traits
    )


def is_harmless(op: Operation, profile: Profile) -> bool:
    """Return whether a non-terminator `op` has no effects except allocating or reading memory."""
    if op.name in profile.never_dead:
        return False
    if op.name in _NESTING:
        return all(_may_stand_inside(inner, profile) for inner in _ops_of(op))
    if op.name in _HARMLESS:
        return True
    if op.name in _CLOCKS:
        return profile.clocks_are_pure
    if op.name in _HARMLESS_ON_TENSORS or op.name.startswith("linalg."):
        return not any(isinstance(value.type, MemRefType | UnrankedMemRefType) for value in op.operands)
    if op.name == "memref.assume_alignment":
        return profile.assumes_by_bundles
    if op.name == "llvm.load":
        return _is_plain(op)
    effects = effects_by_traits(op)
    return effects is not None and all(effect.kind in _HARMLESS_KINDS for effect in effects)


def is_repeatable(op: Operation, profile: Profile) -> bool:
    """Return whether a harmless `op` allocates nothing: executed again, it has the same result."""
    if not is_harmless(op, profile):
        return False
    return not any(_allocates(inner) for inner in (op, *_ops_of(op)))


def reads(op: Operation) -> bool:
    """Return whether a repeatable `op` may read memory, so that a write may change its result."""
    return any(_reads(inner) for inner in (op, *_ops_of(op)))


def may_write(op: Operation, profile: Profile) -> bool:
    """Return whether `op` may write memory; true if its effects are unknown."""
    return op.name not in _FREE and not is_harmless(op, profile)


def _allocates(op: Operation) -> bool:
    if op.name in _ALLOCATE:
        return True
    effects = effects_by_traits(op)
    return effects is not None and any(effect.kind is MemoryEffectKind.ALLOC for effect in effects)


def _reads(op: Operation) -> bool:
    if op.name in _HARMLESS or op.name == "llvm.load":
        return True
    effects = effects_by_traits(op)
    return effects is not None and any(effect.kind is MemoryEffectKind.READ for effect in effects)


def _may_stand_inside(op: Operation, profile: Profile) -> bool:
    spend()
    if op.has_trait(IsTerminator, value_if_unregistered=False) or op.name == "tensor.parallel_insert_slice":
        return True
    # Nested ops are visited by the caller: checking them here would double the work at each level.
    return op.name not in profile.never_dead if op.name in _NESTING else is_harmless(op, profile)


def _is_plain(load: Operation) -> bool:
    """Return whether an `llvm.load` is neither volatile nor atomic."""
    ordering = load.properties.get("ordering")
    is_atomic = is_integer_attr(ordering) and ordering.value.data != 0
    return "volatile_" not in load.properties and not is_atomic


def _ops_of(op: Operation) -> Iterator[Operation]:
    return (inner for region in op.regions for inner in region.walk())
