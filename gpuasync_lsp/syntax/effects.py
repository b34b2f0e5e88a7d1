"""The memory effects of ops, for the analysis and for passes.

`effects_of` returns the effects of an op on the memory at its operands, according to the ops'
documentation and definitions in all releases. An op that is not in the table has the effects that it
declares; if it declares none, its effects are unknown.

`is_harmless` holds for ops that only allocate or read memory, and thus can be erased if their results
are unused. Source: `wouldOpBeTriviallyDead` in mlir/lib/Interfaces/SideEffectInterfaces.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, UnrankedMemRefType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
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
from gpuasync_lsp.syntax.xdsl_speed import operands_of
from gpuasync_lsp.text.effort import spend

_HARMLESS_KINDS = frozenset({MemoryEffectKind.ALLOC, MemoryEffectKind.READ})

_HARMLESS = frozenset(
    {
        "bufferization.clone",
        "bufferization.to_buffer",
        "bufferization.to_memref",
        "gpu.alloc",
        "gpu.subgroup_broadcast",
        "llvm.intr.abs",
        "llvm.intr.ctlz",
        "llvm.intr.cttz",
        "llvm.alloca",
        "memref.alloc",
        "memref.alloca",
        "memref.distinct_objects",
    }
)
ALLOCATE = frozenset({"bufferization.clone", "gpu.alloc", "llvm.alloca", "memref.alloc", "memref.alloca"})
_FREE = frozenset({"memref.dealloc"})
"""Ops that free memory but do not write it."""
_CLOCKS = frozenset(
    f"nvvm.read.ptx.sreg.{name}" for name in ("clock", "clock64", "globaltimer", "globaltimer.lo")
)
NESTING = frozenset(
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
        "scf.reduce",
        "scf.while",
        "tensor.generate",
        "vector.mask",
    }
)
"""Ops that have exactly the effects of the ops in their regions."""
_HARMLESS_ON_TENSORS = frozenset({"bufferization.materialize_in_destination", "vector.transfer_write"})
"""Ops that, like those of linalg, write memory only if they have a memref operand."""


def effects_by_traits(op: Operation) -> Set[EffectInstance] | None:
    """Return the memory effects that the traits of `op` declare; None if they do not declare any."""
    kind = type(op)
    if _only_computes(kind):
        return frozenset()
    return get_effects(op) if _declares_effects(kind) else None


@lru_cache(maxsize=1_024)
def _declares_effects(kind: type[Operation]) -> bool:
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
    if op.name in NESTING:
        return all(_may_stand_inside(inner, profile) for inner in _ops_of(op))
    if op.name in _HARMLESS or _only_reads(op):
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


def _only_reads(op: Operation) -> bool:
    listed = listed_effects(op)
    return listed is not None and all(each.mode is Mode.READ for each in listed)


_MORE = frozenset(
    {
        "affine.prefetch",
        "llvm.load",
        "memref.prefetch",
        "nvgpu.tma.async.store",
        "nvgpu.tma.create.descriptor",
    }
)
"""Ops that do, or may do, more than read the memory at their operands."""


def _allocates(op: Operation) -> bool:
    if op.name in ALLOCATE:
        return True
    effects = effects_by_traits(op)
    return effects is not None and any(effect.kind is MemoryEffectKind.ALLOC for effect in effects)


def _reads(op: Operation) -> bool:
    if op.name in _HARMLESS or listed_effects(op) or op.name == "llvm.load":
        return True
    effects = effects_by_traits(op)
    return effects is not None and any(effect.kind is MemoryEffectKind.READ for effect in effects)


def _may_stand_inside(op: Operation, profile: Profile) -> bool:
    spend()
    if op.has_trait(IsTerminator, value_if_unregistered=False) or op.name == "tensor.parallel_insert_slice":
        return True
    # The caller visits nested ops: checking them here would double the work at each level.
    return op.name not in profile.never_dead if op.name in NESTING else is_harmless(op, profile)


def _is_plain(load: Operation) -> bool:
    """Return whether an `llvm.load` is neither volatile nor atomic."""
    ordering = load.properties.get("ordering")
    is_atomic = is_integer_attr(ordering) and ordering.value.data != 0
    return "volatile_" not in load.properties and not is_atomic


def _ops_of(op: Operation) -> Iterator[Operation]:
    return (inner for region in op.regions for inner in region.walk())


# The memory at each operand


class Mode(Enum):
    """How an op accesses a buffer."""

    READ = "reads"
    WRITE = "writes"
    BOTH = "may read and write"
    MAY = "may read or write"
    """Access by an op with unknown effects.

    It conflicts with a write, but possibly not with a read; the operands may be written."""
    ATOMIC = "atomically updates"
    """Access by an atomic op: two such accesses need no order."""
    FREE = "frees"
    RETURN = "returns"
    """The buffer is returned to the caller, or yielded from a region to its op; it must not be freed."""
    REGISTER = "registers"
    """gpu.host_register: the driver maps host memory for the device."""
    UNREGISTER = "unregisters"


ALIASES = frozenset(
    {
        "memref.cast",
        "memref.memory_space_cast",
        "memref.assume_alignment",
        "memref.distinct_objects",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.transpose",
    }
)
"""Ops whose result aliases the whole operand."""
PARTS = frozenset(
    {
        "memref.subview",
        "memref.reinterpret_cast",
        "memref.view",
        "memref.extract_strided_metadata",
        "memref.reshape",
    }
)
"""Ops whose result aliases a part of the operand, or the whole operand with a different shape."""
POINTERS = frozenset(
    {
        "memref.extract_aligned_pointer_as_index",
        "builtin.unrealized_conversion_cast",
        "llvm.getelementptr",
        "llvm.bitcast",
        "llvm.addrspacecast",
        "llvm.insertvalue",
        "llvm.extractvalue",
    }
)
"""Ops of lowered code whose results point to the same memory as their operand."""


class Effect(NamedTuple):
    """A memory effect of an op on one operand."""

    operand: int
    mode: Mode
    indices: tuple[int, int] | None = None
    """The range of operands that index the first element; None for an access to the whole memref."""
    shape: tuple[int, ...] = ()
    """The number of accessed elements in each of the last dimensions; empty for a single element."""
    scattered: bool = False
    """Whether it is unknown which elements are accessed."""


def with_all_elements(effect: Effect, memref: SSAValue) -> Effect:
    """Return an effect on all of `memref` as an effect on all elements of its static shape.

    Returns any other effect unchanged."""
    if effect.indices is not None or effect.scattered or type(memref.type) is not MemRefType:
        return effect
    shape = memref.type.get_shape()
    return effect if -1 in shape else effect._replace(indices=(0, 0), shape=tuple(shape))


def listed_effects(op: Operation) -> list[Effect] | None:
    """Return the effects of `op` if the table lists all of them, else None."""
    return _TABLE[op.name](op) if op.name in _TABLE and op.name not in _MORE else None


def effects_of(op: Operation) -> list[Effect] | None:
    """Return the effects of `op` on the memory of its operands; None if unknown."""
    found = _TABLE.get(op.name)
    if found is not None:
        return found(op)
    if op.name.startswith("linalg."):
        return _linalg(op)
    known = effects_by_traits(op)
    if known is None:
        return None
    kinds = {effect.kind for effect in known}
    if MemoryEffectKind.FREE in kinds:
        return None
    touched = [n for n, o in enumerate(op.operands) if is_memref(o.type)]
    if not kinds <= {MemoryEffectKind.READ, MemoryEffectKind.ALLOC}:
        return [Effect(n, Mode.BOTH, scattered=True) for n in touched]
    if any(is_memref(r.type) for r in op.results) and touched:
        return None
    return [Effect(n, Mode.READ, scattered=True) for n in touched] if MemoryEffectKind.READ in kinds else []


_MEMREFS = frozenset({MemRefType, UnrankedMemRefType})
"""The memref types, compared exactly for speed: types have no subclasses, and every operand is checked."""


def is_memref(kind: Attribute) -> bool:
    """Return whether a value of this type is a memref."""
    return type(kind) in _MEMREFS


def points(kind: Attribute) -> bool:
    """Return whether a value of this type points to memory."""
    return is_memref(kind) or kind.name == "llvm.ptr"


def segments(op: Operation) -> list[int]:
    """Return the size of each operand group of `op`; empty for an op without `operandSegmentSizes`."""
    sizes = op.properties.get("operandSegmentSizes") or op.attributes.get("operandSegmentSizes")
    return [int(n) for n in sizes.get_values()] if isinstance(sizes, DenseArrayBase) else []


def _rank(op: Operation, operand: int) -> int:
    kind = op.operands[operand].type if operand < len(op.operands) else None
    return kind.get_num_dims() if isinstance(kind, MemRefType) else 0


def _at(mode: Mode, operand: int) -> Callable[[Operation], list[Effect]]:
    """Return a function for ops that access one element of operand `operand`, followed by its indices."""

    def find(op: Operation) -> list[Effect]:
        return [Effect(operand, mode, (operand + 1, operand + 1 + _rank(op, operand)))]

    return find


def _vector(mode: Mode, operand: int, value: int | None = None) -> Callable[[Operation], list[Effect]]:
    """Return a function for ops that access as many elements as a vector has.

    The vector is the operand `value`, or the result if `value` is None."""

    def find(op: Operation) -> list[Effect]:
        if not is_memref(op.operands[operand].type):
            return []  # A tensor has no effects.
        kind = op.results[0].type if value is None else op.operands[value].type
        rank = _rank(op, operand)
        plain = "permutation_map" not in op.properties or _is_minor(op, kind, rank)
        shape = tuple(kind.get_shape()) if isinstance(kind, VectorType) else ()
        where = (operand + 1, operand + 1 + rank)
        return [Effect(operand, mode, where, shape, scattered=not plain or len(shape) > rank)]

    return find


def _is_minor(op: Operation, kind: Attribute, rank: int) -> bool:
    """Return whether the permutation map of a vector transfer is a minor identity."""
    text = str(op.properties["permutation_map"])
    size = kind.get_num_dims() if isinstance(kind, VectorType) else 0
    given = ", ".join(f"d{n}" for n in range(rank))
    taken = ", ".join(f"d{n}" for n in range(rank - size, rank))
    return text == f"affine_map<({given}) -> ({taken})>"


def _memref(mode: Mode) -> Callable[[Operation], list[Effect]]:
    """Return a function for ops that access unknown elements of their memref operand."""
    return lambda op: [
        Effect(n, mode, scattered=True) for n, o in enumerate(op.operands) if is_memref(o.type)
    ]


def _some(mode: Mode, operand: int) -> Callable[[Operation], list[Effect]]:
    return lambda op: [Effect(operand, mode, scattered=True)] if points(op.operands[operand].type) else []


def _all(*modes: tuple[int, Mode]) -> Callable[[Operation], list[Effect]]:
    return lambda op: [Effect(operand, mode) for operand, mode in modes]


def _nothing(op: Operation) -> list[Effect]:
    return []


def _device_copy(op: Operation) -> list[Effect]:
    """Return the effects of a copy between global and shared memory, from the second memref to the first."""
    memrefs = [n for n, operand in enumerate(op.operands) if is_memref(operand.type)]
    modes = (Mode.WRITE, Mode.READ)
    return [Effect(n, mode, scattered=True) for n, mode in zip(memrefs, modes, strict=False)]


def _dma(op: Operation) -> list[Effect]:
    """Return the effects of memref.dma_start, whose memrefs are the source, the destination and the tag."""
    memrefs = [n for n, operand in enumerate(op.operands) if is_memref(operand.type)]
    modes = (Mode.READ, Mode.WRITE, Mode.WRITE)
    return [Effect(n, mode, scattered=True) for n, mode in zip(memrefs, modes, strict=False)]


def _gpu(*modes: Mode) -> Callable[[Operation], list[Effect]]:
    """Return a function for gpu ops whose last two operands are the destination and the source."""

    def behind(first: int) -> list[Effect]:
        return [Effect(first + n, mode) for n, mode in enumerate(modes)]

    known = [behind(first) for first in range(4)]

    def find(op: Operation) -> list[Effect]:
        first = max(len(operands_of(op)) - 2, 0)
        return known[first] if first < len(known) else behind(first)

    return find


def _linalg(op: Operation) -> list[Effect] | None:
    """Return the effects of a linalg op, which reads its inputs and writes its outputs.

    It also reads the outputs that its body uses."""
    groups = segments(op)
    if len(groups) < 2:
        return None
    found: list[Effect] = []
    for number, operand in enumerate(op.operands):
        if not is_memref(operand.type):
            continue
        if number < groups[0]:
            found.append(Effect(number, Mode.READ))
        else:
            found.append(Effect(number, Mode.WRITE if _only_writes(op, number) else Mode.BOTH))
    return found


_OVERWRITING = frozenset(
    {"linalg.fill", "linalg.copy", "linalg.map", "linalg.transpose", "linalg.broadcast"}
    | {f"linalg.{name}" for name in ("add", "sub", "mul", "div", "exp", "log", "abs", "negf", "elementwise")}
)


def _only_writes(op: Operation, number: int) -> bool:
    if op.name != "linalg.generic":
        return op.name in _OVERWRITING
    block = op.regions[0].blocks[0] if op.regions and op.regions[0].blocks else None
    return block is not None and number < len(block.args) and not list(block.args[number].uses)


_TABLE: dict[str, Callable[[Operation], list[Effect]]] = {
    "memref.load": _at(Mode.READ, 0),
    "memref.store": _at(Mode.WRITE, 1),
    "memref.atomic_rmw": _at(Mode.ATOMIC, 1),
    "memref.generic_atomic_rmw": _at(Mode.ATOMIC, 0),
    "memref.copy": _all((0, Mode.READ), (1, Mode.WRITE)),
    "memref.dealloc": _all((0, Mode.FREE)),
    "memref.realloc": _all((0, Mode.FREE)),
    "memref.dma_start": _dma,
    "memref.dim": _nothing,
    "memref.rank": _nothing,
    "memref.prefetch": _nothing,
    "memref.extract_aligned_pointer_as_index": _nothing,
    "affine.load": _at(Mode.READ, 0),
    "affine.store": _at(Mode.WRITE, 1),
    "affine.vector_load": _vector(Mode.READ, 0),
    "affine.vector_store": _vector(Mode.WRITE, 1, 0),
    "affine.prefetch": _nothing,
    "vector.load": _vector(Mode.READ, 0),
    "vector.store": _vector(Mode.WRITE, 1, 0),
    "vector.maskedload": _memref(Mode.READ),
    "vector.maskedstore": _memref(Mode.WRITE),
    "vector.expandload": _memref(Mode.READ),
    "vector.compressstore": _memref(Mode.WRITE),
    "vector.gather": _memref(Mode.READ),
    "vector.scatter": _memref(Mode.WRITE),
    "vector.transfer_read": _vector(Mode.READ, 0),
    "vector.transfer_write": _vector(Mode.WRITE, 1, 0),
    "gpu.memcpy": _gpu(Mode.WRITE, Mode.READ),
    "gpu.memset": _gpu(Mode.WRITE),
    "gpu.subgroup_mma_load_matrix": _some(Mode.READ, 0),
    "gpu.subgroup_mma_store_matrix": _some(Mode.WRITE, 1),
    "gpu.host_register": _all((0, Mode.REGISTER)),
    "gpu.host_unregister": _all((0, Mode.UNREGISTER)),
    "nvgpu.ldmatrix": _some(Mode.READ, 0),
    "nvgpu.device_async_copy": _device_copy,
    "nvgpu.tma.async.load": _some(Mode.WRITE, 0),
    "nvgpu.tma.async.store": _some(Mode.READ, 0),
    "nvgpu.tma.create.descriptor": _nothing,
    "amdgpu.raw_buffer_load": _some(Mode.READ, 0),
    "amdgpu.raw_buffer_store": _some(Mode.WRITE, 1),
    "bufferization.to_tensor": _some(Mode.READ, 0),
    "llvm.load": _some(Mode.READ, 0),
    "llvm.store": _some(Mode.WRITE, 1),
    "llvm.atomicrmw": _some(Mode.ATOMIC, 0),
    "llvm.cmpxchg": _some(Mode.ATOMIC, 0),
}
