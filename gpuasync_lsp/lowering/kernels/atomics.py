"""memref.atomic_rmw in kernels."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute

from gpuasync_lsp.lowering import descriptors
from gpuasync_lsp.lowering.conversion import ConversionPattern, ConversionRewriter
from gpuasync_lsp.lowering.types import AnyMemRef
from gpuasync_lsp.syntax.dialects import llvm, memref

_ACQ_REL = 6

KINDS = {
    "addf": 11, "addi": 1, "andi": 3, "assign": 0, "maximumf": 19, "maxnumf": 13, "maxs": 7, "maxu": 9,
    "minimumf": 20, "minnumf": 14, "mins": 8, "minu": 10, "ori": 5, "xori": 6,
}  # fmt: skip
"""From `arith::AtomicRMWKind` to `LLVM::AtomicBinOp`, read off mlir-opt-22; none multiplies."""


class ConvertAtomicRMW(ConversionPattern[memref.AtomicRMWOp]):
    """`memref.atomic_rmw` becomes `llvm.atomicrmw`."""

    op_types = (memref.AtomicRMWOp,)

    def match_and_rewrite(self, op: memref.AtomicRMWOp, rewriter: ConversionRewriter) -> None:
        kind = KINDS.get(memref.ATOMIC_KINDS[op.kind.value.data])
        if kind is None or not hasattr(op.memref.type, "element_type"):
            rewriter.refuse("there is no atomic instruction for it")
        type: AnyMemRef = op.memref.type  # type: ignore[assignment]
        descriptor, value = rewriter.lowered(op.memref), rewriter.lowered(op.value)
        indices = rewriter.lowered_all(op.indices)
        address = descriptors.element_address(rewriter, type, descriptor, indices)
        properties: dict[str, Attribute] = {
            "bin_op": IntegerAttr(kind, i64),
            "ordering": IntegerAttr(_ACQ_REL, i64),
        }
        new = llvm.AtomicRMWOp.create(
            operands=[address, value], result_types=[value.type], properties=properties
        )
        rewriter.replace(op, rewriter.add(new).results)


PATTERNS = (ConvertAtomicRMW(),)
