"""`nvvm-`, `rocdl-` and `xevm-attach-target`: add a target to each gpu.module that has no equal target.

Sources: the output of mlir-opt 19, 22 and 23, and mlir/lib/Dialect/GPU/Transforms. Unset options have MLIR's
defaults and are not printed. nvvm-attach-target loads the NVVM dialect, which changes how gpu-to-llvm lowers
tokens of async.execute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i32, i64
from xdsl.ir import Attribute

from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.option_values import is_set, level
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.assembly import UNIT

_LONGEST_NAMES = 200
_LONGEST_NAME = 1_000
_COSTLY = re.compile(r"[\\(){}]")
_LEVEL = 2
_DEFAULTS = {
    "nvvm": {"triple": "nvptx64-nvidia-cuda"},  # The default chip depends on the release.
    "rocdl": {"triple": "amdgcn-amd-amdhsa", "chip": "gfx900"},
    "xevm": {"triple": "spirv64-unknown-unknown", "chip": "bmg"},
}
_ROCDL_FLAGS = {
    "daz": ("daz", True),
    "fast": ("fast", True),
    "finite-only": ("finite_only", True),
    "wave64": ("no_wave64", False),
    "unsafe-math": ("unsafe_math", True),
    "correct-sqrt": ("unsafe_sqrt", False),
}
"""Maps each option to the target flag that it controls, and the option value that sets the flag."""

_COMMON = frozenset({"O", "chip", "l", "module", "triple"})
OPTIONS = {
    "nvvm": _COMMON | {"fast", "features", "ftz"},
    "rocdl": _COMMON | {"abi", "features"} | _ROCDL_FLAGS.keys(),
    "xevm": _COMMON | {"cmd-options"},
}
"""Maps the dialect of each pass to the options of the pass."""


def attach_target(module: ModuleOp, dialect: str, options: Mapping[str, str]) -> None:
    """Attach the target described by `options` to the gpu.modules that match the option `module`."""
    target, wanted = _target(dialect, options), _regex(options.get("module", ""), module)
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
    """Compile the regular expression `names`; reject it unless it is provably fast.

    `names` comes from a workspace. LLVM's regular expressions take linear time, Python's do not: a repeated
    group can take exponential time. Raises PassError.
    """
    names = names.removeprefix(".*").removesuffix(".*")  # `search` matches anywhere.
    repeated = sum(names.count(each) for each in "*+?")
    if len(names) > _LONGEST_NAMES or repeated > 1 or _COSTLY.search(names):
        raise PassError(module, "the option 'module' may have no group or bound, and at most one repetition")
    try:
        return re.compile(names)
    except re.error as error:
        raise PassError(module, f"the option 'module' is not a regular expression: {error}") from error


def _target(dialect: str, options: Mapping[str, str]) -> Attribute:
    given = {key: value for key, value in options.items() if _DEFAULTS[dialect].get(key) != value}
    described: dict[str, Attribute] = {}
    if level(options) != _LEVEL:
        # The parser creates an i64. For ROCDL and XeVM, mlir-opt creates an i32, so the target differs from
        # an equal one in the source.
        described["O"] = IntegerAttr(level(options), i64 if dialect == "nvvm" else i32)
    for key in ("triple", "chip", "features", "abi"):
        if given.get(key):
            described[key] = StringAttr(given[key])
    if flags := _flags(dialect, given):
        described["flags"] = DictionaryAttr(flags)
    if given.get("l"):
        described["link"] = ArrayAttr([StringAttr(path) for path in given["l"].split(",")])
    # Imported lazily: the dialects are large, and other pipelines do not need them.
    if dialect == "nvvm":
        from gpuasync_lsp.syntax.dialects.nvvm import NVVMTargetAttr as Target
    elif dialect == "rocdl":
        from gpuasync_lsp.syntax.dialects.rocdl import ROCDLTargetAttr as Target
    else:
        from gpuasync_lsp.syntax.dialects.xevm import XeVMTargetAttr as Target
    return Target(DictionaryAttr(described))


def _flags(dialect: str, given: Mapping[str, str]) -> dict[str, Attribute]:
    if dialect == "rocdl":
        known = _ROCDL_FLAGS.items()
        return {flag: UNIT for key, (flag, on) in known if key in given and is_set(given, key) is on}
    flags: dict[str, Attribute] = {key: UNIT for key in ("fast", "ftz") if is_set(given, key)}
    commands = "ptxas-cmd-options" if dialect == "nvvm" else "cmd-options"
    if words := given.get(commands, "").split():
        flags[commands] = ArrayAttr([StringAttr(word) for word in words])
    return flags
