"""Short descriptions of the stages of a preview."""

from __future__ import annotations

from collections.abc import Mapping

RUN_LINE = "run-line"
"""The stage for the passes of a file's first RUN line."""

STAGE_DESCRIPTIONS: Mapping[str, str] = {
    "source": "the file as it was parsed",
    "convert-linalg-to-parallel-loops": "linalg ops on buffers become scf.parallel, reductions scf.for",
    "convert-linalg-to-loops": "linalg ops on buffers become scf.for",
    "convert-linalg-to-affine-loops": "linalg ops on buffers become affine.for",
    "gpu-map-parallel-loops": "scf.parallel gets attributes that map dimensions to processors",
    "convert-parallel-loops-to-gpu": "mapped nests of scf.parallel become gpu.launch",
    "lower-affine": "affine loops and accesses become scf, memref and arith",
    "convert-vector-to-scf": "vector transfers become loops around one-dimensional transfers",
    "convert-nvgpu-to-nvvm": "barriers, copies and warp matrices become nvvm",
    "gpu-kernel-outlining": "bodies of gpu.launch become kernels",
    "gpu-async-region": "one token per block, blocking waits before effects",
    "convert-scf-to-cf": "structured control flow becomes branches",
    "expand-strided-metadata": "views become offsets, sizes and strides",
    "nvvm-attach-target": "gpu.module gets an NVIDIA target",
    "convert-gpu-to-nvvm": "kernels become llvm and nvvm",
    "rocdl-attach-target": "gpu.module gets an AMD target",
    "convert-gpu-to-rocdl": "kernels become llvm and rocdl",
    "convert-math-to-xevm": "fast math in kernels becomes calls to OpenCL's native functions",
    "convert-xegpu-to-xevm": "blocks and products of a lane become xevm ops",
    "convert-gpu-to-llvm-spv": "kernels become llvm for Intel's GPUs",
    "convert-xevm-to-llvm": "xevm ops become calls to OpenCL's functions",
    "xevm-attach-target": "each gpu.module gets an XeVM target, for Intel's GPUs",
    "gpu-to-llvm": "host code becomes runtime calls; kernels are unchanged",
    "gpu-module-to-binary": "host and kernels lowered, each gpu.module to a gpu.binary with PTX",
    "convert-index-to-llvm": "index ops become llvm",
    "convert-arith-to-llvm": "arith ops become llvm",
    "convert-math-to-llvm": "math ops become llvm",
    "convert-complex-to-llvm": "complex ops become llvm",
    "convert-ub-to-llvm": "ub ops become llvm",
    "convert-nvvm-to-llvm": "nvvm ops without an intrinsic become inline PTX",
    "convert-vector-to-llvm": "ops on vectors become llvm, row by row",
    "convert-cf-to-llvm": "branches become llvm",
    "finalize-memref-to-llvm": "memref ops become llvm",
    "convert-func-to-llvm": "functions, and arith and branches in them, become llvm",
    "convert-to-llvm": "all dialects that can become llvm",
    "reconcile-unrealized-casts": "pairs of inverse casts are removed",
    "canonicalize": "ops are folded, blocks merged, dead ops erased",
    "cse": "common subexpressions are eliminated",
    "inline": "calls are inlined",
    "symbol-dce": "unused private functions and globals are erased",
    "strip-debuginfo": "locations are stripped",
    "lowered": "host and kernels, lowered with all required passes",
    "llvm-ir": "LLVM IR of the host, then of each kernel module",
    "ptx": "PTX of each kernel module, for the chip of its target",
}
"""Maps each stage in STAGES to its description."""
