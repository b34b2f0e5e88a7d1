"""`nvgpu.tma.*` and warpgroup descriptors: copies of tiles through tensor maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors, runtime
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, pointer
from gpuasync_lsp.lowering.passes.convert_nvgpu_to_nvvm.barriers import barrier_address, short
from gpuasync_lsp.lowering.passes.kernels.nvvm_ops import insert
from gpuasync_lsp.syntax.checks.nvgpu import TMA_RANK
from gpuasync_lsp.syntax.dialects import llvm, nvgpu
from gpuasync_lsp.syntax.kinds import memref_type
from gpuasync_lsp.syntax.ods.by_table import TableOp

_CLUSTER = 7
_ELEMENTS = {
    "ui8": 0, "ui16": 1, "ui32": 2, "i32": 3, "ui64": 4, "i64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9,
}  # fmt: skip
"""Maps element types to values of CUtensorMapDataType in cuda.h."""
_WORDS: Mapping[str, Sequence[str]] = {
    "interleave": ("none", "interleave_16b", "interleave_32b"),
    "swizzle": ("none", "swizzle_32b", "swizzle_64b", "swizzle_128b"),
    "l2promo": ("none", "l2promo_64b", "l2promo_128b", "l2promo_256b"),
    "oob": ("zero", "nan"),
}
"""Maps tensor map parameters, in the runtime's order, to their keywords; a keyword's index is its value."""
_ROW = 128
"""The bytes per row in the only swizzle that warpgroup descriptors support."""


class ConvertLoad(ConversionPattern[TableOp], ops=(nvgpu.TmaAsyncLoadOp,)):
    """`nvgpu.tma.async.load` becomes a bulk copy to shared memory or, since LLVM 22, cluster memory."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        target = _base(op.dst, rewriter)
        if rewriter.profile.nvvm_barriers_by_pointer:
            target = build.cast(rewriter, llvm.AddrSpaceCastOp, target, pointer(_CLUSTER))
        barrier = barrier_address(op, rewriter)
        at = [short(rewriter, each) for each in op.coordinates]
        optional = (op.multicast_mask, op.predicate)
        given = [None if each is None else rewriter.lowered(each) for each in optional]
        operands = [target, rewriter.lowered(op.tensor_map_descriptor), *at, barrier]
        operands += [each for each in given if each is not None]
        mask, predicate = (int(each is not None) for each in given)
        segments = (1, 1, len(at), 1, 0, mask, 0, predicate)
        insert(rewriter, "cp.async.bulk.tensor.shared.cluster.global", operands, segments=segments)
        rewriter.erase(op)


class ConvertStore(ConversionPattern[TableOp], ops=(nvgpu.TmaAsyncStoreOp,)):
    """`nvgpu.tma.async.store` becomes a bulk copy from shared memory."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        source = _base(op.src, rewriter)
        at = [short(rewriter, each) for each in op.coordinates]
        predicate = [] if op.predicate is None else [rewriter.lowered(op.predicate)]
        operands = [rewriter.lowered(op.tensor_map_descriptor), source, *at, *predicate]
        hint = [0] if rewriter.profile.nvvm_barriers_by_pointer else []
        segments = (1, 1, len(at), *hint, len(predicate))
        insert(rewriter, "cp.async.bulk.tensor.global.shared.cta", operands, segments=segments)
        rewriter.erase(op)


class ConvertPrefetch(ConversionPattern[TableOp], ops=(nvgpu.TmaPrefetchOp,)):
    """`nvgpu.tma.prefetch.descriptor` becomes a prefetch of the tensor map."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        predicate = [] if op.predicate is None else [op.predicate]
        operands = rewriter.lowered_all([op.tensor_map_descriptor, *predicate])
        if rewriter.profile.nvvm_barriers_by_pointer:
            insert(rewriter, "prefetch", operands, properties={"tensormap": "unit"})
        else:
            insert(rewriter, "prefetch.tensormap", operands)
        rewriter.erase(op)


class ConvertFence(ConversionPattern[TableOp], ops=(nvgpu.TmaFenceOp,)):
    """`nvgpu.tma.fence.descriptor` becomes `nvvm.fence.proxy.acquire`."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        size = build.integer_constant(rewriter, 128, i32)
        operands = [rewriter.lowered(op.tensor_map_descriptor), size]
        insert(rewriter, "fence.proxy.acquire", operands, properties={"scope": "#nvvm.mem_scope<sys>"})
        rewriter.erase(op)


class ConvertCreate(ConversionPattern[TableOp], ops=(nvgpu.TmaCreateDescriptorOp,)):
    """`nvgpu.tma.create.descriptor` becomes a runtime call."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        fields = cast(nvgpu.TensorMapDescriptorType, op.tensor_map.type).fields.data
        element = str(memref_type(fields["tensor"]).element_type)
        if element not in _ELEMENTS:
            rewriter.match_failure(f"the runtime has no tensor maps of {element}")
        tensor = rewriter.lowered(op.tensor)
        sizes = rewriter.lowered_all(op.box_dimensions)
        kind = _number(rewriter, _ELEMENTS[element])
        rank, memory = (build.extract_value(rewriter, tensor, each) for each in (0, 1))
        box = build.alloca(rewriter, _number(rewriter, TMA_RANK), i64)
        for position, size in enumerate(sizes):
            index = _number(rewriter, position)
            build.store(rewriter, size, build.element_pointer(rewriter, box, PTR, [index]))
        words = [_number(rewriter, words.index(_word(fields[name]))) for name, words in _WORDS.items()]
        call = runtime.call(rewriter, "mgpuTensorMapEncodeTiledMemref", rank, memory, kind, *words, box)
        rewriter.replace(op, call.results)


class ConvertDescriptor(ConversionPattern[TableOp], ops=(nvgpu.WarpgroupGenerateDescriptorOp,)):
    """`nvgpu.warpgroup.generate.descriptor` becomes the descriptor's bits as an integer."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        rows = memref_type(op.tensor.type).get_shape()[0]
        stride = _wide(rewriter, (_ROW << 3) >> 4)
        leading = _wide(rewriter, (rows * _ROW) >> 4)
        address = build.cast(rewriter, llvm.PtrToIntOp, _base(op.tensor, rewriter), i64)
        high = build.arithmetic(rewriter, llvm.ShlOp, address, _wide(rewriter, 46))
        start = rewriter.create(llvm.LShrOp, [high, _wide(rewriter, 50)], i64)
        result = _wide(rewriter, 0)
        for value, position in ((1, 62), (0, 49), (stride, 32), (leading, 16), (start, 0)):
            part = _wide(rewriter, value) if isinstance(value, int) else value
            shifted = build.arithmetic(rewriter, llvm.ShlOp, part, _wide(rewriter, position))
            result = rewriter.create(llvm.OrOp, [result, shifted], i64)
        rewriter.replace(op, [result])


def _base(memory: SSAValue, rewriter: ConversionRewriter) -> SSAValue:
    """Emit the address of a memref's element with all indices 0."""
    return descriptors.element_address(rewriter, memref_type(memory.type), rewriter.lowered(memory), [])


def _word(parameter: Attribute) -> str:
    # The parser parses `none` as the none type.
    return parameter.data if isinstance(parameter, StringAttr) else str(parameter)


def _number(rewriter: ConversionRewriter, value: int) -> SSAValue:
    return build.constant(rewriter, IntegerAttr(value, i32), cast(Attribute, i64))


def _wide(rewriter: ConversionRewriter, value: int) -> SSAValue:
    return build.integer_constant(rewriter, value, i64)


PATTERNS: Sequence[AnyPattern] = (
    ConvertLoad(),
    ConvertStore(),
    ConvertPrefetch(),
    ConvertFence(),
    ConvertCreate(),
    ConvertDescriptor(),
)
