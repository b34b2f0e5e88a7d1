"""gpu.launch_func: its operands become LLVM values, its token becomes a stream.

Since LLVM 19, and in LLVM 18 if the module has targets, the op remains, as `gpu.launch_func <%stream :
...>`; the translation to LLVM IR expands it. `launch_kernel.py` converts other launches.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion import runtime
from gpuasync_lsp.lowering.conversion.arguments import promote
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu.requirements import stream_of
from gpuasync_lsp.lowering.passes.gpu_to_llvm.gpu.wait import event_of, wait_for_events
from gpuasync_lsp.syntax.dialects.gpu import LaunchFuncOp
from gpuasync_lsp.syntax.kinds import is_memref
from gpuasync_lsp.syntax.memref_types import dynamic


class LegalizeLaunchFunc(ConversionPattern[LaunchFuncOp]):
    """Converts the operands of a launch, and replaces its dependencies with the stream of the launch.

    A launch that needs conversion loses its explicit stream."""

    def match_and_rewrite(self, op: LaunchFuncOp, rewriter: ConversionRewriter) -> None:
        stream = launch_stream(op, rewriter)
        arguments = kernel_arguments(op, rewriter)

        dimensions = [
            [op.grid_size_x], [op.grid_size_y], [op.grid_size_z],
            [op.block_size_x], [op.block_size_y], [op.block_size_z],
            _given(op.cluster_size_x), _given(op.cluster_size_y), _given(op.cluster_size_z),
            _given(op.dynamic_shared_memory_size),
        ]  # fmt: skip
        groups: list[Sequence[SSAValue]] = [[], *map(rewriter.lowered_all, dimensions), arguments]
        groups.append([] if stream is None else [stream])
        properties = op.properties | {"operandSegmentSizes": build.i32_array(tuple(map(len, groups)))}
        rewriter.add(
            LaunchFuncOp.create(
                operands=[value for group in groups for value in group], properties=properties
            )
        )
        if op.async_token is None:
            rewriter.erase(op)
        else:
            assert stream is not None
            rewriter.replace(op, [stream])


def launch_stream(op: LaunchFuncOp, rewriter: ConversionRewriter) -> SSAValue | None:
    """Check the preconditions of a launch; return its stream, or None if it is synchronous.

    Since LLVM 23 (PR 188987), the other dependencies are joined into the first one's stream with events."""
    stream = stream_of(op, rewriter)
    if op.async_token is None:
        return None
    if stream is None:
        return runtime.call_value(rewriter, runtime.STREAM_CREATE)
    wait_for_events(rewriter, stream, [event_of(rewriter, token) for token in op.async_dependencies[1:]])
    return stream


def kernel_arguments(op: LaunchFuncOp, rewriter: ConversionRewriter) -> list[SSAValue]:
    """Return the lowered kernel operands: unpacked descriptors or bare pointers.

    With the option `intersperse-sizes-for-kernels`, each operand is followed by its size."""
    operands = op.kernel_operands
    lowered = rewriter.lowered_all(operands)
    bare = rewriter.types.bare_pointers or rewriter.options.use_bare_pointers_for_kernels
    arguments = promote(rewriter, operands, lowered, bare)
    if not (rewriter.options.intersperse_sizes_for_kernels and rewriter.profile.intersperse_sizes):
        return arguments
    if len(arguments) != len(operands):
        rewriter.match_failure("Cannot add sizes to arguments with one-to-many LLVM IR expansion.")
    with_sizes: list[SSAValue] = []
    for argument, operand in zip(arguments, operands, strict=True):
        size = build.index_constant(rewriter, _static_bytes(operand.type, rewriter))
        with_sizes += [argument, size]
    return with_sizes


def is_legal(op: Operation, rewriter: ConversionRewriter) -> bool:
    """Return whether the op is legal: all operands and results have LLVM types."""
    types = rewriter.types
    return all(types.is_legal(type) for type in (*op.operand_types, *op.result_types))


def _given(value: SSAValue | None) -> list[SSAValue]:
    return [] if value is None else [value]


def _static_bytes(type: Attribute, rewriter: ConversionRewriter) -> int:
    if not is_memref(type):
        rewriter.match_failure("Operand to launch op is not a memref.")
    memref = type
    element = memref.element_type
    shape = memref.get_shape()
    if any(map(dynamic, shape)) or not isinstance(element, FixedBitwidthType):
        rewriter.match_failure(
            "Operand to launch op is not a memref with a static shape and an integer or float element type."
        )
    if element.bitwidth % 8:
        rewriter.match_failure("Operand to launch op is not a memref with a byte-aligned element type.")
    count = element.bitwidth // 8
    for size in shape:
        count *= size
    return count
