"""`nvvm-attach-target`: each gpu.module gets an NVVM target, unless it already has an equal one.

Source: the output of mlir-opt 19 and 22; unset options have MLIR's defaults and are not printed. The
pass loads the NVVM dialect, which changes how gpu-to-llvm lowers tokens of async.execute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute

from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.option_values import is_set, level
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.assembly import UNIT

_LONGEST_NAMES = 200
_LONGEST_NAME = 1_000
_COSTLY = re.compile(r"[\\(){}]")
_LEVEL = 2
_TRIPLE = "nvptx64-nvidia-cuda"


def nvvm_attach_target(module: ModuleOp, options: Mapping[str, str]) -> None:
    """Attach the target described by `options` to the gpu.modules that match the option `module`."""
    attach(module, _target(options), options.get("module", ""))


def attach(module: ModuleOp, target: Attribute, names: str) -> None:
    """Attach `target` to the gpu.modules whose name matches the regular expression `names`."""
    wanted = _regex(names, module)
    for op in module.ops:
        if not isinstance(op, gpu.GPUModuleOp):
            continue
        if len(op.sym_name.data) > _LONGEST_NAME:
            raise PassError(op, "the name of this module is too long to be compared with the option 'module'")
        if wanted.search(op.sym_name.data):
            known = list(op.targets) if op.targets is not None else []
            if target not in known:
                op.targets = ArrayAttr([*known, target])


def _regex(names: str, module: ModuleOp) -> re.Pattern[str]:
    """Compile the regular expression `names`; reject it unless it is known to be fast.

    It comes from a workspace. LLVM's regular expressions take linear time, Python's do not: a repeated
    group can take forever. Raises PassError.
    """
    names = names.removeprefix(".*").removesuffix(".*")  # which a search for the rest finds anyway
    repeated = sum(names.count(each) for each in "*+?")
    if len(names) > _LONGEST_NAMES or repeated > 1 or _COSTLY.search(names):
        raise PassError(
            module, "the option 'module' is taken without groups, bounds, and with one repetition"
        )
    try:
        return re.compile(names)
    except re.error as error:
        raise PassError(module, f"the option 'module' is not a regular expression: {error}") from error


def _target(options: Mapping[str, str]) -> Attribute:
    # Import late: the dialect is large, and other pipelines do not need it.
    from gpuasync_lsp.syntax.dialects.nvvm import NVVMTargetAttr

    # The default chip depends on the release, and is omitted when the target is printed.
    given = {key: value for key, value in options.items() if (key, value) != ("triple", _TRIPLE)}
    described: dict[str, Attribute] = {}
    if level(options) != _LEVEL:
        described["O"] = IntegerAttr(level(options), i64)  # as it is read
    for key in ("triple", "chip", "features"):
        if given.get(key):
            described[key] = StringAttr(given[key])
    flags: dict[str, Attribute] = {key: UNIT for key in ("fast", "ftz") if is_set(given, key)}
    words = given.get("ptxas-cmd-options", "").split()
    if words:
        flags["ptxas-cmd-options"] = ArrayAttr([StringAttr(word) for word in words])
    if flags:
        described["flags"] = DictionaryAttr(flags)
    if given.get("l"):
        described["link"] = ArrayAttr([StringAttr(path) for path in given["l"].split(",")])
    return NVVMTargetAttr(DictionaryAttr(described))
