"""The xevm dialect (from LLVM 21), as far as Intel kernels and targets written beside gpu code need it."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.irdl import irdl_attr_definition

from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr, special_registers


@irdl_attr_definition
class XeVMTargetAttr(TargetAttr):
    """`#xevm.target<chip = "pvc">`."""

    name = "xevm.target"

    options: DictionaryAttr

    DEFAULTS: ClassVar = {
        "triple": ((16, "spirv64-unknown-unknown"),),
        "chip": ((16, "bmg"),),
    }
    """Measured in 21 and 22."""


REGISTERS = special_registers(
    [
        *(
            f"xevm.{what}.{dimension}"
            for what in ("local_id", "local_size", "group_id", "group_count")
            for dimension in "xyz"
        ),
        "xevm.lane_id",
        "xevm.subgroup_id",
        "xevm.subgroup_size",
    ]
)
