"""The target attribute of the rocdl dialect. Its ops are created from the ODS tables."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.irdl import irdl_attr_definition

from gpuasync_lsp.releases.fact import by_release
from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr


@irdl_attr_definition
class ROCDLTargetAttr(TargetAttr):
    """`#rocdl.target<chip = "gfx90a">`."""

    name = "rocdl.target"

    options: DictionaryAttr

    DEFAULTS: ClassVar = {
        "triple": by_release({16: "amdgcn-amd-amdhsa"}),
        "chip": by_release({16: "gfx900"}),
        "features": by_release({16: ""}),
        "abi": by_release({16: "400", 19: "500", 21: "600"}),
    }
