"""MLIR's `scf` dialect. Classes and fields as in xDSL's (`lower_bound` and so on in snake case)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
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

from gpuasync_lsp.syntax.dialects.assembly import UnprefixedVerifyException, fail, integers, same_type, typed
from gpuasync_lsp.syntax.ods.by_table import ByTable, TableOp, table_op_definition


@irdl_op_definition
class YieldOp(ByTable):
    """`scf.yield %a, %b : i32, f32`."""

    name = "scf.yield"

    arguments = var_operand_def()

    traits = traits_def(IsTerminator(), Pure())

    def __init__(self, *arguments: SSAValue | Operation):
        super().__init__(operands=[arguments])


@table_op_definition
class ConditionOp(TableOp):
    """`scf.condition(%c) %a : i32`, the terminator of the first region of scf.while."""

    name = "scf.condition"


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

    def verify_(self) -> None:
        block = self.body.blocks.first
        if block is None:
            return
        if len(block.args) != len(self.iter_args) + 1:
            counts = f"{len(self.iter_args)} != {(len(block.args) - 1) % 2**64}"
            fail(self, f"different number of inits and region iter_args: {counts}")
        if block.args[0].type != self.lb.type:
            fail(self, "expected induction variable to be same type as bounds and step")
        if len(self.res) != len(self.iter_args):
            fail(self, "mismatch in number of loop-carried values and defined values")
        self._check_carried(block)
        for index, (argument, result) in enumerate(zip(block.args[1:], self.res, strict=True)):
            if not same_type(argument.type, result.type):
                fail(
                    self,
                    f"{index}-th region iter_arg and {index}-th loop result have different type: "
                    f"{typed(argument.type)} != {typed(result.type)}",
                )

    def _check_carried(self, block: Block) -> None:
        """Check the kinds of the values that an iteration hands to the next."""
        last, count = block.last_op, len(self.iter_args)
        if not isinstance(last, YieldOp):
            return
        if not last.arguments and count:
            fail(
                self,
                f"along control flow edge from Operation scf.yield to Region #0: region branch point has 0 "
                f"operands, but region successor needs {count} inputs",
            )
        if len(last.arguments) != count:
            fail(
                self,
                f"different number of region iter_args and yielded values: {count} != {len(last.arguments)}",
            )
        for index, (argument, value) in enumerate(zip(block.args[1:], last.arguments, strict=True)):
            initial = self.iter_args[index].type
            if not same_type(initial, argument.type):
                fail(
                    self,
                    f"{index}-th init and {index}-th region iter_arg have different type: "
                    f"{typed(initial)} != {typed(argument.type)}",
                )
            if not same_type(argument.type, value.type):
                fail(
                    self,
                    f"{index}-th region iter_arg and {index}-th yielded value have different type: "
                    f"{typed(argument.type)} != {typed(value.type)}",
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

    def verify_(self) -> None:
        if self.output and not self.false_region.blocks:
            fail(self, "must have an else block if defining values")
        for region in (self.true_region, self.false_region):
            if region.blocks:
                _check_edge(self, region.blocks[0].last_op, "parent", [result.type for result in self.output])


@irdl_op_definition
class WhileOp(ByTable):
    """`scf.while (%a = %x) : (i32) -> f32 {...} do { ^bb0(%b: f32): ... } attributes {...}`."""

    name = "scf.while"

    arguments = var_operand_def()
    res = var_result_def()
    before_region = region_def()
    after_region = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        before, after = self.before_region.blocks.first, self.after_region.blocks.first
        if before is None or after is None:
            return
        condition = before.last_op
        if not isinstance(condition, ConditionOp):
            if condition is not None and not _is_unknown(condition):
                fail(self, "expects the 'before' region to terminate with 'scf.condition'")
            return
        if (
            not isinstance(after.last_op, YieldOp)
            and after.last_op is not None
            and not _is_unknown(after.last_op)
        ):
            fail(self, "expects the 'after' region to terminate with 'scf.yield'")
        _check_edge(self, condition, "parent", [result.type for result in self.res])
        _check_edge(self, condition, "Region #1", [argument.type for argument in after.args])
        _check_edge(self, after.last_op, "Region #0", [argument.type for argument in before.args])


@irdl_op_definition
class ExecuteRegionOp(ByTable):
    """`scf.execute_region -> i32 no_inline {...}`."""

    name = "scf.execute_region"

    no_inline = opt_prop_def(UnitAttr)
    outs = var_result_def()
    region = region_def()

    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        if not self.region.blocks:
            fail(self, "region needs to have at least one block")
        if self.region.blocks[0].args:
            fail(self, "region cannot have any arguments")
        types = [result.type for result in self.outs]
        for block in self.region.blocks:
            if isinstance(block.last_op, YieldOp):
                _check_edge(self, block.last_op, "parent", types)


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

    def verify_(self) -> None:
        types = [result.type for result in self.output]
        values = integers(self.cases)
        if len(values) != len(self.case_regions):
            fail(self, f"has {len(self.case_regions)} case regions but {len(values)} case values")
        for number in values:
            if values.count(number) > 1:
                fail(self, f"has duplicate case value: {number}")
        self._check_region("default region", self.default_region, types)
        for index, region in enumerate(self.case_regions):
            self._check_region(f"case region #{index}", region, types)

    def _check_region(self, name: str, region: Region, types: Sequence[Attribute]) -> None:
        last = region.blocks[0].last_op if region.blocks else None
        if not isinstance(last, YieldOp):
            return
        count = len(last.arguments)
        if count != len(types):
            fail(self, f"expected each region to return {len(types)} values, but {name} returns {count}")
        for index, (value, type) in enumerate(zip(last.arguments, types, strict=True)):
            if not same_type(value.type, type):
                fail(self, f"expected result #{index} of each region to be {typed(type)}")


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

    def verify_(self) -> None:
        block = self.body.blocks.first
        if block is None or any(_is_unknown(op) for op in block.ops):
            return
        steps = len(self.step)
        if len(block.args) != steps:
            counts = f"{len(block.args)} as bound and step values: {steps}"
            fail(self, f"expects the same number of induction variables: {counts}")
        reductions = sum(len(op.reductions) for op in block.ops if isinstance(op, ReduceOp))
        if len(self.res) != reductions:
            counts = f"{len(self.res)} to be the same as number of reductions: {reductions}"
            fail(self, f"expects number of results: {counts}")


@irdl_op_definition
class ReduceOp(ByTable):
    """`scf.reduce(%a : f32) { ^bb0(%x: f32, %y: f32): scf.reduce.return %z : f32 }`, ends scf.parallel."""

    name = "scf.reduce"

    args = var_operand_def()
    reductions = var_region_def()

    traits = traits_def(IsTerminator(), RecursiveMemoryEffect())

    def verify_(self) -> None:
        for index, (value, region) in enumerate(zip(self.args, self.reductions, strict=False)):
            block = region.blocks.first
            types = () if block is None else block.arg_types
            if len(types) != 2 or not all(same_type(value.type, type) for type in types):
                arguments = f"expected two block arguments with type {typed(value.type)}"
                fail(self, f"{arguments} in the {index}-th reduction region")
        parent = self.parent_op()
        if not isinstance(parent, ParallelOp) or len(self.args) != len(parent.res):
            return
        for index, (value, result) in enumerate(zip(self.args, parent.res, strict=True)):
            if not same_type(value.type, result.type):
                same = (
                    f"{typed(value.type)} to be the same as the {index}-th result type: {typed(result.type)}"
                )
                fail(self, f"expects type of {index}-th reduction operand: {same}")


@table_op_definition
class ReduceReturnOp(TableOp):
    name = "scf.reduce.return"

    def verify_(self) -> None:
        region = self.parent_region()
        block = region.blocks.first if region is not None else None
        if block is None or not block.args or not isinstance(self.parent_op(), ReduceOp):
            return
        wanted = block.args[0].type
        if not same_type(wanted, self.result.type):
            fail(self, f"must have type {typed(wanted)} (the type of the reduction inputs)")


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

    def verify_(self) -> None:
        rank = len(integers(self.static_lower_bound))
        block = self.region.blocks.first
        if block is not None and len(block.args) != rank + len(self.outputs):
            fail(self, f"region expects {rank} arguments")
        for name, values in (("upper bound", self.static_upper_bound), ("step", self.static_step)):
            if len(integers(values)) != rank:
                raise UnprefixedVerifyException(f"expected {rank} {name} values, got {len(integers(values))}")


@table_op_definition
class InParallelOp(TableOp):
    """`scf.forall.in_parallel {...}`, ends scf.forall."""

    name = "scf.forall.in_parallel"

    traits = traits_def(IsTerminator(), NoTerminator())


def _is_unknown(op: Operation) -> bool:
    return op.name.startswith("gpuasync.")


def _check_edge(op: Operation, last: Operation | None, target: str, types: Sequence[Attribute]) -> None:
    """Raise a VerifyException unless the values that leave a region of `op` by `last` have `types`.

    `target` is where they go: `parent` or `Region #0`.
    """
    if not isinstance(last, YieldOp | ConditionOp):
        if last is not None and types and not _is_unknown(last) and not last.has_trait(IsTerminator):
            counts = f"has 0 operands, but region successor needs {len(types)} inputs"
            _fail_edge(op, YieldOp.name, target, f"region branch point {counts}")
        return
    values = last.args if isinstance(last, ConditionOp) else last.arguments
    if len(values) != len(types):
        counts = f"has {len(values)} operands, but region successor needs {len(types)} inputs"
        _fail_edge(op, last.name, target, f"region branch point {counts}")
    for index, (value, type) in enumerate(zip(values, types, strict=True)):
        if not same_type(value.type, type):
            _fail_edge(
                op,
                last.name,
                target,
                f"successor operand type #{index} {typed(value.type)} should match successor input type "
                f"#{index} {typed(type)}",
            )


def _fail_edge(op: Operation, source: str, target: str, message: str) -> NoReturn:
    fail(op, f"along control flow edge from Operation {source} to {target}: {message}")
