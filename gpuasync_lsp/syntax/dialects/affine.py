"""MLIR's `affine` dialect: loops, conditions, and accesses with affine indices.

`affine.dma_start` and `affine.dma_wait`, which have no results, are left opaque.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.ods.by_table import ByTable, TableOp, from_table, table_op_definition
from gpuasync_lsp.syntax.ods.parts import Parts

# Maps applied to values


@table_op_definition
class ApplyOp(TableOp):
    """`affine.apply affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n]`."""

    name = "affine.apply"


@table_op_definition
class MinOp(TableOp):
    name = "affine.min"


@table_op_definition
class MaxOp(TableOp):
    name = "affine.max"


DelinearizeIndexOp = from_table("affine.delinearize_index", TableOp)
LinearizeIndexOp = from_table("affine.linearize_index", TableOp)


# Loops and conditions


@irdl_op_definition
class YieldOp(ByTable):
    name = "affine.yield"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator())


@irdl_op_definition
class ForOp(ByTable):
    """`affine.for %i = max #map(%n) to 10 step 2 iter_args(%a = %x) -> (f32) { ... }`."""

    name = "affine.for"

    lower_bound_operands = var_operand_def(IndexType)
    upper_bound_operands = var_operand_def(IndexType)
    inits = var_operand_def()
    lower_bound_map = prop_def(AffineMapAttr, prop_name="lowerBoundMap")
    upper_bound_map = prop_def(AffineMapAttr, prop_name="upperBoundMap")
    step = prop_def(IntegerAttr)
    res = var_result_def()
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@irdl_op_definition
class IfOp(ByTable):
    """`affine.if #set(%i)[%n] -> f32 { ... } else { ... }`."""

    name = "affine.if"

    set_operands = var_operand_def(IndexType)
    condition = prop_def(AffineSetAttr)
    res = var_result_def()
    then_region = region_def()
    else_region = region_def()


@irdl_op_definition
class ParallelOp(ByTable):
    """`affine.parallel (%i, %j) = (0, max(%n, 4)) to (10, symbol(%n)) step (1, 2) reduce ("addf") -> f32 {
    ... }`.

    Each map has the results of all its bounds; `groups` stores their number per loop variable.
    """

    name = "affine.parallel"

    map_operands = var_operand_def(IndexType)
    reductions = prop_def(ArrayAttr)
    lower_bounds_map = prop_def(AffineMapAttr, prop_name="lowerBoundsMap")
    lower_bounds_groups = prop_def(DenseIntElementsAttr, prop_name="lowerBoundsGroups")
    upper_bounds_map = prop_def(AffineMapAttr, prop_name="upperBoundsMap")
    upper_bounds_groups = prop_def(DenseIntElementsAttr, prop_name="upperBoundsGroups")
    steps = prop_def(ArrayAttr)
    res = var_result_def()
    body = region_def()


# Accesses


class _ElementOp(TableOp, ABC):
    """A load or store of one element, whose type the memref determines."""

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        (memref,) = parts.types["memref"]
        parts.types["value" if "value" in parts.names else "result"] = [
            getattr(memref, "element_type", memref)
        ]


LoadOp = from_table("affine.load", _ElementOp)
StoreOp = from_table("affine.store", _ElementOp)
VectorLoadOp = from_table("affine.vector_load", TableOp)
VectorStoreOp = from_table("affine.vector_store", TableOp)
PrefetchOp = from_table("affine.prefetch", TableOp)
