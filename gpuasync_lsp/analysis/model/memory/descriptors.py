"""Memory that kernels access through tensor map descriptors, which host code creates from memrefs."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.syntax.effects import Mode

_TYPE = "nvgpu.tensormap.descriptor"
_MADE = "nvgpu.tma.create.descriptor"
_MODES = {"nvgpu.tma.async.load": Mode.READ, "nvgpu.tma.async.store": Mode.WRITE}


def described(value: SSAValue) -> SSAValue | None:
    """Return the memref of a tensor map descriptor; None if unknown, or for any other value."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name != _MADE or not owner.operands:
        return None
    return owner.operands[0]


def is_for_kernels(op: Operation) -> bool:
    """Return whether `op` creates a tensor map descriptor that only kernels use.

    Kernels cannot free the memory of the descriptor."""
    return op.name == _MADE and all(
        use.operation.name == "gpu.launch_func" or use.operation.name.startswith("nvgpu.")
        for result in op.results
        for use in result.uses
    )


def described_mode(argument: SSAValue) -> Mode | None:
    """Return how a kernel's body accesses the memory of `argument`, if it is a tensor map descriptor."""
    return _together([use.operation for use in argument.uses]) if argument.type.name == _TYPE else None


def described_inside(launch: Operation, inside: AbstractSet[Operation]) -> Iterator[tuple[SSAValue, Mode]]:
    """Yield the outside memrefs that a gpu.launch accesses through tensor map descriptors, with the mode."""
    users: dict[SSAValue, list[Operation]] = {}
    for op in launch.walk():
        for value in op.operands if op.name in _MODES else ():
            memref = described(value)
            if memref is not None and value.owner not in inside:
                users.setdefault(memref, []).append(op)
    for memref, ops in users.items():
        if (mode := _together(ops)) is not None:
            yield memref, mode


def _together(ops: list[Operation]) -> Mode | None:
    modes = {_MODES[op.name] for op in ops if op.name in _MODES}
    return None if not modes else modes.pop() if len(modes) == 1 else Mode.BOTH
