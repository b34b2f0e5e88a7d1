"""MLIR's `scf` dialect, with xDSL's class and field names (such as `lower_bound`)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, UnitAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, NoTerminator, Pure, RecursiveMemoryEffect

from gpuasync_lsp.syntax.ods.by_table import ByTable, TableOp, from_table, table_op_definition


@irdl_op_definition
class YieldOp(ByTable):
    """`scf.yield %a, %b : i32, f32`."""

    name = "scf.yield"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, *arguments: SSAValue | Operation):
        super().__init__(operands=[arguments])


ConditionOp = from_table("scf.condition", TableOp)


@irdl_op_definition
class ForOp(ByTable):
    """`scf.for unsigned %i = %lb to %ub step %s iter_args(%a = %x) -> (f32) : i32 {...}`."""

    name = "scf.for"

    lb = operand_def()
    ub = operand_def()
    step = operand_def()
    iter_args = var_operand_def()
    unsigned_cmp = opt_prop_def(UnitAttr, prop_name="unsignedCmp")
    res = var_result_def()
    body = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        lb: SSAValue | Operation,
        ub: SSAValue | Operation,
        step: SSAValue | Operation,
        iter_args: Sequence[SSAValue],
        body: Region,
    ):
        super().__init__(
            operands=[lb, ub, step, iter_args],
            result_types=[[value.type for value in iter_args]],
            regions=[body],
        )


@irdl_op_definition
class IfOp(ByTable):
    """`scf.if %c -> (f32) {...} else {...}`."""

    name = "scf.if"

    cond = operand_def()
    output = var_result_def()
    true_region = region_def()
    false_region = region_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class WhileOp(ByTable):
    """`scf.while (%a = %x) : (i32) -> f32 {...} do { ^bb0(%b: f32): ... } attributes {...}`."""

    name = "scf.while"

    arguments = var_operand_def()
    res = var_result_def()
    before_region = region_def()
    after_region = region_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class ExecuteRegionOp(ByTable):
    """`scf.execute_region -> i32 no_inline {...}`."""

    name = "scf.execute_region"

    no_inline = opt_prop_def(UnitAttr)
    outs = var_result_def()
    region = region_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class IndexSwitchOp(ByTable):
    """`scf.index_switch %i -> i32 case 2 {...} default {...}`."""

    name = "scf.index_switch"

    arg = operand_def()
    cases = prop_def(DenseArrayBase)
    output = var_result_def()
    default_region = region_def()
    case_regions = var_region_def()

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class ParallelOp(ByTable):
    """`scf.parallel (%i) = (%lb) to (%ub) step (%s) init (%x) -> f32 {... scf.reduce(...)}`."""

    name = "scf.parallel"

    lower_bound = var_operand_def()
    upper_bound = var_operand_def()
    step = var_operand_def()
    init_vals = var_operand_def()
    res = var_result_def()
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class ReduceOp(ByTable):
    """`scf.reduce(%a : f32) { ^bb0(%x: f32, %y: f32): scf.reduce.return %z : f32 }`, terminates
    scf.parallel."""

    name = "scf.reduce"

    args = var_operand_def()
    reductions = var_region_def()

    traits = traits_def(IsTerminator(), RecursiveMemoryEffect())


@table_op_definition
class ReduceReturnOp(TableOp):
    name = "scf.reduce.return"


@irdl_op_definition
class ForallOp(ByTable):
    """`scf.forall (%i, %j) in (%n, 4) shared_outs(%o = %t) -> (tensor<4xf32>) {...} {mapping = [...]}`.

    With other bounds: `scf.forall (%i) = (0) to (%n) step (2)`.
    """

    name = "scf.forall"

    dynamic_lower_bound = var_operand_def()
    dynamic_upper_bound = var_operand_def()
    dynamic_step = var_operand_def()
    static_lower_bound = prop_def(DenseArrayBase, prop_name="staticLowerBound")
    static_upper_bound = prop_def(DenseArrayBase, prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase, prop_name="staticStep")
    outputs = var_operand_def()
    mapping = opt_prop_def(ArrayAttr)
    res = var_result_def()
    region = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)


@table_op_definition
class InParallelOp(TableOp):
    """`scf.forall.in_parallel {...}`, terminates scf.forall."""

    name = "scf.forall.in_parallel"

    traits = traits_def(IsTerminator(), NoTerminator())
