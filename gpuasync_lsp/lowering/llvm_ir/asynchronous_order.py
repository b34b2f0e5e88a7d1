"""nvvm ops that order, announce or size what is beside a thread: fences of proxies, groups of bulk copies.

The intrinsics are those that mlir-translate 22 makes of them. On the CPU, where a copy is made at once and
kernels of one stream run one after another, they have nothing to do (`meeting.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.intrinsics import keyword
from gpuasync_lsp.lowering.llvm_ir.reading import attribute

Call = tuple[str, Sequence[str]]


def order_call(op: Operation, name: str, operands: Sequence[str]) -> Call | None:
    """Return the intrinsic and the typed arguments that `op`, called `name`, stands for, or None."""
    write = _CALLS.get(name)
    made = write(op, operands) if write is not None else None
    return (f"llvm.nvvm.{made[0]}", made[1]) if made is not None else None


def _fixed(name: str) -> Callable[[Operation, Sequence[str]], Call]:
    return lambda op, operands: (name, operands)


def _wait_group(op: Operation, operands: Sequence[str]) -> Call:
    read = ".read" if attribute(op, "read") is not None else ""
    return f"cp.async.bulk.wait.group{read}", [f"i32 {_integer(op, 'group')}"]


def _dependent_grids(op: Operation, operands: Sequence[str]) -> Call:
    return f"griddepcontrol.{keyword(op, 'kind').replace('_', '.')}", []


def _registers(op: Operation, operands: Sequence[str]) -> Call:
    action = {"increase": "inc", "decrease": "dec"}[keyword(op, "action")]
    return f"setmaxnreg.{action}.sync.aligned.u32", [f"i32 {_integer(op, 'regCount')}"]


def _fence_proxy(op: Operation, operands: Sequence[str]) -> Call:
    space = f"_{keyword(op, 'space')}" if attribute(op, "space") is not None else ""
    return f"fence.proxy.{keyword(op, 'kind')}{space}", []


def _prefetch(op: Operation, operands: Sequence[str]) -> Call | None:
    if attribute(op, "tensormap") is None or len(operands) != 1 or not operands[0].startswith("ptr %"):
        return None
    return "prefetch.tensormap.p0", operands


def _integer(op: Operation, name: str) -> int:
    number: Any = attribute(op, name)
    return number.value.data


_CALLS: Mapping[str, Callable[[Operation, Sequence[str]], Call | None]] = {
    "nvvm.fence.mbarrier.init": _fixed("fence.mbarrier_init.release.cluster"),
    "nvvm.fence.proxy": _fence_proxy,
    "nvvm.cp.async.bulk.commit.group": _fixed("cp.async.bulk.commit.group"),
    "nvvm.cp.async.bulk.wait_group": _wait_group,
    "nvvm.griddepcontrol": _dependent_grids,
    "nvvm.griddepcontrol.wait": _fixed("griddepcontrol.wait"),
    "nvvm.griddepcontrol.launch.dependents": _fixed("griddepcontrol.launch.dependents"),
    "nvvm.setmaxregister": _registers,
    "nvvm.prefetch": _prefetch,
}
