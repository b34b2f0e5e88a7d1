"""Launch limits: the sizes that a kernel declares, and the limits of its target's hardware."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import (
    DictionaryAttr,
    FixedBitwidthType,
    FunctionType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.analysis.model.memory.widths import width_of
from gpuasync_lsp.syntax.dialects.assembly import integers, is_i32_array
from gpuasync_lsp.syntax.dialects.gpu.attributes import AddressSpaceAttr
from gpuasync_lsp.syntax.kinds import is_array, is_memref, is_vector
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.symbols import symbol_name

MOST_THREADS = 1024
"""The largest block of threads on any CUDA device."""

KIB = 1024
USUAL_SHARED = 48 * KIB
"""The shared memory per block of every CUDA device, in bytes; also ptxas' limit for static memory."""

MOST_SHARED = 227 * KIB
"""The maximum shared memory per block on any CUDA device, in bytes."""

_SHARED = {70: 96, 72: 96, 75: 64, 80: 163, 86: 99, 87: 163, 88: 99, 89: 99, 120: 99, 121: 99}
_SHARED.update(dict.fromkeys((90, 100, 101, 103, 110), 227))
"""Maximum shared memory per thread block in KiB by compute capability: CUDA C++ Programming Guide, "Technical
Specifications per Compute Capability"."""

_CLUSTERS = 90
"""The first CUDA compute capability with clusters."""

_WORKGROUP_SPACE = 3
"""The number of the workgroup memory space after convert-gpu-to-nvvm and convert-gpu-to-rocdl."""

_CHIP = re.compile(r'\bchip\s*=\s*"?([\w-]+)')
_ARCHITECTURE = re.compile(r"sm_(\d+)[af]?$")

Sizes = tuple[int, ...]


class Target(NamedTuple):
    """A compilation target of a kernel."""

    kind: str
    """`nvvm`, `rocdl`, `xevm` or `spirv`."""
    chip: str = ""
    """The chip's name; empty if the text names no chip."""

    @property
    def architecture(self) -> int | None:
        """The compute capability of a CUDA chip, 90 for `sm_90a`; None if unknown."""
        found = _ARCHITECTURE.match(self.chip)
        return int(found[1]) if found is not None and self.kind == "nvvm" else None

    @property
    def shared(self) -> int | None:
        """The maximum shared memory per block, in bytes; None if unknown."""
        architecture = self.architecture
        if architecture is None or architecture not in _SHARED:
            return USUAL_SHARED if architecture is not None and architecture < min(_SHARED) else None
        return _SHARED[architecture] * KIB

    @property
    def has_clusters(self) -> bool:
        """Whether the target supports clusters of blocks; True if unknown."""
        return self.architecture is None or self.architecture >= _CLUSTERS


_DECLARING = (
    "known_block_size",
    "gpu.known_block_size",
    "known_grid_size",
    "gpu.known_grid_size",
    "known_cluster_size",
    "gpu.known_cluster_size",
    "nvvm.reqntid",
    "nvvm.maxntid",
    "nvvm.cluster_dim",
)


class Declared(NamedTuple):
    """The launch limits that a kernel declares."""

    sizes: tuple[tuple[str, Sizes], ...] = ()
    """The kernel's size attributes, with the sizes in x, y and z."""
    shared: int = 0
    """The total size of workgroup buffers with static shapes, in bytes."""
    targets: tuple[Target, ...] = ()
    """The targets of the kernel's gpu.module."""

    def first(self, *names: str) -> tuple[str, Sizes] | None:
        """Return the first of the attributes `names` that is on the kernel, with its sizes."""
        return next(((name, sizes) for wanted in names for name, sizes in self.sizes if name == wanted), None)

    def known(self, what: str, prefix: str) -> tuple[str, Sizes] | None:
        """Return the attribute that fixes the size of `what` when the kernel is compiled, with its sizes.

        `what` is `block`, `grid` or `cluster`. `prefix` is the release's prefix of the attribute, for
        example `gpu.`; releases without a prefix read both spellings."""
        return self.first(
            *([f"gpu.known_{what}_size"] if prefix else [f"known_{what}_size", f"gpu.known_{what}_size"])
        )


def declared_by(kernel: Operation, module: Operation, targets: tuple[Target, ...]) -> Declared:
    """Return the launch limits that a kernel declares; `targets` are the targets of its `module`."""
    sizes = ((name, _sizes(kernel, name)) for name in _DECLARING)
    declared = tuple((name, found) for name, found in sizes if found is not None)
    return Declared(declared, _shared_of(kernel, module), targets)


def attached_targets(pipeline: Sequence[str] | None) -> tuple[Target, ...]:
    """Return the targets that passes of `pipeline` attach."""
    steps = [step for step in pipeline or () if "-attach-target" in step]
    return tuple(
        Target(kind, found[1] if (found := _CHIP.search(step)) is not None else "")
        for step in steps
        for kind in ("nvvm", "rocdl", "xevm", "spirv")
        if f"{kind}-attach-target" in step
    )


def workgroup_bytes(types: Iterable[Attribute]) -> int:
    """Return the total size of workgroup buffers with static shapes, in bytes."""
    return sum(_bytes(kind) for kind in types)


def _bytes(kind: Attribute) -> int:
    if not is_memref(kind):
        return 0
    element = kind.element_type
    inner = element.element_type if is_vector(element) else element
    is_known = isinstance(inner, FixedBitwidthType) and -1 not in kind.get_shape()
    return prod(kind.get_shape()) * width_of(kind.element_type) if is_known else 0


def ignored_sizes(kernel: Operation) -> list[str]:
    """Return the names of the kernel's size attributes that are not `array<i32: ...>`.

    MLIR's verifier rejects such an attribute if its prefix is `gpu.`, and otherwise passes ignore it."""
    given = {**kernel.properties, **kernel.attributes}
    names = ("known_block_size", "known_grid_size", "known_cluster_size")
    return [name for name in names if name in given and not is_i32_array(given[name])]


def _sizes(op: Operation, name: str) -> Sizes | None:
    kept = op.properties.get(name) or op.attributes.get(name)
    if kept is None or not is_i32_array(kept):
        return None
    given = integers(kept)
    return (*given, 1, 1)[:3] if given else None


def targets_of(module: Operation) -> tuple[Target, ...]:
    """Return the targets of the gpu.module `module`.

    They are derived from its target attributes or, if it has none, from the dialects of its ops."""
    found = tuple(_targets(module))
    if found:
        return found
    dialects = {op.name.partition(".")[0] for op in module.walk()}
    return tuple(Target(kind) for dialect, kind in _DIALECTS.items() if dialect in dialects)


_DIALECTS = {"amdgpu": "rocdl", "rocdl": "rocdl", "xegpu": "xevm", "xevm": "xevm", "spirv": "spirv"}


def _targets(module: Operation) -> Iterator[Target]:
    kept = module.properties.get("targets") or module.attributes.get("targets")
    for each in kept.data if is_array(kept) else ():
        options: object = getattr(each, "options", None)
        if each.name == "nvvm.target" and isinstance(options, DictionaryAttr):
            named = options.data.get("chip")  # Printing omits a release's default.
            yield Target("nvvm", named.data if isinstance(named, StringAttr) else "")
            continue
        text = attribute_text(each)
        chip = _CHIP.search(text)
        yield Target(text.lstrip("#").partition(".")[0], chip[1] if chip is not None else "")


def _shared_of(kernel: Operation, module: Operation) -> int:
    """Return the size of the workgroup memory that `kernel` uses, callees not included, in bytes."""
    count = kernel.properties.get("workgroup_attributions") or kernel.attributes.get("workgroup_attributions")
    blocks = kernel.regions[0].blocks if kernel.regions else ()
    kind = kernel.properties.get("function_type")
    total = 0
    if isinstance(count, IntegerAttr) and blocks and isinstance(kind, FunctionType):
        first = len(kind.inputs)
        total += workgroup_bytes(a.type for a in blocks[0].args[first : first + count.value.data])
    symbols = {named for op in kernel.walk() if (named := _global_named(op)) is not None}
    for op in module.regions[0].blocks[0].ops if symbols else ():
        if op.name == "memref.global" and symbol_name(op) in symbols:
            named = op.properties.get("type")
            total += _bytes(named) if named is not None and is_workgroup(named) else 0
    return total


def _global_named(op: Operation) -> str | None:
    symbol = op.properties.get("name") if op.name == "memref.get_global" else None
    return symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else None


def is_workgroup(kind: Attribute) -> bool:
    """Return whether a memref of this type is workgroup memory."""
    space = kind.memory_space if isinstance(kind, MemRefType) else None
    if isinstance(space, IntegerAttr):
        return space.value.data == _WORKGROUP_SPACE
    return isinstance(space, AddressSpaceAttr) and "workgroup" in attribute_text(space)
