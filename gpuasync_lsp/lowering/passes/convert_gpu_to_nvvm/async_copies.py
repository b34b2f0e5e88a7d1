"""Converts `nvgpu.device_async_*`, asynchronous copies into shared memory, to cp.async.

In mlir-opt this is a separate pass, convert-nvgpu-to-nvvm. Source: the output of that pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Attribute

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import pointer
from gpuasync_lsp.lowering.passes.kernels.nvvm_ops import insert
from gpuasync_lsp.syntax.dialects import llvm, nvgpu
from gpuasync_lsp.syntax.kinds import memref_type
from gpuasync_lsp.syntax.ods.by_table import TableOp

SIZES = (4, 8, 16)
"""The copy sizes, in bytes, that the hardware supports."""

_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


class ConvertCopy(ConversionPattern[TableOp], ops=(nvgpu.DeviceAsyncCopyOp,)):
    """`nvgpu.device_async_copy` becomes `nvvm.cp.async.shared.global`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        element = memref_type(op.dst.type).element_type
        bits = _BITS.get(element.name) or getattr(element, "bitwidth", 0)
        size, odd = divmod(bits * op.dst_elements.value.data, 8)
        if size not in SIZES or odd:
            rewriter.match_failure(f"the hardware copies 4, 8 or 16 bytes at once, not {size}")
        to = descriptors.access_address(rewriter, op.dst, op.dst_indices, flagged=False)
        source = descriptors.access_address(rewriter, op.src, op.src_indices, flagged=False)
        # mlir-opt casts a pointer even to its own type, which LLVM rejects.
        if source.type != pointer(1) or not rewriter.options.whole_kernels:
            source = build.cast(rewriter, llvm.AddrSpaceCastOp, source, pointer(1))
        operands = [to, source]
        if op.src_elements is not None:
            eighth, width = build.integer_constant(rewriter, 3), build.integer_constant(rewriter, bits)
            count = build.cast(rewriter, llvm.TruncOp, rewriter.lowered(op.src_elements), i32)
            whole_bits = build.multiply(rewriter, width, count)
            operands.append(rewriter.create(llvm.LShrOp, [whole_bits, eighth], i32))
        whole = op.bypass_l1 is not None and size == 16
        properties: dict[str, str | Attribute] = {
            "size": IntegerAttr(size, i32),
            "modifier": f"#nvvm<load_cache_modifier {'cg' if whole else 'ca'}>",
        }
        insert(rewriter, "cp.async.shared.global", operands, properties=properties)
        rewriter.replace(op, [build.integer_constant(rewriter, 0)])


class ConvertCreateGroup(ConversionPattern[TableOp], ops=(nvgpu.DeviceAsyncCreateGroupOp,)):
    """`nvgpu.device_async_create_group` becomes `nvvm.cp.async.commit.group`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        insert(rewriter, "cp.async.commit.group", [])
        rewriter.replace(op, [build.integer_constant(rewriter, 0)])


class ConvertWait(ConversionPattern[TableOp], ops=(nvgpu.DeviceAsyncWaitOp,)):
    """`nvgpu.device_async_wait` becomes `nvvm.cp.async.wait.group`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        groups = 0 if op.num_groups is None else op.num_groups.value.data
        insert(rewriter, "cp.async.wait.group", [], properties={"n": IntegerAttr(groups, i32)})
        rewriter.erase(op)


PATTERNS: Sequence[AnyPattern] = (ConvertCopy(), ConvertCreateGroup(), ConvertWait())
