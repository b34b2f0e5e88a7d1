"""`convert-vector-to-scf`: vector transfers become loops around transfers of lower rank.

Source: mlir/lib/Conversion/VectorToSCF/VectorToSCF.cpp; measured in all releases. Transfers with maps
that permute or repeat dimensions are simplified first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from gpuasync_lsp.lowering.conversion.errors import OwnLimit, PassError
from gpuasync_lsp.lowering.conversion.worklist import Pattern, rewrite_greedily
from gpuasync_lsp.lowering.passes.convert_vector_to_scf import buffers, unrolled
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.building import Transfer, map_of, vector_of
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.one_dimension import by_elements
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.permutations import READS, WRITES
from gpuasync_lsp.lowering.passes.convert_vector_to_scf.printing import print_elements
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import vector
from gpuasync_lsp.syntax.printer import attribute_text


@dataclass(frozen=True)
class Options:
    """The options of the pass, under mlir-opt's names."""

    full_unroll: bool = False
    target_rank: int = 1
    lower_tensors: bool = False


def convert_vector_to_scf(root: Operation, profile: Profile, options: Options) -> None:
    """Lower the transfers inside `root` in place, like `profile`'s release.

    Raises PassError if mlir-opt's verifier rejects the result, and for unsupported transfers: scalable
    vectors of several dimensions through LLVM 17, and transfers that would be unrolled into very many."""
    for op in root.walk():
        if isinstance(op, vector.TransferReadOp | vector.TransferWriteOp):
            _check(op, profile, options)
    rewrite_greedily(root, profile, {vector.TransferReadOp: READS, vector.TransferWriteOp: WRITES})
    kind = unrolled if options.full_unroll else buffers
    transfers: Sequence[Pattern] = kind.patterns(options.target_rank, options.lower_tensors)
    if options.target_rank == 1:
        transfers = [*transfers, by_elements]
    patterns: dict[type[Operation], Sequence[Pattern]] = {
        vector.TransferReadOp: transfers,
        vector.TransferWriteOp: transfers,
    }
    if profile.prints_vectors_by_loops:
        patterns[vector.PrintOp] = [print_elements]
    rewrite_greedily(root, profile, patterns)
    for op in root.walk():
        _verify(op)


_MOST_UNROLLED = 10_000
"""The maximum number of transfers into which one is unrolled, since the sizes of a type are unbounded."""
_OPS_OF_MASK = 2
"""The number of ops in a vector.mask: the masked op and the terminator."""


def _verify(op: Operation) -> None:
    """Reject what mlir-opt's verifier rejects: several ops in a vector.mask, masks of a wrong type."""
    if isinstance(op, vector.MaskOp) and len(op.regions[0].block.ops) > _OPS_OF_MASK:
        raise PassError(op, "'vector.mask' op expects only one operation to mask")
    if not isinstance(op, vector.TransferReadOp | vector.TransferWriteOp) or op.mask is None:
        return
    found, wanted = op.mask.type, vector.mask_type(vector_of(op), map_of(op))
    if any(isinstance(each, AffineDimExpr) for each in map_of(op).results) and found != wanted:
        types = f"('{attribute_text(wanted)}') and mask operand type ('{attribute_text(found)}')"
        raise PassError(op, f"'{op.name}' op inferred mask type {types} don't match")


def _check(op: Transfer, profile: Profile, options: Options) -> None:
    type = vector_of(op)
    sizes = type.get_shape()
    if (
        not profile.scalable_parts_are_kept
        and len(sizes) > 1
        and any(each.value.data for each in type.scalable_dims)
    ):
        raise OwnLimit(op, f"this tool does not lower scalable vectors as LLVM {profile.version} does")
    if options.full_unroll and prod(sizes[: max(len(sizes) - options.target_rank, 0)]) > _MOST_UNROLLED:
        raise OwnLimit(op, "this tool does not unroll so many transfers")
