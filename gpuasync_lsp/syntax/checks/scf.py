"""scf: parallel loops, their terminators, and mappings to devices (SCF.cpp)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from gpuasync_lsp.syntax.checks.view import First, NotKnown, VerifierError, View, elements
from gpuasync_lsp.syntax.dialects import scf
from gpuasync_lsp.syntax.dialects.assembly import UnprefixedVerifyException, fail, integers, same_type, typed
from gpuasync_lsp.syntax.kinds import is_integer_attr
from gpuasync_lsp.syntax.opaque import OpaqueOp
from gpuasync_lsp.syntax.printer import attribute_text

_MASK = re.compile(r"#gpu\.(?:mask|thread_mask|warp_mask|block_mask)\b")
_COMBINES = frozenset({"tensor.parallel_insert_slice"})


def _if(view: View) -> str | None:
    for index, region in enumerate(view.op.regions):
        if any(block.args for block in region.blocks):
            return f"region #{index} should have no arguments"
    return None


def _parallel(view: View) -> str | VerifierError | None:
    steps = view.values("step")
    if not steps:
        return "needs at least one tuple element for lowerBound, upperBound and step"
    if any(number is not None and number <= 0 for number in map(_constant, steps)):
        return "constant step operand must be positive"
    block = view.block()
    if not all(isinstance(argument.type, IndexType) for argument in block.args):
        return "expects arguments for the induction variable to be of index type"
    last = block.last_op
    if last is None or isinstance(last, OpaqueOp):
        raise NotKnown
    # Through LLVM 17, an scf.parallel ends with scf.yield, and its scf.reduce may be anywhere.
    if last.name != "scf.reduce":
        words = "expects body to terminate with 'scf.reduce'"
        if last.name == "scf.yield" and not last.operands:
            return VerifierError(words, 18)
        return VerifierError(words, 18, earlier="expects body to terminate with 'scf.yield'")
    return None


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return None
    number = owner.properties.get("value")
    return number.value.data if is_integer_attr(number) else None


def _reduce(view: View) -> str | VerifierError | None:
    regions, operands = len(view.op.regions), len(view.op.operands)
    if regions != operands:
        given = f"reduction regions: {regions} to be the same as number of reduction operands: {operands}"
        return VerifierError(f"expects number of {given}", 22)
    for region in view.op.regions:
        last = _last(region)
        if last.name != "scf.reduce.return":
            return "reduction bodies must be terminated with an 'scf.reduce.return' op"
    return None


def _last(region: Region) -> Operation:
    block = region.blocks.first
    if block is None or block.last_op is None or isinstance(block.last_op, OpaqueOp):
        raise NotKnown
    return block.last_op


_END_OF_FORALL = "scf.forall.in_parallel"


def _forall(view: View) -> str | None:
    last = _last(view.op.regions[0])
    if last.name != _END_OF_FORALL:
        return f"expects regions to end with '{_END_OF_FORALL}', found '{last.name}'"
    rank, outputs = len(view.integers("staticUpperBound")), view.values("outputs")
    block = view.block()
    if len(view.op.results) != len(outputs):
        return f"produces {len(view.op.results)} results, but has only {len(outputs)} outputs"
    for index, argument in enumerate(block.args[:rank]):
        if not isinstance(argument.type, IndexType):
            return f"expects {index}-th block argument to be an index"
    for index, (argument, type) in enumerate(zip(block.args[rank:], view.types("outputs"), strict=True)):
        if argument.type != type:
            return f"type mismatch between {index}-th output and corresponding block argument"
    mapping = view.attribute("mapping")
    return None if mapping is None else _mapping(mapping, rank)


def _mapping(mapping: Attribute, rank: int) -> str | None:
    masks = [_MASK.match(attribute_text(each)) is not None for each in elements(mapping)]
    if not masks:
        return None
    if len(masks) - sum(masks) != rank:
        return "mapping attribute size must match op rank"
    return '"mapping" supports at most one device masking attribute' if sum(masks) > 1 else None


def _in_parallel(view: View) -> str | VerifierError | None:
    parent = view.op.parent_op()
    for op in view.block().ops:
        if isinstance(op, OpaqueOp):
            raise NotKnown
        if op.name not in _COMBINES:
            earlier = "expected only tensor.parallel_insert_slice ops"
            return VerifierError("expected only ParallelCombiningOpInterface ops", 22, earlier=earlier)
        target = op.operands[1]
        if not isinstance(target, BlockArgument) or target.block.parent_op() is not parent:
            return VerifierError("may only insert into an output block argument", at=op)
    return None


def _verify_for(op: scf.ForOp) -> None:
    block = op.body.blocks.first
    if block is None:
        return
    if len(block.args) != len(op.iter_args) + 1:
        counts = f"{len(op.iter_args)} != {(len(block.args) - 1) % 2**64}"
        fail(op, f"different number of inits and region iter_args: {counts}")
    if block.args[0].type != op.lb.type:
        fail(op, "expected induction variable to be same type as bounds and step")
    if len(op.res) != len(op.iter_args):
        fail(op, "mismatch in number of loop-carried values and defined values")
    _check_carried(op, block)
    for index, (argument, result) in enumerate(zip(block.args[1:], op.res, strict=True)):
        if not same_type(argument.type, result.type):
            fail(
                op,
                f"{index}-th region iter_arg and {index}-th loop result have different type: "
                f"{typed(argument.type)} != {typed(result.type)}",
            )


def _check_carried(op: scf.ForOp, block: Block) -> None:
    """Check the number and types of the values that an iteration passes to the next one."""
    last, count = block.last_op, len(op.iter_args)
    if not isinstance(last, scf.YieldOp):
        return
    if not last.arguments and count:
        fail(
            op,
            f"along control flow edge from Operation scf.yield to Region #0: region branch point has 0 "
            f"operands, but region successor needs {count} inputs",
        )
    if len(last.arguments) != count:
        fail(op, f"different number of region iter_args and yielded values: {count} != {len(last.arguments)}")
    for index, (argument, value) in enumerate(zip(block.args[1:], last.arguments, strict=True)):
        initial = op.iter_args[index].type
        if not same_type(initial, argument.type):
            fail(
                op,
                f"{index}-th init and {index}-th region iter_arg have different type: "
                f"{typed(initial)} != {typed(argument.type)}",
            )
        if not same_type(argument.type, value.type):
            fail(
                op,
                f"{index}-th region iter_arg and {index}-th yielded value have different type: "
                f"{typed(argument.type)} != {typed(value.type)}",
            )


def _verify_if(op: scf.IfOp) -> None:
    if op.output and not op.false_region.blocks:
        fail(op, "must have an else block if defining values")
    for region in (op.true_region, op.false_region):
        if region.blocks:
            _check_edge(op, region.blocks[0].last_op, "parent", [result.type for result in op.output])


def _verify_while(op: scf.WhileOp) -> None:
    before, after = op.before_region.blocks.first, op.after_region.blocks.first
    if before is None or after is None:
        return
    condition = before.last_op
    if not isinstance(condition, scf.ConditionOp):
        if condition is not None and not _is_unknown(condition):
            fail(op, "expects the 'before' region to terminate with 'scf.condition'")
        return
    if (
        not isinstance(after.last_op, scf.YieldOp)
        and after.last_op is not None
        and not _is_unknown(after.last_op)
    ):
        fail(op, "expects the 'after' region to terminate with 'scf.yield'")
    _check_edge(op, condition, "parent", [result.type for result in op.res])
    _check_edge(op, condition, "Region #1", [argument.type for argument in after.args])
    _check_edge(op, after.last_op, "Region #0", [argument.type for argument in before.args])


def _verify_execute_region(op: scf.ExecuteRegionOp) -> None:
    if not op.region.blocks:
        fail(op, "region needs to have at least one block")
    if op.region.blocks[0].args:
        fail(op, "region cannot have any arguments")
    types = [result.type for result in op.outs]
    for block in op.region.blocks:
        if isinstance(block.last_op, scf.YieldOp):
            _check_edge(op, block.last_op, "parent", types)


def _verify_index_switch(op: scf.IndexSwitchOp) -> None:
    types = [result.type for result in op.output]
    values = integers(op.cases)
    if len(values) != len(op.case_regions):
        fail(op, f"has {len(op.case_regions)} case regions but {len(values)} case values")
    for number in values:
        if values.count(number) > 1:
            fail(op, f"has duplicate case value: {number}")
    _check_region(op, "default region", op.default_region, types)
    for index, region in enumerate(op.case_regions):
        _check_region(op, f"case region #{index}", region, types)


def _check_region(op: scf.IndexSwitchOp, name: str, region: Region, types: Sequence[Attribute]) -> None:
    last = region.blocks[0].last_op if region.blocks else None
    if not isinstance(last, scf.YieldOp):
        return
    count = len(last.arguments)
    if count != len(types):
        fail(op, f"expected each region to return {len(types)} values, but {name} returns {count}")
    for index, (value, type) in enumerate(zip(last.arguments, types, strict=True)):
        if not same_type(value.type, type):
            fail(op, f"expected result #{index} of each region to be {typed(type)}")


def _verify_parallel(loop: scf.ParallelOp) -> None:
    block = loop.body.blocks.first
    if block is None or any(_is_unknown(op) for op in block.ops):
        return
    steps = len(loop.step)
    if len(block.args) != steps:
        counts = f"{len(block.args)} as bound and step values: {steps}"
        fail(loop, f"expects the same number of induction variables: {counts}")
    reductions = sum(len(op.reductions) for op in block.ops if isinstance(op, scf.ReduceOp))
    if len(loop.res) != reductions:
        counts = f"{len(loop.res)} to be the same as number of reductions: {reductions}"
        fail(loop, f"expects number of results: {counts}")


def _verify_reduce(op: scf.ReduceOp) -> None:
    for index, (value, region) in enumerate(zip(op.args, op.reductions, strict=False)):
        block = region.blocks.first
        types = () if block is None else block.arg_types
        if len(types) != 2 or not all(same_type(value.type, type) for type in types):
            arguments = f"expected two block arguments with type {typed(value.type)}"
            fail(op, f"{arguments} in the {index}-th reduction region")
    parent = op.parent_op()
    if not isinstance(parent, scf.ParallelOp) or len(op.args) != len(parent.res):
        return
    for index, (value, result) in enumerate(zip(op.args, parent.res, strict=True)):
        if not same_type(value.type, result.type):
            same = f"{typed(value.type)} to be the same as the {index}-th result type: {typed(result.type)}"
            fail(op, f"expects type of {index}-th reduction operand: {same}")


def _verify_reduce_return(op: scf.ReduceReturnOp) -> None:
    region = op.parent_region()
    block = region.blocks.first if region is not None else None
    if block is None or not block.args or not isinstance(op.parent_op(), scf.ReduceOp):
        return
    wanted = block.args[0].type
    if not same_type(wanted, op.result.type):
        fail(op, f"must have type {typed(wanted)} (the type of the reduction inputs)")


def _verify_forall(op: scf.ForallOp) -> None:
    rank = len(integers(op.static_lower_bound))
    block = op.region.blocks.first
    if block is not None and len(block.args) != rank + len(op.outputs):
        fail(op, f"region expects {rank} arguments")
    for name, values in (("upper bound", op.static_upper_bound), ("step", op.static_step)):
        if len(integers(values)) != rank:
            raise UnprefixedVerifyException(f"expected {rank} {name} values, got {len(integers(values))}")


def _is_unknown(op: Operation) -> bool:
    return op.name.startswith("gpuasync.")


def _check_edge(op: Operation, last: Operation | None, target: str, types: Sequence[Attribute]) -> None:
    """Raise a VerifyException unless `last`, which ends a region of `op`, forwards values of `types`.

    `target` is how the message names their destination: `parent` or `Region #0`.
    """
    if not isinstance(last, scf.YieldOp | scf.ConditionOp):
        if last is not None and types and not _is_unknown(last) and not last.has_trait(IsTerminator):
            counts = f"has 0 operands, but region successor needs {len(types)} inputs"
            _fail_edge(op, scf.YieldOp.name, target, f"region branch point {counts}")
        return
    values = last.args if isinstance(last, scf.ConditionOp) else last.arguments
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


FIRST: First = {
    "scf.execute_region": _verify_execute_region,
    "scf.for": _verify_for,
    "scf.forall": _verify_forall,
    "scf.if": _verify_if,
    "scf.index_switch": _verify_index_switch,
    "scf.parallel": _verify_parallel,
    "scf.reduce": _verify_reduce,
    "scf.reduce.return": _verify_reduce_return,
    "scf.while": _verify_while,
}

CHECKS = {
    "scf.forall": _forall,
    "scf.forall.in_parallel": _in_parallel,
    "scf.if": _if,
    "scf.parallel": _parallel,
    "scf.reduce": _reduce,
}
