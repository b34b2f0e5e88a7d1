"""gpu.alloc and gpu.dealloc become mgpuMemAlloc and mgpuMemFree."""

from __future__ import annotations

from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from gpuasync_lsp.lowering.conversion import descriptors, runtime
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import pointer
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu import requirements
from gpuasync_lsp.syntax.dialects.gpu import AllocOp, DeallocOp
from gpuasync_lsp.syntax.memref_types import AnyMemRef, memory_space


class Alloc(ConversionPattern[AllocOp]):
    """Allocates device or host-shared memory; the token becomes the dependency's stream, or null."""

    def match_and_rewrite(self, op: AllocOp, rewriter: ConversionRewriter) -> None:
        type = op.memref.type
        given_stream = requirements.stream_of(op, rewriter)
        descriptor_type = rewriter.converted(type)

        dynamic_sizes = rewriter.lowered_all(op.dynamic_sizes)
        sizes, strides, count = descriptors.sizes_and_strides(rewriter, type, dynamic_sizes)
        size = build.size_in_bytes(rewriter, rewriter.converted(type.element_type), count)
        if rewriter.profile.alloc_host_shared_argument:
            null = build.zero(rewriter)
            stream = null if given_stream is None else given_stream
            shared = build.integer_constant(rewriter, int(op.host_shared is not None), i8)
            memory = runtime.call_value(rewriter, "mgpuMemAlloc", size, stream, shared)
        else:
            assert given_stream is not None, "host_shared is rejected in these releases"
            stream = given_stream
            memory = runtime.call_value(rewriter, "mgpuMemAlloc", size, stream)
        memory = _in_space(memory, type, rewriter)
        descriptor = descriptors.new_descriptor(rewriter, descriptor_type, memory, memory, sizes, strides)
        rewriter.replace(op, [descriptor] if op.async_token is None else [descriptor, stream])


class Dealloc(ConversionPattern[DeallocOp]):
    """Frees the allocated pointer with mgpuMemFree; the token becomes the dependency's stream, or null."""

    def match_and_rewrite(self, op: DeallocOp, rewriter: ConversionRewriter) -> None:
        stream = requirements.stream_of(op, rewriter)
        memory = descriptors.freed_pointer(rewriter, rewriter.lowered(op.memref))
        if not rewriter.profile.alloc_needs_one_dependency:
            null = build.zero(rewriter)  # Always inserted; used if there is no dependency.
            stream = null if stream is None else stream
        assert stream is not None, "the preconditions demand a dependency"
        runtime.call(rewriter, "mgpuMemFree", memory, stream)
        rewriter.replace(op, [] if op.async_token is None else [stream])


def _in_space(memory: SSAValue, type: AnyMemRef, rewriter: ConversionRewriter) -> SSAValue:
    """Cast a new pointer to its memref's memory space, in releases that cast it."""
    if rewriter.profile.alloc_in_any_space:
        return requirements.in_space(rewriter, memory, pointer(memory_space(type) or 0))
    return memory
