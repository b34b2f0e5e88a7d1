"""Our replacements of xDSL methods behave like the originals, in a fresh process."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import _abc
from dataclasses import dataclass
from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, Signedness, f32, i1, i8, i32, i64
from xdsl.dialects import arith, builtin, cf, func, scf
from xdsl.ir import Attribute, Block, Operation
from xdsl.ir.core import IRWithUses
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser

TEXT = '''
func.func @f(%n: index, %c: i1, %x: i32) -> i32 {
  %zero = arith.constant 0 : index
  %0 = scf.if %c -> (i32) {
    %1 = arith.addi %x, %x : i32
    scf.yield %1 : i32
  } else {
    scf.for %i = %zero to %n step %n {
      %2 = arith.muli %x, %x : i32
    }
    scf.yield %x : i32
  }
  func.return %0 : i32
}
'''
context = Context()
for dialect in (builtin.Builtin, arith.Arith, func.Func, scf.Scf):
    context.load_dialect(dialect)
module = Parser(context, TEXT).parse_module()
unsigned = IntegerType(32, Signedness.UNSIGNED)
arrays = [
    DenseArrayBase.from_list(kind, values)
    for kind, values in (
        (i32, []), (i32, [1, -2, 3]), (i32, [7] * 16), (i32, [7] * 17), (unsigned, [2**32 - 1]),
        (i64, [2**40, -1]), (i8, [1, 2, 3, 4]), (f32, [1.5]),
    )
]

def made():
    # New ops: their values, uses in order, defaults, and what changes of operands and successors leave.
    block, one, two = Block(), Block(), Block()
    number = arith.ConstantOp(IntegerAttr(7, i32))
    add = arith.AddiOp(number, number)
    other = arith.MuliOp(add, number)
    order = [[use.operation.name + str(use.index) for use in number.result.uses]]
    add.operands = [number.result, add.result]
    other.operands[1] = add.result
    order.append([use.operation.name + str(use.index) for use in number.result.uses])
    order.append([use.operation.name + str(use.index) for use in add.result.uses])
    add.operands = []
    left = (number.result, add.result)
    order.append([[use.operation.name + str(use.index) for use in v.uses] for v in left])
    views = [add.operands, other.operands, add.operands]
    order.append([views[0] == views[2], views[0] == views[1], len(views[1])])
    order.append([[v is add.result for v in views[1]], len(views[1][:1]), views[1][1] is add.result])
    order.append([type(views[1][1:]), refused(lambda: block.add_op(module.ops.first)), block.is_empty])
    for op in (number, add):
        block.add_op(op)
    order.append([len(block.ops), block.first_op is number, block.last_op is add, number.next_op is add])
    order.append([add.prev_op is number, add.next_op is None, add.parent is block, number.prev_op is None])
    order.append([refused(lambda: block.add_op(add)), number.result.owner is number])
    choice = cf.ConditionalBranchOp(number, one, [number, add], two, [add])
    order.append([choice.cond is number.result, len(choice.then_arguments), len(choice.else_arguments)])
    order.append([choice.parent_op(), number.parent_op()])
    order.append([choice.else_arguments[0] is add.result, [each is one for each in choice.successors]])
    order.append([len(choice.successors), choice.successors == cf.BranchOp(one).successors])
    jump = cf.BranchOp(one)
    jump.successors = [two, one, two]
    order.append([[use.index for use in each.uses] for each in (one, two)])
    bare = arith.AddiOp.create(operands=add.operands, result_types=[i32])
    none = scf.YieldOp.create()
    copy = module.clone()
    uses = [[use.index for use in v.uses] for op in copy.walk() for v in op.results]
    kinds = [type(v) for v in (add.operands, add.results, add._operands, add._successors, add.regions)]
    return [
        [str(bare.properties), [v.type for v in bare.results], bare.operands == add.operands],
        [type(v) for v in (none._operands, none.results, none._successors, none._operand_uses)],
        order, uses, kinds, str(add.properties), str(add.attributes), str(add.location), str(copy),
        [str(op.location) + str(op.properties) for op in copy.walk()],
        refused(Wrong), refused(lambda: add.add_region(module.body)),
    ]

@dataclass(frozen=True)
class Wrong(Attribute):
    name = "test.wrong"

def refused(make):
    try:
        make()
    except (TypeError, ValueError) as error:
        return str(error)

def kinds_of(root):
    return {root}.union(*(kinds_of(each) for each in root.__subclasses__()))

KINDS = [k for root in (Operation, Attribute, IRWithUses) for k in kinds_of(root)]

def plain():
    # `isinstance` and `issubclass` say the same of every pair of classes, also of those defined later.
    class Later(IRDLOperation):
        name = "test.later"
    things = [*module.walk(), i32, f32, unsigned, *arrays, object(), module.body, module.body.block, 1]
    return [
        [issubclass(a, b) for a in (Later, int, type(module)) for b in KINDS],
        [isinstance(thing, b) for thing in things for b in KINDS],
        [kind for kind in KINDS if _abc._get_dump(kind)[0]], # No class is registered.
    ]

def facts():
    ops = [list(module.walk(reverse=r, region_first=f)) for r in (False, True) for f in (False, True)]
    values = [v for op in ops[0] for v in (*op.operands, *op.results)]
    first = next(op for op in ops[0] if op.name == "scf.for")
    choice = next(op for op in ops[0] if op.name == "scf.if")
    walked = [
        list(each.walk(reverse=r, region_first=f))
        for each in (module.body, module.body.block, first.body, first, module.ops.first)
        for r in (False, True) for f in (False, True)
    ]
    return [
        *walked, [op.parent_op() for op in ops[0]], [v.owner for v in values],
        [len(block.ops) for block in module.walk_blocks()],
        *ops, values, [v.type for v in values],
        [[(use.operation, use.index) for use in v.uses] for v in values],
        [first.lb, first.ub, first.step, list(first.iter_args), list(first.res), first.body],
        [choice.cond, list(choice.output), choice.true_region, choice.false_region],
        [len(set(values)), len(set(ops[0]))],
        [first._operands[0], first._operands[-1], first._operands[1:], first._operands[:2].types],
        [type(first._operands[9:]), type(first.iter_args), type(choice.results[:1])],
        [[a.is_ancestor(b) for b in (*ops[0], module.body)] for a in ops[0]],
        [list(block.ops) for op in ops[0] for region in op.regions for block in region.blocks],
        *made(), plain(),
        [a.get_values() for a in arrays], list(map(type, (a.get_values() for a in arrays))),
    ]

before = facts()
from gpuasync_lsp.syntax.xdsl_speed import speed_up
speed_up()
after = facts()
assert len(before) == len(after)
for number, (old, new) in enumerate(zip(before, after)):
    assert old == new, (number, old, new)
assert type(Operation) is not type(int) and all(type(kind) is type(Operation) for kind in kinds_of(Operation))

# One that is made like another.
from gpuasync_lsp.syntax.xdsl_speed import like, operands_of, successors_of
number = arith.ConstantOp(IntegerAttr(7, i32))
add = arith.AddiOp(number, number)
again = like(type(add), [number.result] * 2, [i32], add.properties, add.attributes)
add.verify(), again.verify()
assert str(again) == str(add) and set(vars(again)) == set(vars(add)), (vars(again), vars(add))
assert [type(v) for v in vars(again).values()] == [type(v) for v in vars(add).values()]
assert again.properties is not add.properties and len([*number.result.uses]) == 4
assert operands_of(add) == tuple(add.operands) and successors_of(cf.BranchOp(Block())) != ()

# What is handed out may be detached while a block is walked.
seen = []
for op in module.ops.first.body.block.ops:
    seen.append(op.name)
    if op.name == "arith.constant":
        op.detach()
assert seen == ["arith.constant", "scf.if", "func.return"], seen
print("equal")
"""


def test_that_what_is_replaced_stays_the_same() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout == "equal\n", done.stderr
