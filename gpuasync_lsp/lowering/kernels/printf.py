"""gpu.printf: a call of the device's vprintf with the values packed in a struct."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr, SymbolRefAttr, f64, i8, i32, i64
from xdsl.ir import Operation, Region, SSAValue

from gpuasync_lsp.lowering import llvm_ops as build
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.lowering.types import PTR, array, struct
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.assembly import UNIT
from gpuasync_lsp.syntax.dialects.llvm_attributes import LinkageAttr, LLVMFunctionType


class ConvertPrintf(ConversionPattern[gpu.PrintfOp]):
    """`gpu.printf` becomes `llvm.call @vprintf`; floats are passed as f64, as C does."""

    op_types = (gpu.PrintfOp,)

    def match_and_rewrite(self, op: gpu.PrintfOp, rewriter: ConversionRewriter) -> None:
        module = _module(op)
        _declare(op, module)
        text = _format_global(op, module)
        values = [_promoted(rewriter, value) for value in rewriter.lowered_all(op.args)]
        type = struct(value.type for value in values)
        memory = build.alloca(rewriter, build.index_constant(rewriter, 1), type)
        for number, value in enumerate(values):
            build.store(rewriter, value, build.element_pointer(rewriter, memory, type, [0, number]))
        symbol = llvm.AddressOfOp.create(result_types=[PTR], properties={"global_name": SymbolRefAttr(text)})
        address = rewriter.add(symbol).results[0]
        build.call(rewriter, "vprintf", [address, memory], [i32])
        rewriter.erase(op)


PATTERNS = (ConvertPrintf(),)


def _promoted(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    if value.type.name in ("f16", "bf16", "f32"):
        return build.cast(rewriter, llvm.FPExtOp, value, f64)
    return value


def _module(op: Operation) -> gpu.GPUModuleOp:
    top: Operation | None = op
    while not isinstance(top, gpu.GPUModuleOp):
        assert top is not None, "kernels stand in a gpu.module"
        top = top.parent_op()
    return top


def _declare(op: Operation, module: gpu.GPUModuleOp) -> None:
    for each in module.body_region.ops:
        symbol = each.get_attr_or_prop("sym_name")
        if isinstance(symbol, StringAttr) and symbol.data == "vprintf":
            return
    type = LLVMFunctionType([PTR, PTR], i32)
    properties = build.function_properties(StringAttr("vprintf"), type)
    _put_first(op, module, llvm.LLVMFuncOp.create(properties=properties, regions=[Region()]))


def _format_global(op: gpu.PrintfOp, module: gpu.GPUModuleOp) -> str:
    count = sum(1 for each in module.body_region.ops if each.name == "llvm.mlir.global")
    name = f"printfFormat_{count}"
    text = op.format.data + "\0"
    _put_first(
        op,
        module,
        llvm.GlobalOp.create(
            properties={
                "sym_name": StringAttr(name),
                "global_type": array(len(text.encode()), i8),
                "linkage": LinkageAttr("internal"),
                "value": StringAttr(text),
                "constant": UNIT,
                "addr_space": IntegerAttr(0, i32),
                "visibility_": IntegerAttr(0, i64),
            },
            regions=[Region()],
        ),
    )
    return name


def _put_first(op: Operation, module: gpu.GPUModuleOp, new: Operation) -> None:
    new.location = op.location
    block = module.body_region.blocks[0]
    first = block.first_op
    assert first is not None
    block.insert_op_before(new, first)
