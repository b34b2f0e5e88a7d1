"""Splits gpu.shuffle of 64 bits into two shuffles, as mlir-opt does before it converts kernels.

Source: mlir/lib/Dialect/GPU/Transforms/ShuffleRewriter.cpp of LLVM 19; LLVM 17 to 24 do the same.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, f64, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder
from gpuasync_lsp.syntax.dialects import arith, gpu


def split_wide_shuffles(module: gpu.GPUModuleOp) -> None:
    """Shuffle the two words of each i64 or f64, in place; the result is valid if both shuffles are."""
    for op in list(module.walk()):
        if isinstance(op, gpu.ShuffleOp) and op.operands[0].type in (i64, f64):
            replace(op, _split(op, _Words(op)))


class _Words(Builder):
    def make(self, kind: type[Operation], type: Attribute, *values: SSAValue) -> SSAValue:
        return self.create(kind, values, type)

    def shuffle(self, op: Operation, word: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Insert a shuffle of a word with the operands of `op`; return its result and validity."""
        new = op.clone()
        shuffled = gpu.ShuffleOp.create(
            operands=[word, *op.operands[1:]],
            result_types=[i32, i1],
            properties=new.properties,
            attributes=new.attributes,
        )
        self.add(shuffled)
        return shuffled.results[0], shuffled.results[1]


def _split(op: Operation, build: _Words) -> list[SSAValue]:
    whole = op.operands[0]
    if whole.type == f64:
        whole = build.make(arith.BitcastOp, i64, whole)
    low = build.make(arith.TruncIOp, i32, whole)
    width = build.add(arith.ConstantOp(IntegerAttr(32, i64))).results[0]
    high = build.make(arith.TruncIOp, i32, build.make(arith.ShRUIOp, i64, whole, width))
    (low, low_valid), (high, high_valid) = build.shuffle(op, low), build.shuffle(op, high)
    low, high = build.make(arith.ExtUIOp, i64, low), build.make(arith.ExtUIOp, i64, high)
    high = build.make(arith.ShLIOp, i64, high, width)
    result = build.make(arith.OrIOp, i64, high, low)
    if op.results[0].type == f64:
        result = build.make(arith.BitcastOp, f64, result)
    return [result, build.make(arith.AndIOp, i1, low_valid, high_valid)]
