"""nvvm: ops that the target chip of the enclosing module lacks, such as wgmma on sm_90 (sm_90a has it).

Source: NVVMRequiresSM and NVVMRequiresSMa in NVVMOps.td of LLVM 22, and the output of mlir-opt 22, 23
and 24.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import BoolAttr, StringAttr
from xdsl.ir import Operation

from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.checks.view import VerifierError, View
from gpuasync_lsp.syntax.dialects.gpu_target import TargetAttr
from gpuasync_lsp.syntax.kinds import is_array

_SINCE = Profile.chips_are_checked.since
_LISTS_END = Profile.chip_lists_are_short.since
_CHIP = re.compile(r"sm_(\d{1,4})([af]?)$")
_DEFAULT = "sm_50"
_REGISTERS = "nvvm.read.ptx.sreg."

_AT_LEAST = {
    "nvvm.shfl.sync": 30,
    "nvvm.redux.sync": 80,
    "nvvm.cluster.arrive.relaxed": 90,
    "nvvm.cluster.wait": 90,
    "nvvm.cp.async.bulk.wait_group": 90,
    "nvvm.cp.async.bulk.tensor.shared.cluster.global": 90,
    "nvvm.mapa": 90,
    **{
        _REGISTERS + name: 90
        for name in (
            *("clusterid.x", "cluster.ctaid.x", "cluster.ctaid.y", "cluster.ctaid.z"),
            *("cluster.nctaid.x", "cluster.nctaid.y", "cluster.ctarank", "aggr.smem.size"),
        )
    },
    "nvvm.clusterlaunchcontrol.try.cancel": 100,
    "nvvm.clusterlaunchcontrol.query.cancel": 100,
}
"""Maps ops to the first architecture that has them; all later ones have them, too."""

_WGMMA = ("fence.aligned", "commit.group.sync.aligned", "wait.group.sync.aligned")
_TENSOR = ("alloc", "dealloc", "relinquish_alloc_permit", "fence", "wait", "commit", "cp", "ld", "st")
_PRODUCTS = ("", ".sp", ".block_scale", ".sp.block_scale", ".ws", ".ws.sp")
_ACCELERATED = {
    **{f"nvvm.wgmma.{name}": (90,) for name in _WGMMA},
    **{f"nvvm.convert.f32x4.to.{name}": (100, 103) for name in ("f4x4", "f6x4", "f8x4")},
    **{f"nvvm.tcgen05.{name}": (100, 101) for name in _TENSOR},
    "nvvm.tcgen05.shift": (100, 101, 103),
    **{f"nvvm.tcgen05.mma{name}": (100, 110) for name in _PRODUCTS},
}
"""Maps ops to the architectures of the accelerated chips (`sm_90a`) that alone have them, through LLVM 22."""

_BLACKWELL = (100, 101, 103, 110)
_FAMILIES = {
    **{f"nvvm.wgmma.{name}": ((90,), "a") for name in _WGMMA},
    **{f"nvvm.tcgen05.{name}": (_BLACKWELL, "af") for name in _TENSOR},
    **{f"nvvm.tcgen05.mma{name}": (_BLACKWELL, "af") for name in _PRODUCTS},
    "nvvm.tcgen05.shift": (_BLACKWELL, "a"),
    "nvvm.tcgen05.ld.red": ((101, 103, 110), "af"),
}
"""Maps ops to the architectures with them since LLVM 23, as accelerated chips (`a`) or families (`f`)."""
_ACCELERATED_ONLY = frozenset({"nvvm.tensormap.replace"})
"""Ops of LLVM 23 that every accelerated chip and every family has, but no plain chip."""

REQUIRING = frozenset((*_AT_LEAST, *_ACCELERATED, *_FAMILIES, *_ACCELERATED_ONLY))
"""Ops that some chips lack."""


def chip_error(view: View) -> VerifierError | None:
    """Return the error for an op that a target of the enclosing gpu.module lacks."""
    op = view.op
    least, accelerated = _AT_LEAST.get(op.name), _ACCELERATED.get(op.name)
    for chip in _chips(op):
        match = _CHIP.match(chip)
        if match is None:
            continue
        number, words = int(match[1]), f"is not supported on {chip}"
        if least is not None and number < least:
            return VerifierError(words, _SINCE)
        if accelerated is not None and (not match[2] or number < accelerated[0]):
            return VerifierError(words, _SINCE)
        is_unlisted = accelerated is not None and (match[2] == "f" or number not in accelerated)
        if _lacks(op.name, number, match[2]):
            return VerifierError(words, _SINCE if is_unlisted else _LISTS_END)
        if is_unlisted:
            return VerifierError(words, _SINCE, before=_LISTS_END)
    return None


def _lacks(name: str, number: int, suffix: str) -> bool:
    """Return whether a chip lacks the op according to LLVM 23's rules."""
    if name in _ACCELERATED_ONLY:
        return not suffix
    numbers, suffixes = _FAMILIES.get(name, ((), ""))
    return bool(numbers) and (number not in numbers or not suffix or suffix not in suffixes)


def _chips(op: Operation) -> Iterator[str]:
    """Yield the chips of the enclosing module's targets, without targets that disable verification."""
    around = op.parent_op()
    while around is not None and around.name != "gpu.module":
        around = around.parent_op()
    targets = None if around is None else around.properties.get("targets")
    for target in targets.data if is_array(targets) else ():
        if not isinstance(target, TargetAttr) or target.name != "nvvm.target":
            continue
        options = target.options.data
        verifies, chip = options.get("verifyTarget"), options.get("chip")
        if verifies is not None and verifies != BoolAttr.from_bool(True):
            continue
        yield chip.data if isinstance(chip, StringAttr) else _DEFAULT
