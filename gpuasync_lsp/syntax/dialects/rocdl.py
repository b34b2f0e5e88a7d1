"""The rocdl dialect, as far as AMD kernels and targets written beside gpu code need it."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.irdl import IRDLOperation, irdl_attr_definition, irdl_op_definition

from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr, special_registers


@irdl_attr_definition
class ROCDLTargetAttr(TargetAttr):
    """`#rocdl.target<chip = "gfx90a">`."""

    name = "rocdl.target"

    options: DictionaryAttr

    DEFAULTS: ClassVar = {
        "triple": ((16, "amdgcn-amd-amdhsa"),),
        "chip": ((16, "gfx900"),),
        "features": ((16, ""),),
        "abi": ((21, "600"), (19, "500"), (16, "400")),
    }
    """Measured in 18 to 22."""


@irdl_op_definition
class BarrierOp(IRDLOperation):
    name = "rocdl.barrier"

    assembly_format = "attr-dict"


@irdl_op_definition
class SBarrierOp(IRDLOperation):
    name = "rocdl.s.barrier"

    assembly_format = "attr-dict"


REGISTERS = special_registers(
    [
        *(
            f"rocdl.{what}.{dimension}"
            for what in ("workitem.id", "workgroup.id", "workgroup.dim", "cluster.id", "grid.dim")
            for dimension in "xyz"
        ),
        "rocdl.wavefrontsize",
    ]
)
