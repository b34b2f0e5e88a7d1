"""The folders of the gpu dialect. Source: `fold` in mlir/lib/Dialect/GPU/IR/GPUDialect.cpp."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue

from gpuasync_lsp.lowering.conversion.folders.constants import Folder
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects import arith, gpu
from gpuasync_lsp.syntax.kinds import is_integer_attr

Folded = Sequence["SSAValue | arith.ConstantOp"]


def _subgroup_reduce(op: Operation) -> Folded | None:
    """Fold a subgroup reduction over clusters of one thread to its operand."""
    size = op.get_attr_or_prop("cluster_size")
    alone = is_integer_attr(size) and size.value.data == 1
    return [op.operands[0]] if alone else None


def find_uniform(op: Operation, profile: Profile) -> bool:
    """Mark a reduction at the top level of a gpu.launch as uniform; return False if nothing changed."""
    if not isinstance(op, gpu.AllReduceOp | gpu.SubgroupReduceOp) or "uniform" in op.properties:
        return False
    parent = op.parent_op()
    if not profile.finds_uniform_reductions or not isinstance(parent, gpu.LaunchOp):
        return False
    if op.parent is not parent.body.first_block:
        return False
    op.properties["uniform"] = UnitAttr()
    return True


FOLDERS: dict[type[Operation], Folder] = {gpu.SubgroupReduceOp: _subgroup_reduce}
"""Maps each op class to its folder."""
