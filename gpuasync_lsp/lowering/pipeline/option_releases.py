"""Which releases have which options of passes, where that is not all of them.

Measured: mlir-opt of each release, 16 to 24, was given each option. The builds of 20 and 24 lack
`convert-vector-to-llvm`: 20 is taken to have what 21 has, 24 what 23 has.
"""

from __future__ import annotations

from collections.abc import Mapping

_LAST = 1_000
"""Greater than any release."""

OPTIONS: Mapping[tuple[str, str], tuple[int, int]] = {
    ("gpu-map-parallel-loops", "mapping-policy"): (22, _LAST),
    ("convert-scf-to-cf", "allow-pattern-rollback"): (22, _LAST),
    ("convert-gpu-to-nvvm", "allow-pattern-rollback"): (22, _LAST),
    ("convert-gpu-to-nvvm", "use-bare-ptr-memref-call-conv"): (17, _LAST),
    ("nvvm-attach-target", "ptxas-cmd-options"): (21, _LAST),
    ("gpu-to-llvm", "gpu-binary-annotation"): (16, 18),
    ("gpu-to-llvm", "intersperse-sizes-for-kernels"): (20, _LAST),
    ("gpu-to-llvm", "use-bare-pointers-for-host"): (17, _LAST),
    ("convert-vector-to-llvm", "use-vector-alignment"): (20, _LAST),
    ("convert-vector-to-llvm", "vector-contract-lowering"): (20, _LAST),
    ("convert-vector-to-llvm", "vector-transpose-lowering"): (20, _LAST),
    ("convert-vector-to-llvm", "enable-arm-bf16"): (22, _LAST),
    ("convert-vector-to-llvm", "enable-arm-i8mm"): (20, _LAST),
    ("convert-vector-to-llvm", "enable-arm-sme"): (17, 17),
    ("convert-vector-to-llvm", "use-opaque-pointers"): (17, 17),
    ("convert-vector-to-llvm", "enable-amx"): (16, 22),
    ("convert-vector-to-llvm", "enable-x86vector"): (16, 22),
}
"""By pass and option: the first and the last release that has it."""


def missing_option(name: str, options: Mapping[str, str], version: int) -> str | None:
    """Return the first of the `options` of the pass `name` that LLVM `version` lacks."""
    for option in options:
        first, last = OPTIONS.get((name, option), (0, _LAST))
        if not first <= version <= last:
            return option
    return None
