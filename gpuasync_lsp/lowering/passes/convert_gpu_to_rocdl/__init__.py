"""`convert-gpu-to-rocdl`: lowers kernels for AMD's targets, for the preview.

This package contains only the differences from convert-gpu-to-nvvm. Source: the output of mlir-opt 19,
22 and 24 `--convert-gpu-to-rocdl`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import IntegerType, ModuleOp, StringAttr
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.driver import Leftover, convert
from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.lowering.conversion.folders.constants import element_type
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm import illegal
from gpuasync_lsp.lowering.passes.convert_gpu_to_rocdl import ids, math, printf, sync
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host import cf
from gpuasync_lsp.lowering.passes.kernels import shared
from gpuasync_lsp.lowering.passes.kernels.functions import Target, patterns
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.assembly import integers, is_i32_array
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType

SPACES = {"global": 1, "workgroup": 3, "private": 5}
"""Maps address spaces to the target's numbers."""

REQUIRED_SIZE, FLAT_SIZE = "rocdl.reqd_work_group_size", "rocdl.flat_work_group_size"

TARGET = Target(
    "rocdl.kernel",
    {"known_block_size": REQUIRED_SIZE},
    private_space=5,
    shared_alignment=False,
)
DATA_LAYOUT = (
    "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-{buffers}-"
    "p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-"
    "v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
)


def convert_gpu_to_rocdl(
    module: ModuleOp, profile: Profile, options: LoweringOptions, runtime: str
) -> list[Leftover]:
    """Lower the kernels of every gpu.module of `module` in place; return the unlowered ops.

    `runtime` (unknown, HIP or OpenCL) selects the lowering of gpu.printf. Raises LegalizationError for
    an unlowered op of the gpu dialect."""
    left: list[Leftover] = []
    for op in module.walk():
        if isinstance(op, gpu.GPUModuleOp):
            left += _convert(op, profile, options, runtime)
    return left


def _convert(
    module: gpu.GPUModuleOp, profile: Profile, options: LoweringOptions, runtime: str
) -> list[Leftover]:
    if profile.rocdl_buffer_layout:
        layout = DATA_LAYOUT.format(buffers=profile.rocdl_buffer_layout)
        module.attributes["llvm.data_layout"] = StringAttr(layout)
    shared.prepare(module, profile, SPACES, options)
    types = TypeConverter(
        bare_pointers=options.use_bare_pointers_for_kernels,
        index_bits=options.index_bits,
        bfloat_as_integer=profile.rocdl_bfloats_are_integers,
    )
    rewriter = ConversionRewriter(types, profile, options)
    intrinsics = math.INTRINSICS if profile.rocdl_knows_intrinsics else ()
    table = Patterns((*printf.patterns(runtime), *_PATTERNS, *intrinsics))
    left = convert(rewriter, module, table, illegal(profile.rocdl_refuses))
    for op in module.walk():
        if isinstance(op, llvm.LLVMFuncOp):
            _mark_sizes(op, profile)
        else:
            _verify_floats(op)
    return left


def _verify_floats(op: Operation) -> None:
    """Raise PassError, like the verifier, for a float op with an operand lowered to i16 or to an array."""
    if op.name in _ON_FLOATS and isinstance(element_type(op.operands[0].type), IntegerType | LLVMArrayType):
        wanted = "floating point LLVM type or LLVM dialect-compatible vector of floating point LLVM type"
        raise PassError(op, f"'{op.name}' op operand #0 must be {wanted}, but got '{op.operands[0].type}'")


_FLOAT_OPS = ("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fcmp", "intr.is.fpclass", "intr.sincos")
_ON_FLOATS = frozenset(f"llvm.{name}" for name in _FLOAT_OPS)


def _mark_sizes(function: llvm.LLVMFuncOp, profile: Profile) -> None:
    """Add an attribute with the total number of work items to a function with known sizes.

    Through LLVM 18 the sizes are in `gpu.known_block_size`, which becomes the target's required size. Source:
    the end of `runOnOperation` in mlir/lib/Conversion/GPUToROCDL/LowerGpuOpsToROCDLOps.cpp."""
    attributes = function.attributes
    size = attributes.get(_KNOWN_BLOCK if profile.known_sizes_prefix else REQUIRED_SIZE)
    if size is not None and is_i32_array(size):
        if profile.known_sizes_prefix:
            attributes[REQUIRED_SIZE] = attributes.pop(_KNOWN_BLOCK)
        total = prod(integers(size))
        attributes[FLAT_SIZE] = StringAttr(f"{total},{total}")


_KNOWN_BLOCK = "gpu.known_block_size"


_PATTERNS: Sequence[AnyPattern] = (
    *patterns(TARGET),
    *ids.PATTERNS,
    *sync.PATTERNS,
    *math.PATTERNS,
    *shared.HOST_PATTERNS,
    cf.ConvertAssert(),
)
