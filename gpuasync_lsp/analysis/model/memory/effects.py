"""The memory effects of each op on its operands, in one table for host code and kernels.

Source: the ops' documentation and definitions in all releases. An op that is not in the table has the memory
effects that it declares; if it declares none, its effects are unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, UnrankedMemRefType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from gpuasync_lsp.analysis.model.terms import Mode
from gpuasync_lsp.syntax.effects import effects_by_traits
from gpuasync_lsp.syntax.xdsl_speed import operands_of

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
"""Ops whose result aliases a part of the operand, or all of it in another shape."""
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
    """Return an effect on the whole of `memref` as one on all elements of its static shape.

    Returns any other effect unchanged."""
    if effect.indices is not None or effect.scattered or type(memref.type) is not MemRefType:
        return effect
    shape = memref.type.get_shape()
    return effect if -1 in shape else effect._replace(indices=(0, 0), shape=tuple(shape))


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

    The vector is the operand `value`, or the result if that is None."""

    def find(op: Operation) -> list[Effect]:
        if not is_memref(op.operands[operand].type):
            return []  # A tensor.
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
    """Return the effects of a linalg op, which reads inputs, and writes outputs.

    It also reads outputs that its body uses."""
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
