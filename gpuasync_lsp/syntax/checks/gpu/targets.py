"""Errors of the parsers of target attributes: `gpu.module @m [#nvvm.target<chip = "sm_90", O = 3>]`.

Source: NVVMOps.td, ROCDLOps.td and XeVMOps.td of LLVM 22, and the output of mlir-opt 19 and 21.
"""

from __future__ import annotations

import re

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Attribute

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.view import VerifierError, View
from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr
from gpuasync_lsp.syntax.kinds import is_array, is_integer_attr

_OPTIONS = {
    "nvvm.target": ("O", "triple", "chip", "features", "flags", "link", "verifyTarget"),
    "rocdl.target": ("O", "triple", "chip", "features", "abi", "flags", "link"),
    "xevm.target": ("O", "triple", "chip", "flags", "link"),
}
_TEXTS = ("triple", "chip", "features", "abi")
_SINCE = {"verifyTarget": 21}
"""Maps an option to the release that added it: mlir-opt 20 rejects `verifyTarget`, mlir-opt 21 accepts it."""
_TEXTS_SINCE = Profile.targets_need_texts.since
_CHIP = re.compile(r"sm_(\d{1,4})$")
_LEAST = 20
_LEVELED = "nvvm.target"
_HIGHEST = 3
_LEVELS_SINCE = Profile.optimization_has_levels.since


def targets(view: View) -> VerifierError | None:
    """Check the target attributes of a gpu.module."""
    listed = view.attribute("targets")
    for each in listed.data if is_array(listed) else ():
        known = _OPTIONS.get(each.name)
        if known is None or not isinstance(each, TargetAttr):
            continue
        for name, value in each.options.data.items():
            if (found := _option(name, value, known)) is not None:
                return found._replace(bare=True)
        if each.name == _LEVELED and (found := _of_nvvm(each)) is not None:
            return found
        level = each.options.data.get("O")
        if each.name == _LEVELED and is_integer_attr(level):
            number = level.value.data
            if not 0 <= number <= _HIGHEST:
                words = "The optimization level must be a number between 0 and 3."
                return VerifierError(words, _LEVELS_SINCE, bare=True)
    return None


def _of_nvvm(target: TargetAttr) -> VerifierError | None:
    """Check the string options of #nvvm.target like its verifier."""
    for name in ("triple", "chip"):
        value = target.options.data.get(name)
        text = value.data if isinstance(value, StringAttr) else None
        if text == "":
            return VerifierError(f"The target {name} cannot be empty.", _TEXTS_SINCE, bare=True)
        chip = _CHIP.match(text or "") if name == "chip" else None
        if chip is not None and int(chip[1]) < _LEAST:
            return VerifierError(f"Minimum NVVM target SM version is sm_{_LEAST}", _TEXTS_SINCE, bare=True)
    return None


def _option(name: str, value: Attribute, known: tuple[str, ...]) -> VerifierError | None:
    unknown = f"duplicate or unknown struct parameter name: {name}"
    if name not in known:
        return VerifierError(unknown)
    if name in _SINCE:
        return VerifierError("", _SINCE[name], earlier=unknown)
    if name in _TEXTS:
        return None if isinstance(value, StringAttr) else VerifierError("expected string")
    if name == "O" and not isinstance(value, IntegerAttr):
        return VerifierError("expected integer value")
    return None
