"""`expand-strided-metadata`: views become memref.reinterpret_cast with computed offset, sizes and strides.

affine.apply ops compute these numbers, and the results of memref.extract_strided_metadata of a view.
Source: mlir/lib/Dialect/MemRef/Transforms/ExpandStridedMetadata.cpp; measured in all releases.
"""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation

from gpuasync_lsp.lowering.conversion.worklist import Pattern, Rewriter, rewrite_greedily
from gpuasync_lsp.lowering.passes.expand_strided_metadata.layouts import (
    is_strided,
    of_reshape,
    of_subview,
    reinterpret_cast,
)
from gpuasync_lsp.lowering.passes.expand_strided_metadata.metadata import expand_metadata, expand_pointer
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import memref
from gpuasync_lsp.syntax.kinds import memref_type


def expand_strided_metadata(root: Operation, profile: Profile) -> None:
    """Expand the views inside `root` in place, like `profile`'s release; skip views that are not strided."""
    rewrite_greedily(root, profile, _PATTERNS)


def _view(op: Operation, rewriter: Rewriter) -> bool:
    if not is_strided(op.operands[0].type, op.results[0].type):
        return False
    if isinstance(op, memref.SubviewOp):
        layout = of_subview(op, op, rewriter)
    else:
        layout = of_reshape(cast("memref.ExpandShapeOp", op), op, rewriter)
    made = reinterpret_cast(layout, memref_type(op.results[0].type))
    rewriter.replace(op, rewriter.insert(made, op).results)
    return True


_PATTERNS: dict[type[Operation], list[Pattern]] = {
    memref.SubviewOp: [_view],
    memref.CollapseShapeOp: [_view],
    memref.ExpandShapeOp: [_view],
    memref.ExtractStridedMetaDataOp: [expand_metadata],
    memref.ExtractAlignedPointerAsIndexOp: [expand_pointer],
}
