"""Ids and sizes of grid, block and lane: code shared by NVIDIA's and AMD's targets."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.passes.kernels.nvvm_ops import attribute
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import gpu, llvm
from gpuasync_lsp.syntax.dialects.assembly import integers, is_i32_array


def read_register(rewriter: ConversionRewriter, name: str, range: Attribute | None = None) -> SSAValue:
    """Insert the op `name`, which reads a 32-bit register; `range` contains the bounds of the result."""
    known = {} if range is None else {"range": range}
    # Through LLVM 19 the range is an array in a discardable attribute.
    own, others = ({}, known) if isinstance(range, DenseArrayBase) else (known, {})
    kind = build.table_op(name)
    return rewriter.create(kind, [], i32, own, attributes=others)


def as_index(rewriter: ConversionRewriter, value: SSAValue) -> SSAValue:
    """Extend an i32 to the width of an index."""
    type = rewriter.types.index
    return value if value.type == type else build.cast(rewriter, llvm.SExtOp, value, type)


def dimension_range(
    op: Operation, kind: type[Operation], axis: str, bound: Attribute | None, profile: Profile, *, exact: bool
) -> tuple[int, int] | None:
    """Return the bounds [lower, upper) of an id or size of `kind`; None if they are unknown.

    They come from `bound`, an upper bound, or from the known sizes of the kernel that contains `op`. With
    `exact`, a size has exactly its known value; otherwise that value is an upper bound."""
    if kind not in _KNOWN:
        return None
    attribute, is_size = _KNOWN[kind]
    size = known_size(op, attribute, "xyz".index(axis), profile) if attribute else None
    if size is not None and is_size and exact:
        return size, size + 1
    most = bound.value.data if isinstance(bound, IntegerAttr) else size
    if most is None:
        return None
    return (1, most + 1) if is_size else (0, most)


def constant_range(lower: int, upper: int, type: IntegerType = i32) -> Attribute:
    """Return `#llvm.constant_range<type, lower, upper>`."""
    return attribute(f"#llvm.constant_range<i{type.bitwidth}, {lower}, {upper}>")


def register_range(profile: Profile, lower: int, upper: int) -> Attribute:
    """Return the range attribute of a 32-bit register; the upper bound wraps as in C++.

    A size's upper bound that exceeds `Profile.largest_size` by one is decremented, so it does not wrap."""
    if lower == 1 and upper == profile.largest_size + 1:
        upper = profile.largest_size
    return constant_range(lower, wrapped(upper))


def wrapped(value: int) -> int:
    """Return `value` wrapped to a signed 32-bit integer."""
    return (value + 2**31) % 2**32 - 2**31


def known_size(op: Operation, attribute: str, dimension: int, profile: Profile) -> int | None:
    """Return a dimension of `known_block_size` or a similar attribute of the function that contains `op`."""
    parent = op.parent_op()
    while parent is not None:
        sizes = parent.get_attr_or_prop(f"gpu.{attribute}")
        if sizes is None and not profile.known_sizes_prefix:
            sizes = parent.get_attr_or_prop(attribute)
        if sizes is not None and is_i32_array(sizes):
            values = integers(sizes)
            return values[dimension] if dimension < len(values) else None
        parent = parent.parent_op()
    return None


_KNOWN: dict[type[Operation], tuple[str, bool]] = {
    gpu.ThreadIdOp: ("known_block_size", False),
    gpu.BlockDimOp: ("known_block_size", True),
    gpu.BlockIdOp: ("known_grid_size", False),
    gpu.GridDimOp: ("known_grid_size", True),
    gpu.ClusterIdOp: ("", False),
    gpu.ClusterDimOp: ("", True),
    gpu.ClusterBlockIdOp: ("known_cluster_size", False),
    gpu.ClusterDimBlocksOp: ("known_cluster_size", True),
}
"""Maps each op to the kernel attribute that bounds its result, and to whether it returns a size."""
