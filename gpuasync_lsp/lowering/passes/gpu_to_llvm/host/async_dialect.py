"""Converts the types of async.execute, async.await and async.yield; gpu tokens become events."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Operation, Region, SSAValue

from gpuasync_lsp.lowering.conversion import runtime
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects.async_dialect import AwaitOp, ExecuteOp, YieldOp
from gpuasync_lsp.syntax.dialects.gpu import AsyncTokenType


class ConvertExecute(ConversionPattern[ExecuteOp]):
    """Converts operands, results and body arguments of async.execute."""

    def match_and_rewrite(self, op: ExecuteOp, rewriter: ConversionRewriter) -> None:
        operands = rewriter.lowered_all(op.operands)
        types = [rewriter.converted(result.type) for result in op.results]
        region = Region()
        counts = [len(op.dependencies), len(op.body_operands)]
        new = rewriter.add(
            ExecuteOp.create(
                operands=operands,
                result_types=types,
                properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, counts)},
                attributes=op.attributes,
                regions=[region],
            )
        )
        op.body_region.move_blocks(region)
        for block in region.blocks:
            rewriter.convert_arguments(block)
        rewriter.replace(op, new.results)


class ConvertAwait(ConversionPattern[AwaitOp]):
    """Converts the operand and result of async.await."""

    def match_and_rewrite(self, op: AwaitOp, rewriter: ConversionRewriter) -> None:
        operand = rewriter.lowered(op.operand)
        types = [rewriter.converted(result.type) for result in op.results]
        rewriter.replace(op, rewriter.add(AwaitOp.create(operands=[operand], result_types=types)).results)


class YieldEvents(ConversionPattern[YieldOp]):
    """Yields a gpu token as an event recorded on its stream, and destroys the stream.

    LLVM 18 to 22 prefer `YieldTypes` if the NVVM dialect is loaded (issue 170833, fixed by PR 190717)."""

    def match_and_rewrite(self, op: YieldOp, rewriter: ConversionRewriter) -> None:
        if rewriter.profile.yield_keeps_stream_with_nvvm and rewriter.options.nvvm_loaded:
            rewriter.match_failure("the structural pattern comes first")
        operands = rewriter.lowered_all(op.arguments)
        streams: dict[SSAValue, None] = {}
        for position, token in enumerate(op.arguments):
            if not isinstance(token.type, AsyncTokenType):
                continue
            stream = operands[position]
            event = runtime.call_value(rewriter, "mgpuEventCreate")
            runtime.call(rewriter, "mgpuEventRecord", event, stream)
            operands[position] = event
            streams[stream] = None
        for stream in streams:
            runtime.call(rewriter, "mgpuStreamDestroy", stream)
        rewriter.add(YieldOp.create(operands=operands, attributes=op.attributes))
        rewriter.erase(op)


class YieldTypes(ConversionPattern[YieldOp]):
    """Converts the operands of async.yield: a gpu token is yielded as a stream."""

    def match_and_rewrite(self, op: YieldOp, rewriter: ConversionRewriter) -> None:
        rewriter.add(YieldOp.create(operands=rewriter.lowered_all(op.arguments), attributes=op.attributes))
        rewriter.erase(op)


def is_legal(op: Operation, rewriter: ConversionRewriter) -> bool:
    """Return whether all operand and result types of the op are legal."""
    return all(rewriter.types.is_legal(type) for type in (*op.operand_types, *op.result_types))
