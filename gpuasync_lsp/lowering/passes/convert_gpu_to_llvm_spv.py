"""`convert-gpu-to-llvm-spv`: lowers gpu ops in kernels for LLVM's SPIR-V backend.

Sources: mlir/lib/Conversion/GPUToLLVMSPV/GPUToLLVMSPV.cpp, and the output of mlir-opt 22 and 23.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i1, i8, i16, i32
from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.driver import Leftover, convert, never
from gpuasync_lsp.lowering.conversion.folders.constants import constant_int
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern, Patterns
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import TypeConverter, pointer
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.passes.kernels import opencl, symbols
from gpuasync_lsp.lowering.passes.kernels.functions import Target, patterns
from gpuasync_lsp.lowering.passes.kernels.spaces import number_address_spaces
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType
from gpuasync_lsp.syntax.ods.by_table import TableOp

SPACES = {"global": 1, "workgroup": 3, "private": 0, "constant": 2}
"""Maps address spaces to OpenCL's numbers; a memref without an address space is in global memory."""

TARGET = Target(
    "",
    {"known_block_size": "reqd_work_group_size"},
    conventions=("spir_funccc", "spir_kernelcc"),
    passes_shared=True,
)


def convert_gpu_to_llvm_spv(root: Operation, profile: Profile, options: LoweringOptions) -> list[Leftover]:
    """Lower the gpu ops in `root` in place. Raises LegalizationError for an illegal op without a pattern."""
    number_address_spaces(root, {}, default=SPACES["global"])
    types = TypeConverter(index_bits=options.index_bits, spaces=SPACES)
    rewriter = ConversionRewriter(types, profile, options)
    return convert(rewriter, root, _PATTERNS, dict.fromkeys(_ILLEGAL, never))


class ConvertDimension(ConversionPattern[TableOp]):
    """An id or size in one dimension becomes a call with the dimension's number."""

    def __init__(self, kind: type[Operation], function: str) -> None:
        self.op_types = (kind,)  # type: ignore[assignment]
        self.function = function

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        index = rewriter.types.index
        axis = build.integer_constant(rewriter, "xyz".index(op.dimension.data.value), i32)
        call, _ = opencl.call(rewriter, op, self.function, "j", [axis], index, memory="none")
        rewriter.replace(op, call.results)


class ConvertSubgroup(ConversionPattern[Operation]):
    """A subgroup id or size becomes a call without arguments that returns an i32."""

    def __init__(self, kind: type[Operation], function: str) -> None:
        self.op_types = (kind,)
        self.function = function

    def match_and_rewrite(self, op: Operation, rewriter: ConversionRewriter) -> None:
        index = rewriter.types.index
        found = opencl.call(rewriter, op, self.function, "", [], i32)[0].results[0]
        rewriter.replace(op, [found if index == i32 else build.cast(rewriter, llvm.ZExtOp, found, index)])


class ConvertBarrier(ConversionPattern[gpu.BarrierOp]):
    """`gpu.barrier` becomes a call to OpenCL's barrier with the memory to order: 1 local, 2 global."""

    def match_and_rewrite(self, op: gpu.BarrierOp, rewriter: ConversionRewriter) -> None:
        if op.named_barrier is not None or (op.scope is not None and op.scope.data != "workgroup"):
            rewriter.match_failure("OpenCL has only barriers of workgroups")
        spaces = ("global", "workgroup")
        if op.address_spaces is not None:
            given = [space for space in op.address_spaces if isinstance(space, gpu.AddressSpaceAttr)]
            spaces = tuple(space.data.value for space in given)
        flags = sum({"workgroup": 1, "global": 2}.get(space, 0) for space in set(spaces))
        flag = build.integer_constant(rewriter, flags, i32)
        opencl.call(rewriter, op, "barrier", "j", [flag], None, convergent=True)
        rewriter.erase(op)


class ConvertShuffle(ConversionPattern[TableOp], ops=(gpu.ShuffleOp,)):
    """`gpu.shuffle` becomes a call to OpenCL's shuffle for its mode and type; the second result is true."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        self._check_width(op, rewriter)
        value, offset, _ = rewriter.lowered_all((op.value, op.offset, op.width))
        type = value.type
        if type.name == "bf16":
            value = build.cast(rewriter, llvm.BitcastOp, value, i16)
        elif type == i1:
            value = build.cast(rewriter, llvm.ZExtOp, value, i8)
        mangled = opencl.mangled(value.type)
        if mangled is None:
            rewriter.match_failure(f"OpenCL cannot shuffle {type}")
        mode = op.mode.data.value
        name = "sub_group_shuffle" + ("" if mode == "idx" else f"_{mode}")
        given = [value, offset]
        call, _ = opencl.call(rewriter, op, name, f"{mangled}j", given, value.type, convergent=True)
        found = call.results[0]
        if type.name == "bf16":
            found = build.cast(rewriter, llvm.BitcastOp, found, type)
        elif type == i1:
            found = build.cast(rewriter, llvm.TruncOp, found, type)
        rewriter.replace(op, [found, build.constant(rewriter, IntegerAttr(1, i1), i1)])

    def _check_width(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        """Fail unless the shuffle's width is the subgroup size, which must be known through LLVM 22."""
        parent: Operation | None = op
        while parent is not None and not isinstance(parent, (gpu.GPUFuncOp, llvm.LLVMFuncOp)):
            parent = parent.parent_op()
        size = None if parent is None else parent.get_attr_or_prop("intel_reqd_sub_group_size")
        if size is None and not rewriter.profile.spirv_shuffles_without_size:
            rewriter.match_failure("this release requires a known subgroup size")
        width = constant_int(op.width)
        if isinstance(size, IntegerAttr) and size.value.data != width:
            rewriter.match_failure("its width is not the subgroup size")


class ConvertPrintf(ConversionPattern[gpu.PrintfOp]):
    """`gpu.printf` becomes a call to OpenCL's printf with the format in constant memory."""

    def match_and_rewrite(self, op: gpu.PrintfOp, rewriter: ConversionRewriter) -> None:
        space = SPACES["constant"]
        name, type = "_Z6printfPU3AS2Kcz", LLVMFunctionType([pointer(space)], i32, is_variadic=True)
        symbols.declare(op, name, type, properties={"CConv": opencl.FUNCTION})
        address = symbols.text_address(rewriter, op, "printfFormat_", op.format.data, space)
        call = build.call(rewriter, name, [address, *rewriter.lowered_all(op.args)], [i32])
        call.properties["var_callee_type"] = type
        call.properties["CConv"] = opencl.FUNCTION
        rewriter.erase(op)


_DIMENSIONS = {
    gpu.BlockIdOp: "get_group_id",
    gpu.GridDimOp: "get_num_groups",
    gpu.BlockDimOp: "get_local_size",
    gpu.ThreadIdOp: "get_local_id",
    gpu.GlobalIdOp: "get_global_id",
}
_SUBGROUPS = {
    gpu.LaneIdOp: "get_sub_group_local_id",
    gpu.SubgroupIdOp: "get_sub_group_id",
    gpu.NumSubgroupsOp: "get_num_sub_groups",
    gpu.SubgroupSizeOp: "get_sub_group_size",
}
"""Maps ops that read subgroup ids and sizes to OpenCL's functions."""

_ILLEGAL = (
    *(*_DIMENSIONS, *_SUBGROUPS, gpu.BarrierOp, gpu.ShuffleOp, gpu.PrintfOp, gpu.GPUFuncOp, gpu.ReturnOp),
)
_PATTERNS = Patterns(
    (
        *patterns(TARGET)[:2],
        *(ConvertDimension(kind, name) for kind, name in _DIMENSIONS.items()),
        *(ConvertSubgroup(kind, name) for kind, name in _SUBGROUPS.items()),
        ConvertBarrier(),
        ConvertShuffle(),
        ConvertPrintf(),
    )
)
