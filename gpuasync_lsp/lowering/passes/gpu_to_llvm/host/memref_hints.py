"""Converts memref ops that are hints to the optimizer: prefetch, assume_alignment, distinct_objects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.syntax.dialects import llvm, memref
from gpuasync_lsp.syntax.dialects.assembly import i32_array
from gpuasync_lsp.syntax.kinds import memref_type


class ConvertPrefetch(ConversionPattern[memref.PrefetchOp]):
    """`memref.prefetch` becomes `llvm.intr.prefetch`."""

    def match_and_rewrite(self, op: memref.PrefetchOp, rewriter: ConversionRewriter) -> None:
        address = descriptors.access_address(rewriter, op.memref, op.indices, flagged=False)
        properties: dict[str, Attribute] = {
            "rw": IntegerAttr(int(bool(op.is_write.value.data)), i32),
            "hint": cast(Attribute, op.locality_hint),
            "cache": IntegerAttr(int(bool(op.is_data_cache.value.data)), i32),
        }
        rewriter.add(build.table_op("llvm.intr.prefetch").create(operands=[address], properties=properties))
        rewriter.erase(op)


class ConvertAssumeAlignment(ConversionPattern[memref.AssumeAlignmentOp]):
    """`memref.assume_alignment` becomes `llvm.intr.assume` with an align bundle.

    In older releases the assumption is a condition on the low bits of the address."""

    def match_and_rewrite(self, op: memref.AssumeAlignmentOp, rewriter: ConversionRewriter) -> None:
        source = rewriter.lowered(op.memref)
        address = descriptors.buffer_pointer(rewriter, memref_type(op.memref.type), source)
        alignment = op.alignment.value.data
        if rewriter.profile.assumes_by_bundles:
            condition = build.constant(rewriter, IntegerAttr(1, i1), i1)
            _assume(rewriter, condition, "align", [address, build.index_constant(rewriter, alignment)])
        else:
            zero, mask = (build.index_constant(rewriter, n) for n in (0, alignment - 1))
            number = build.cast(rewriter, llvm.PtrToIntOp, address, mask.type)
            low = rewriter.add(llvm.AndOp.create(operands=[number, mask], result_types=[mask.type]))
            compare = rewriter.create(
                llvm.ICmpOp, [low.results[0], zero], i1, {"predicate": IntegerAttr(0, i64)}
            )
            _assume(rewriter, compare)
        if op.result is None:
            rewriter.erase(op)
        else:
            rewriter.replace(op, [source])


class ConvertDistinctObjects(ConversionPattern[memref.DistinctObjectsOp]):
    """`memref.distinct_objects` becomes an assumption of separate storage for each pair."""

    def match_and_rewrite(self, op: memref.DistinctObjectsOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.lowered_all(op.operands)
        if len(values) > 1:
            pointers = [
                descriptors.buffer_pointer(rewriter, memref_type(operand.type), value)
                for operand, value in zip(op.operands, values, strict=True)
            ]
            condition = build.constant(rewriter, IntegerAttr(1, i1), i1)
            for pair in combinations(pointers, 2):
                _assume(rewriter, condition, "separate_storage", pair)
        rewriter.replace(op, values)


def _assume(
    rewriter: ConversionRewriter, condition: SSAValue, tag: str = "", bundle: Sequence[SSAValue] = ()
) -> None:
    properties: dict[str, Attribute] = {}
    if rewriter.profile.assume_has_bundles:
        properties["op_bundle_sizes"] = i32_array([len(bundle)] if tag else [])
    if tag:
        properties["op_bundle_tags"] = ArrayAttr([StringAttr(tag)])
    rewriter.add(llvm.AssumeOp.create(operands=[condition, *bundle], properties=properties))


PATTERNS: Sequence[AnyPattern] = (ConvertPrefetch(), ConvertAssumeAlignment(), ConvertDistinctObjects())
