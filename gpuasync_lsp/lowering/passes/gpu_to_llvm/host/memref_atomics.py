"""memref.atomic_rmw and memref.generic_atomic_rmw become an atomicrmw, or a compare-exchange loop."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i1, i32, i64
from xdsl.ir import Attribute, Block, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.edits import erase, region_of
from gpuasync_lsp.lowering.conversion.greedy import block_of
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import struct
from gpuasync_lsp.syntax.dialects import llvm, memref
from gpuasync_lsp.syntax.kinds import bits_of


class ConvertAtomicRMW(ConversionPattern[memref.AtomicRMWOp]):
    """`memref.atomic_rmw` becomes `llvm.atomicrmw`, if LLVM has such an operation."""

    def match_and_rewrite(self, op: memref.AtomicRMWOp, rewriter: ConversionRewriter) -> None:
        number: int = op.kind.value.data
        kind = memref.ATOMIC_KINDS[number]
        names = OLD_ATOMIC_OPS if rewriter.profile.atomic_maximum_is_fmax else ATOMIC_OPS
        if kind not in names:
            rewriter.match_failure(f"llvm.atomicrmw has no {kind}")
        address = descriptors.access_address(
            rewriter, op.memref, op.indices, flagged=False, may_be_fewer=True
        )
        value = rewriter.lowered(op.value)
        properties: dict[str, Attribute] = {
            "bin_op": IntegerAttr(llvm.ATOMIC_BINARY_OPS.index(names[kind]), i64),
            "ordering": IntegerAttr(llvm.ORDERINGS["acq_rel"], i64),
        }
        rewriter.replace(op, [rewriter.create(llvm.AtomicRMWOp, [address, value], value.type, properties)])


ATOMIC_OPS = {
    "addf": "fadd",
    "addi": "add",
    "andi": "_and",
    "assign": "xchg",
    "maximumf": "fmaximum",
    "maxnumf": "fmax",
    "maxs": "max",
    "maxu": "umax",
    "minimumf": "fminimum",
    "minnumf": "fmin",
    "mins": "min",
    "minu": "umin",
    "ori": "_or",
    "xori": "_xor",
}
"""Maps the kinds of `memref.atomic_rmw` to those of `llvm.atomicrmw`."""

OLD_ATOMIC_OPS = {
    kind: {"fmaximum": "fmax", "fminimum": "fmin"}.get(name, name)
    for kind, name in ATOMIC_OPS.items()
    if kind not in ("maxnumf", "minnumf", "xori")
}
"""Like `ATOMIC_OPS`, for releases in which LLVM lacks fmaximum and fminimum."""


class ConvertGenericAtomicRMW(ConversionPattern[memref.GenericAtomicRMWOp]):
    """`memref.generic_atomic_rmw` becomes a compare-exchange loop with `llvm.cmpxchg`.

    Through LLVM 22, float operands of `llvm.cmpxchg` are not cast to integers, so that its verifier rejects
    them."""

    def match_and_rewrite(self, op: memref.GenericAtomicRMWOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.result.type)
        body = op.atomic_body.blocks[0]
        end = body.last_op
        if end is None or (end.operands and block_of(end.operands[0]) is not body):
            rewriter.match_failure("result not defined in region")  # LLVM 22; earlier ones crash.
        address = descriptors.access_address(
            rewriter, op.memref, op.indices, flagged=False, may_be_fewer=True
        )
        width = _float_width(type) if rewriter.profile.exchanges_float_bits else 0
        bits = IntegerType(width) if width else type
        before = op.parent
        assert before is not None, "a converted op is in a block"
        region = region_of(before)
        after = before.split_before(op)
        loop = Block(arg_types=[bits])
        region.insert_block_before(loop, after)

        with rewriter.at_end(before):
            first = build.load(rewriter, address, type)
            build.branch(rewriter, loop, [_recast(rewriter, first, bits)])
        with rewriter.at_end(loop):
            current = _recast(rewriter, loop.args[0], type)
            body.args[0].replace_all_uses_with(current)
            result = self._inline(body, loop)
            pair = rewriter.create(
                llvm.AtomicCmpXchgOp,
                [address, loop.args[0], _recast(rewriter, result, bits)],
                struct((bits, i1)),
                {
                    "success_ordering": IntegerAttr(llvm.ORDERINGS["acq_rel"], i64),
                    "failure_ordering": IntegerAttr(llvm.ORDERINGS["monotonic"], i64),
                },
            )
            found = build.extract_value(rewriter, pair, 0)
            succeeded = build.extract_value(rewriter, pair, 1)
            rewriter.add(
                llvm.CondBrOp.create(
                    operands=[succeeded, found],
                    successors=[after, loop],
                    properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0, 1])},
                )
            )
        with rewriter.at_start(after):
            rewriter.replace(op, [_recast(rewriter, found, type)])

    @staticmethod
    def _inline(body: Block, loop: Block) -> SSAValue:
        """Move the ops of `body` to the end of `loop`; return the yielded values."""
        *ops, end = list(body.ops)
        for op in ops:
            op.detach()
            loop.add_op(op)
        assert isinstance(end, memref.AtomicYieldOp)
        result = end.result
        erase(end)
        return result


def _float_width(type: Attribute) -> int:
    return bits_of(type) if type.name in ("f16", "bf16", "f32", "f64") else 0


def _recast(rewriter: ConversionRewriter, value: SSAValue, type: Attribute) -> SSAValue:
    return value if value.type == type else build.cast(rewriter, llvm.BitcastOp, value, type)


PATTERNS: Sequence[AnyPattern] = (ConvertAtomicRMW(), ConvertGenericAtomicRMW())
