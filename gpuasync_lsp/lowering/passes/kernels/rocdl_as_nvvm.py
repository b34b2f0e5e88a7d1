"""Replaces rocdl ops that mean the same on every GPU with nvvm's, so that a run can execute them.

Ops that depend on the 64 lanes of a wavefront, such as `rocdl.mbcnt.lo` and `rocdl.ds_swizzle`, remain.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from gpuasync_lsp.lowering.conversion.llvm_ops import table_op

_REGISTERS = {"workitem.id": "tid", "workgroup.id": "ctaid", "workgroup.dim": "ntid", "grid.dim": "nctaid"}

_NVVM: dict[str, str | None] = {
    f"rocdl.{register}.{axis}": f"nvvm.read.ptx.sreg.{sreg}.{axis}"
    for register, sreg in _REGISTERS.items()
    for axis in "xyz"
} | {
    **dict.fromkeys(("rocdl.barrier", "rocdl.s.barrier"), "nvvm.barrier0"),
    **dict.fromkeys(("rocdl.s.waitcnt", "rocdl.sched.barrier", "rocdl.s.setprio", "rocdl.s.sleep"), None),
}
"""Maps rocdl ops to nvvm ops; None for those that only affect how fast a kernel runs."""


def rocdl_as_nvvm(module: ModuleOp) -> None:
    """Replace the ops in `_NVVM`, which have no operands, with nvvm ops; erase those without one."""
    for op in list(module.walk()):
        if op.name not in _NVVM or op.operands:
            continue
        name = _NVVM[op.name]
        new = [] if name is None else [table_op(name).create(result_types=op.result_types)]
        for each in new:
            each.location = op.location
        Rewriter.replace_op(op, new)
