"""`rocdl-attach-target`: each gpu.module gets a ROCDL target, unless it already has an equal one.

Source: the output of mlir-opt 19 and 22; unset options have MLIR's defaults and are not printed.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Attribute

from gpuasync_lsp.lowering.option_values import is_set, level
from gpuasync_lsp.lowering.passes.nvvm_attach_target import attach
from gpuasync_lsp.syntax.dialects.assembly import UNIT

_LEVEL = 2
_DEFAULTS = {"chip": "gfx900", "triple": "amdgcn-amd-amdhsa"}
_FLAGS = {
    "daz": ("daz", True),
    "fast": ("fast", True),
    "finite-only": ("finite_only", True),
    "wave64": ("no_wave64", False),
    "unsafe-math": ("unsafe_math", True),
    "correct-sqrt": ("unsafe_sqrt", False),
}
"""For each option, the target's flag that it controls, and the option's value that sets the flag."""

OPTIONS = frozenset({"O", "abi", "chip", "features", "l", "module", "triple"} | _FLAGS.keys())


def rocdl_attach_target(module: ModuleOp, options: Mapping[str, str]) -> None:
    """Attach the target described by `options` to the gpu.modules that match the option `module`."""
    attach(module, _target(options), options.get("module", ""))


def _target(options: Mapping[str, str]) -> Attribute:
    # Import late: the dialect is large, and other pipelines do not need it.
    from gpuasync_lsp.syntax.dialects.rocdl import ROCDLTargetAttr

    given = {key: value for key, value in options.items() if _DEFAULTS.get(key) != value}
    described: dict[str, Attribute] = {}
    if level(options) != _LEVEL:
        # The parser creates an i64; as in mlir-opt, this i32 makes the target differ from an equal one in
        # the text.
        described["O"] = IntegerAttr(level(options), i32)
    for key in ("triple", "chip", "features", "abi"):
        if given.get(key):
            described[key] = StringAttr(given[key])
    flags: dict[str, Attribute] = {
        flag: UNIT
        for option, (flag, wanted) in _FLAGS.items()
        if option in given and is_set(given, option) is wanted
    }
    if flags:
        described["flags"] = DictionaryAttr(flags)
    if given.get("l"):
        described["link"] = ArrayAttr([StringAttr(path) for path in given["l"].split(",")])
    return ROCDLTargetAttr(DictionaryAttr(described))
