"""Converts barriers and shuffles."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnitAttr, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import struct
from gpuasync_lsp.lowering.passes.convert_gpu_to_nvvm.ids import WARP
from gpuasync_lsp.lowering.passes.kernels import symbols
from gpuasync_lsp.lowering.passes.kernels.nvvm_ops import insert
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.ods.by_table import TableOp

_BARRIER = "__named_barrier_id"
_MOST_BARRIERS = 15
"""The maximum number of named barriers per block of threads."""
_KINDS = {"xor": "bfly", "up": "up", "down": "down", "idx": "idx"}


class ConvertBarrier(ConversionPattern[gpu.BarrierOp]):
    """`gpu.barrier` becomes `nvvm.barrier0` or `nvvm.barrier`; with subgroup scope, a warp barrier."""

    def match_and_rewrite(self, op: gpu.BarrierOp, rewriter: ConversionRewriter) -> None:
        scope = "workgroup" if op.scope is None else op.scope.data
        if scope == "cluster":
            rewriter.match_failure("barriers of clusters are not lowered")
        if op.named_barrier is not None:
            barrier = rewriter.lowered(op.named_barrier)
            number, threads = (build.extract_value(rewriter, barrier, at) for at in range(2))
            insert(rewriter, "barrier", [number, threads], segments=(1, 1))
        elif scope == "subgroup":
            insert(rewriter, "bar.warp.sync", [build.integer_constant(rewriter, -1)])
        elif rewriter.profile.fences_barriers:
            insert(rewriter, "barrier", [], segments=(0, 0))
        else:
            insert(rewriter, "barrier0", [])
        rewriter.erase(op)


class ConvertNamedBarrier(ConversionPattern[gpu.InitializeNamedBarrierOp]):
    """`gpu.initialize_named_barrier` becomes the barrier's number, read from a global, and a thread count."""

    def match_and_rewrite(self, op: gpu.InitializeNamedBarrierOp, rewriter: ConversionRewriter) -> None:
        count = symbols.count(op, _BARRIER)
        if count >= _MOST_BARRIERS:
            rewriter.match_failure(f"NVVM supports at most {_MOST_BARRIERS} named barriers per CTA")
        warps = rewriter.lowered(op.member_count)
        number = build.load(rewriter, symbols.number_address(rewriter, op, _BARRIER, count + 1), i32)
        threads = build.multiply(rewriter, warps, build.integer_constant(rewriter, WARP))
        empty = build.undefined(rewriter, rewriter.converted(op.result.type))
        barrier = build.insert_value(rewriter, number, empty, 0)
        rewriter.replace(op, [build.insert_value(rewriter, threads, barrier, 1)])


class ConvertShuffle(ConversionPattern[TableOp], ops=(gpu.ShuffleOp,)):
    """`gpu.shuffle` becomes `nvvm.shfl.sync`; narrow values are widened, wide ones split into two words."""

    def match_and_rewrite(self, op: TableOp, rewriter: ConversionRewriter) -> None:
        value, offset, width = rewriter.lowered_all((op.value, op.offset, op.width))
        members, clamp = _mask_and_clamp(rewriter, width, op.mode.data.value)
        words, rebuild = as_words(rewriter, value)
        valid: SSAValue | None = None
        shuffled: list[SSAValue] = []
        for word in words:
            result, valid = _shuffle(rewriter, op, word, members, offset, clamp)
            shuffled.append(result)
        assert valid is not None
        rewriter.replace(op, [rebuild(shuffled), valid])


PATTERNS = (ConvertBarrier(), ConvertNamedBarrier(), ConvertShuffle())


def _mask_and_clamp(rewriter: ConversionRewriter, width: SSAValue, mode: str) -> tuple[SSAValue, SSAValue]:
    one, all_lanes, lanes = (build.integer_constant(rewriter, value) for value in (1, -1, 32))
    rest = build.arithmetic(rewriter, llvm.SubOp, lanes, width)
    members = rewriter.create(llvm.LShrOp, [all_lanes, rest], i32)
    if mode == "up":
        return members, rest
    return members, build.arithmetic(rewriter, llvm.SubOp, width, one)


def _shuffle(
    rewriter: ConversionRewriter,
    op: TableOp,
    value: SSAValue,
    members: SSAValue,
    offset: SSAValue,
    clamp: SSAValue,
) -> tuple[SSAValue, SSAValue]:
    wants_valid = bool(op.valid.first_use) or not rewriter.profile.shuffles_ask_when_used
    properties: dict[str, str | Attribute] = {"kind": f"#nvvm<shfl_kind {_KINDS[op.mode.data.value]}>"}
    type = value.type
    if wants_valid:
        properties["return_value_and_is_valid"] = UnitAttr()
        type = struct((value.type, i1))
    new = insert(rewriter, "shfl.sync", [members, value, offset, clamp], [type], properties)
    result = new.results[0]
    if not wants_valid:
        return result, result  # The second result is unused.
    return build.extract_value(rewriter, result, 0), build.extract_value(rewriter, result, 1)


class _Words:
    """Reassembles a value of the original type from its words."""

    def __init__(self, rewriter: ConversionRewriter, type: Attribute) -> None:
        self._rewriter = rewriter
        self._type = type

    def __call__(self, words: list[SSAValue]) -> SSAValue:
        rewriter, type = self._rewriter, self._type
        width = _width(type)
        if type == words[0].type:
            return words[0]
        if width == 32:
            return build.cast(rewriter, llvm.BitcastOp, words[0], type)
        if width == 64:
            low, high = (build.cast(rewriter, llvm.ZExtOp, word, i64) for word in words)
            upper = rewriter.create(
                llvm.ShlOp, [high, build.constant(rewriter, IntegerAttr(32, i64), i64)], i64
            )
            whole = rewriter.create(llvm.OrOp, [upper, low], i64)
            return whole if type == i64 else build.cast(rewriter, llvm.BitcastOp, whole, type)
        narrow = build.cast(rewriter, llvm.TruncOp, words[0], IntegerType(width))
        return narrow if narrow.type == type else build.cast(rewriter, llvm.BitcastOp, narrow, type)


def as_words(
    rewriter: ConversionRewriter, value: SSAValue, keep_f32: bool = True
) -> tuple[list[SSAValue], _Words]:
    """Split a value into 32-bit words; return them, and a function that reassembles the value.

    The words are i32 or, with `keep_f32`, f32."""
    type = value.type
    rebuild = _Words(rewriter, type)
    if type == i32 or (type.name == "f32" and keep_f32):
        return [value], rebuild
    width = _width(type)
    if type.name == "f32":
        return [build.cast(rewriter, llvm.BitcastOp, value, i32)], rebuild
    if width not in (1, 8, 16, 64):
        rewriter.match_failure(f"cannot shuffle a value of type {type}")
    bits = IntegerType(width)
    whole = value if type == bits else build.cast(rewriter, llvm.BitcastOp, value, bits)
    if width < 64:
        return [build.cast(rewriter, llvm.ZExtOp, whole, i32)], rebuild
    low = build.cast(rewriter, llvm.TruncOp, whole, i32)
    thirty_two = build.constant(rewriter, IntegerAttr(32, i64), i64)
    shifted = rewriter.create(llvm.LShrOp, [whole, thirty_two], i64)
    return [low, build.cast(rewriter, llvm.TruncOp, shifted, i32)], rebuild


def _width(type: Attribute) -> int:
    if isinstance(type, IntegerType):
        return type.bitwidth
    return {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}.get(type.name, 0)
