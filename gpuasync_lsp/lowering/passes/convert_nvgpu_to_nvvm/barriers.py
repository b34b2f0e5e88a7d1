"""`nvgpu.mbarrier.*`: barriers become globals in shared memory, and ops use the address of a barrier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnrealizedConversionCastOp,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.convert_nvgpu_to_nvvm.types import barrier_memory
from gpuasync_lsp.lowering.passes.kernels.nvvm_ops import insert
from gpuasync_lsp.syntax.dialects import gpu, llvm, memref, nvgpu
from gpuasync_lsp.syntax.ods.by_table import TableOp


class ConvertCreate(ConversionPattern[TableOp], ops=(nvgpu.MBarrierCreateOp,)):
    """`nvgpu.mbarrier.create` becomes a global at the start of the module."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        type = barrier_memory(cast(nvgpu.MBarrierGroupType, op.barriers.type))
        name = _add_global(op, type, rewriter)
        value = rewriter.create(memref.GetGlobalOp, [], type, {"name": SymbolRefAttr(name)})
        if op.barriers.uses.get_length():
            converted = rewriter.converted(op.barriers.type)
            value = rewriter.create(UnrealizedConversionCastOp, [value], converted)
        rewriter.replace(op, [value])


def _add_global(op: Operation, type: Attribute, rewriter: ConversionRewriter) -> str:
    module = op.parent_op()
    while module is not None and not isinstance(module, ModuleOp | gpu.GPUModuleOp):
        module = module.parent_op()
    assert module is not None, "functions are in modules"
    body = module.regions[0].block
    name = "__mbarrier"
    number = 0
    while not rewriter.claim_symbol(module, name):
        name, number = f"__mbarrier_{number}", number + 1
    barriers = memref.GlobalOp.create(
        properties={
            "sym_name": StringAttr(name),
            "sym_visibility": StringAttr("private"),
            "type": type,
            "alignment": IntegerAttr(8, 64),
        }
    )
    with rewriter.at_start(body):
        rewriter.add(barriers)
    return name


def barrier_address(op: TableOp, rewriter: ConversionRewriter) -> SSAValue:
    """Emit the address of the barrier that an op's operands `barriers` and `mbar_id` select."""
    group, index = rewriter.lowered_all((op.barriers, op.mbar_id))
    base = descriptors.aligned_pointer(rewriter, group)
    return build.element_pointer(rewriter, base, i64, [index])


def short(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    """Truncate an index to i32."""
    return build.cast(rewriter, llvm.TruncOp, rewriter.lowered(value), i32)


class ConvertOnBarrier(ConversionPattern[TableOp], ops=nvgpu.MBARRIER_OPS):
    """An op on a barrier becomes its nvvm op; through LLVM 21, nvvm has separate ops for shared memory."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        operands = [barrier_address(op, rewriter)]
        kind = type(op)
        results = [i1 if kind is nvgpu.MBarrierTestWaitOp else i64 for _ in op.results]
        if kind in (nvgpu.MBarrierInitOp, nvgpu.MBarrierArriveNoCompleteOp):
            operands.append(short(rewriter, op.count))
        elif kind is nvgpu.MBarrierArriveExpectTxOp:
            operands.append(short(rewriter, op.txcount))
            if rewriter.profile.expecting_returns_state and op.predicate is None:
                results = [i64]
        elif kind is nvgpu.MBarrierTestWaitOp:
            operands.append(rewriter.lowered(op.token))
        elif kind is nvgpu.MBarrierTryWaitParityOp:
            ticks = short(rewriter, op.ticks)
            parity = build.cast(rewriter, llvm.ZExtOp, rewriter.lowered(op.phase_parity), i32)
            operands += [parity, ticks]
        predicate = getattr(op, "predicate", None)
        if predicate is not None:
            operands.append(rewriter.lowered(predicate))
        suffix = "" if rewriter.profile.nvvm_barriers_by_pointer else ".shared"
        name = f"{op.name.removeprefix('nvgpu.')}{suffix}"
        new = insert(rewriter, name, operands, results)
        rewriter.replace(op, new.results[: len(op.results)])


class ConvertGet(ConversionPattern[TableOp], ops=(nvgpu.MBarrierGetOp,)):
    """`nvgpu.mbarrier.get` becomes the address of the barrier as an integer."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        address = barrier_address(op, rewriter)
        type = rewriter.converted(op.mbarrier_pointer.type)
        rewriter.replace(op, [build.cast(rewriter, llvm.PtrToIntOp, address, type)])


PATTERNS: Sequence[AnyPattern] = (ConvertCreate(), ConvertOnBarrier(), ConvertGet())
