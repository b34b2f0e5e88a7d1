"""gpu.host_register, gpu.host_unregister and gpu.set_default_device become one runtime call each."""

from __future__ import annotations

from typing import cast

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion import runtime
from gpuasync_lsp.lowering.conversion.arguments import promote
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects.gpu import HostRegisterOp, HostUnregisterOp, SetDefaultDeviceOp
from gpuasync_lsp.syntax.memref_types import AnyUnranked
from gpuasync_lsp.syntax.ods.by_table import TableOp


class HostRegister(ConversionPattern[TableOp], ops=(HostRegisterOp,)):
    """`gpu.host_register` becomes `mgpuMemHostRegisterMemRef(rank, descriptor, element size)`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        _call_with_memref(op, "mgpuMemHostRegisterMemRef", rewriter)


class HostUnregister(ConversionPattern[TableOp], ops=(HostUnregisterOp,)):
    """`gpu.host_unregister` becomes `mgpuMemHostUnregisterMemRef(rank, descriptor, element size)`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        _call_with_memref(op, "mgpuMemHostUnregisterMemRef", rewriter)


class SetDefaultDevice(ConversionPattern[TableOp], ops=(SetDefaultDeviceOp,)):
    """`gpu.set_default_device` becomes `mgpuSetDefaultDevice(index)`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        runtime.call(rewriter, "mgpuSetDefaultDevice", rewriter.lowered(op.dev_index))
        rewriter.erase(op)


def _call_with_memref(op: TableOp, function: str, rewriter: ConversionRewriter) -> None:
    memref = rewriter.lowered(op.value)
    element = rewriter.converted(cast(AnyUnranked, op.value.type).element_type)
    size = build.size_of(rewriter, element)
    # With bare pointers the descriptor is one operand, which the verifier then rejects.
    bare = rewriter.types.bare_pointers
    arguments = [memref] if bare else promote(rewriter, [op.value], [memref], bare_pointers=False)
    runtime.call(rewriter, function, *arguments, size)
    rewriter.erase(op)
