"""The target attribute of the xevm dialect (since LLVM 21). Its ops are created from the ODS tables."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.irdl import irdl_attr_definition

from gpuasync_lsp.releases.fact import by_release
from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr


@irdl_attr_definition
class XeVMTargetAttr(TargetAttr):
    """`#xevm.target<chip = "pvc">`."""

    name = "xevm.target"

    options: DictionaryAttr

    DEFAULTS: ClassVar = {
        "triple": by_release({16: "spirv64-unknown-unknown"}),
        "chip": by_release({16: "bmg"}),
    }
