"""Which releases have which options of passes, where that is not all of them.

Measured: mlir-opt of each release, 16 to 24, was given each option, and what `--help` lists in 16, 17 and 19
to 22 is compared with it. The builds of 20 and 24 lack `convert-vector-to-llvm`: 20 is taken to have what 21
has, 24 what 23 has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuasync_lsp.lowering.pipeline.text import Step

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
    **{
        (name, "use-opaque-pointers"): (17, 17)
        for name in (
            *("gpu-to-llvm", "convert-gpu-to-nvvm", "convert-gpu-to-rocdl", "convert-nvgpu-to-nvvm"),
            *("convert-cf-to-llvm", "convert-func-to-llvm", "finalize-memref-to-llvm"),
        )
    },
    ("convert-to-llvm", "allow-pattern-rollback"): (22, _LAST),
    ("gpu-module-to-binary", "section"): (20, _LAST),
    ("gpu-lower-to-nvvm-pipeline", "allow-pattern-rollback"): (22, _LAST),
    ("gpu-lower-to-nvvm-pipeline", "ptxas-cmd-options"): (21, _LAST),
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
"""By pass or pipeline and option: the first and the last release that has it."""


def missing_option(step: Step, version: int) -> str | None:
    """Return the first option of a step, or of the pipeline that it is from, that LLVM `version` lacks."""
    of_pipeline = _missing(step.pipeline, step.pipeline_options, version)
    return of_pipeline if of_pipeline is not None else _missing(step.name, step.options, version)


def _missing(name: str, options: Iterable[str], version: int) -> str | None:
    return next((option for option in options if not has_option(name, option, version)), None)


def has_option(name: str, option: str, version: int) -> bool:
    """Tell whether an `option` that a pass or pipeline has in some release is there in LLVM `version`."""
    first, last = OPTIONS.get((name, option), (0, _LAST))
    return first <= version <= last
