"""The LLVM releases that have each pass, pipeline and option, listed only if some release lacks it.

Measured by running mlir-opt of each release with each option, and with `--help`. The builds of LLVM 20 and
24 lack `convert-vector-to-llvm`: LLVM 20 is assumed to be like LLVM 21, and LLVM 24 like LLVM 23.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuasync_lsp.releases.fact import Releases

PASSES: Mapping[str, Releases] = {
    "nvvm-attach-target": Releases(since=18),
    "rocdl-attach-target": Releases(since=18),
    "gpu-module-to-binary": Releases(since=18),
    "convert-ub-to-llvm": Releases(since=18),
    "convert-nvvm-to-llvm": Releases(since=18),
    "finalize-memref-to-llvm": Releases(since=17),
    "convert-gpu-to-llvm-spv": Releases(since=19),
    "convert-xevm-to-llvm": Releases(since=21),
    "convert-math-to-xevm": Releases(since=22),
    "convert-xegpu-to-xevm": Releases(since=22),
    "convert-to-llvm": Releases(since=18),
    "gpu-lower-to-nvvm-pipeline": Releases(since=18),
}
"""Maps the name of a pass or pipeline to the releases that have it."""

OPTIONS: Mapping[tuple[str, str], Releases] = {
    ("gpu-map-parallel-loops", "mapping-policy"): Releases(22),
    ("convert-scf-to-cf", "allow-pattern-rollback"): Releases(22),
    ("convert-gpu-to-nvvm", "allow-pattern-rollback"): Releases(22),
    ("convert-gpu-to-nvvm", "use-bare-ptr-memref-call-conv"): Releases(17),
    ("nvvm-attach-target", "ptxas-cmd-options"): Releases(21),
    ("gpu-to-llvm", "gpu-binary-annotation"): Releases(until=18),
    ("gpu-to-llvm", "intersperse-sizes-for-kernels"): Releases(20),
    ("gpu-to-llvm", "use-bare-pointers-for-host"): Releases(17),
    **{
        (name, "use-opaque-pointers"): Releases(17, 17)
        for name in (
            *("gpu-to-llvm", "convert-gpu-to-nvvm", "convert-gpu-to-rocdl", "convert-nvgpu-to-nvvm"),
            *("convert-cf-to-llvm", "convert-func-to-llvm", "finalize-memref-to-llvm"),
        )
    },
    ("convert-gpu-to-llvm-spv", "use-64bit-index"): Releases(21),
    ("convert-xegpu-to-xevm", "use-64bit-index"): Releases(23),
    ("convert-to-llvm", "allow-pattern-rollback"): Releases(22),
    ("gpu-module-to-binary", "section"): Releases(20),
    ("gpu-lower-to-nvvm-pipeline", "allow-pattern-rollback"): Releases(22),
    ("gpu-lower-to-nvvm-pipeline", "ptxas-cmd-options"): Releases(21),
    ("convert-vector-to-llvm", "use-vector-alignment"): Releases(20),
    ("convert-vector-to-llvm", "vector-contract-lowering"): Releases(20),
    ("convert-vector-to-llvm", "vector-transpose-lowering"): Releases(20),
    ("convert-vector-to-llvm", "enable-arm-bf16"): Releases(22),
    ("convert-vector-to-llvm", "enable-arm-i8mm"): Releases(20),
    ("convert-vector-to-llvm", "enable-arm-sme"): Releases(17, 17),
    ("convert-vector-to-llvm", "use-opaque-pointers"): Releases(17, 17),
    ("convert-vector-to-llvm", "enable-amx"): Releases(until=22),
    ("convert-vector-to-llvm", "enable-x86vector"): Releases(until=22),
}
"""Maps (pass or pipeline, option) to the releases that have the option."""


def has_pass(name: str, version: int) -> bool:
    """Return whether LLVM `version` has the pass or pipeline `name`, which some release must have."""
    return version in PASSES.get(name, Releases())


def has_option(name: str, option: str, version: int) -> bool:
    """Return whether LLVM `version` has `option` of the pass or pipeline `name`; some release must."""
    return version in OPTIONS.get((name, option), Releases())
