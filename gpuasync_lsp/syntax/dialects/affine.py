"""MLIR's `affine` dialect: loops, conditions, and accesses with affine indices.

`affine.dma_start` and `affine.dma_wait`, which have no results, are left opaque.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BoolAttr,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.ods.by_table import ByTable, PureByTable, TableOp, table_op_definition
from gpuasync_lsp.syntax.ods.parts import Parts

# Maps applied to values


class _MapOp(PureByTable):
    """An op that applies an affine map to operands: `affine.apply affine_map<(d0)[s0] -> (d0,
    s0)>(%i)[%n]`."""

    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    result = result_def(IndexType)


@irdl_op_definition
class ApplyOp(_MapOp):
    name = "affine.apply"


@irdl_op_definition
class MinOp(_MapOp):
    name = "affine.min"


@irdl_op_definition
class MaxOp(_MapOp):
    name = "affine.max"


@table_op_definition
class DelinearizeIndexOp(TableOp):
    """`affine.delinearize_index %i into (4, %n) : index, index`: the indices for a linear index."""

    name = "affine.delinearize_index"


@table_op_definition
class LinearizeIndexOp(TableOp):
    """`affine.linearize_index disjoint [%i, %j] by (4, %n) : index`: the linear index for indices."""

    name = "affine.linearize_index"


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


@irdl_op_definition
class LoadOp(ByTable):
    """`affine.load %m[%i + 3] : memref<100xf32>`."""

    name = "affine.load"

    memref = operand_def()
    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    result = result_def()

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.types["result"] = [_element(parts)]


@irdl_op_definition
class VectorLoadOp(ByTable):
    """`affine.vector_load %m[%i + 3] : memref<100xf32>, vector<8xf32>`."""

    name = "affine.vector_load"

    memref = operand_def()
    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    result = result_def()


@irdl_op_definition
class StoreOp(ByTable):
    """`affine.store %x, %m[%i + 3] : memref<100xf32>`."""

    name = "affine.store"

    value = operand_def()
    memref = operand_def()
    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)

    @classmethod
    def complete(cls, parser: Parser, parts: Parts) -> None:
        parts.types["value"] = [_element(parts)]


@irdl_op_definition
class VectorStoreOp(ByTable):
    """`affine.vector_store %v, %m[%i + 3] : memref<100xf32>, vector<8xf32>`."""

    name = "affine.vector_store"

    value = operand_def()
    memref = operand_def()
    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)


@irdl_op_definition
class PrefetchOp(ByTable):
    """`affine.prefetch %m[%i + 3], read, locality<3>, data : memref<100xf32>`."""

    name = "affine.prefetch"

    memref = operand_def()
    map_operands = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality_hint = prop_def(IntegerAttr, prop_name="localityHint")
    is_data_cache = prop_def(BoolAttr, prop_name="isDataCache")


def _element(parts: Parts) -> Attribute:
    (memref,) = parts.types["memref"]
    return getattr(memref, "element_type", memref)
