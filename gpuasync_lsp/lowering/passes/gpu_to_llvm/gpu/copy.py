"""gpu.memcpy and gpu.memset become asynchronous copies and fills on the stream of their dependency."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType

from gpuasync_lsp.lowering.conversion import descriptors, runtime
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu import requirements
from gpuasync_lsp.preconditions import bit_width
from gpuasync_lsp.syntax.dialects import llvm
from gpuasync_lsp.syntax.dialects.gpu import MemcpyOp, MemsetOp
from gpuasync_lsp.syntax.kinds import memref_type


class Memcpy(ConversionPattern[MemcpyOp]):
    """`gpu.memcpy` becomes `mgpuMemcpy(dst, src, bytes, stream)`.

    Only the source's layout is checked. The aligned pointers are passed unchanged: the destination's
    offset and strides are ignored."""

    def match_and_rewrite(self, op: MemcpyOp, rewriter: ConversionRewriter) -> None:
        type = memref_type(op.src.type)
        stream = requirements.required_stream(op, rewriter)
        source = rewriter.lowered(op.src)
        destination = rewriter.lowered(op.dst)

        count = descriptors.element_count(rewriter, type, source)
        pointer_type = build.element_at(source.type, [descriptors.ALIGNED])
        assert pointer_type is not None, "a descriptor has an aligned pointer"
        element = rewriter.converted(type.element_type)
        size = build.size_in_bytes(rewriter, element, count, pointer_type)
        src = requirements.generic_pointer(rewriter, descriptors.aligned_pointer(rewriter, source))
        dst = requirements.generic_pointer(rewriter, descriptors.aligned_pointer(rewriter, destination))
        runtime.call(rewriter, "mgpuMemcpy", dst, src, size, stream)
        rewriter.replace(op, [stream])


class Memset(ConversionPattern[MemsetOp]):
    """`gpu.memset` becomes `mgpuMemset32(dst, bits of value, count, stream)` or mgpuMemset16."""

    def match_and_rewrite(self, op: MemsetOp, rewriter: ConversionRewriter) -> None:
        type = memref_type(op.dst.type)
        stream = requirements.required_stream(op, rewriter)
        destination = rewriter.lowered(op.dst)
        value = rewriter.lowered(op.value)
        bits = bit_width(value.type)
        assert bits is not None, "the preconditions demand a number"

        count = descriptors.element_count(rewriter, type, destination)
        pattern = build.cast(rewriter, llvm.BitcastOp, value, IntegerType(bits))
        dst = requirements.generic_pointer(rewriter, descriptors.aligned_pointer(rewriter, destination))
        runtime.call(rewriter, f"mgpuMemset{bits}", dst, pattern, count, stream)
        rewriter.replace(op, [stream])
