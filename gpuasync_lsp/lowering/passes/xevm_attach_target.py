"""`xevm-attach-target`: each gpu.module gets an XeVM target, unless it already has an equal one.

Sources: mlir/lib/Dialect/GPU/Transforms/XeVMAttachTarget.cpp, and the output of mlir-opt 22 and 23. Unset
options have MLIR's defaults and are not printed.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Attribute

from gpuasync_lsp.lowering.option_values import level
from gpuasync_lsp.lowering.passes.nvvm_attach_target import attach

_LEVEL = 2
_DEFAULTS = {"chip": "bmg", "triple": "spirv64-unknown-unknown"}
OPTIONS = frozenset({"O", "chip", "cmd-options", "l", "module", "triple"})


def xevm_attach_target(module: ModuleOp, options: Mapping[str, str]) -> None:
    """Attach the target described by `options` to the gpu.modules that match the option `module`."""
    attach(module, _target(options), options.get("module", ""))


def _target(options: Mapping[str, str]) -> Attribute:
    # Import late: other pipelines do not need the dialect.
    from gpuasync_lsp.syntax.dialects.xevm import XeVMTargetAttr

    described: dict[str, Attribute] = {}
    if level(options) != _LEVEL:
        described["O"] = IntegerAttr(level(options), i32)
    for key in ("triple", "chip"):
        if options.get(key) and options[key] != _DEFAULTS[key]:
            described[key] = StringAttr(options[key])
    words = options.get("cmd-options", "").split()
    if words:
        given = ArrayAttr([StringAttr(word) for word in words])
        described["flags"] = DictionaryAttr({"cmd-options": given})
    if options.get("l"):
        described["link"] = ArrayAttr([StringAttr(path) for path in options["l"].split(",")])
    return XeVMTargetAttr(DictionaryAttr(described))
