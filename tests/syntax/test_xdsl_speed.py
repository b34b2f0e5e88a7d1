"""What replaces methods of xDSL does what they do: compared with the originals, in a fresh process."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
from pathlib import Path
from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, Signedness, f32, i1, i8, i32, i64
from xdsl.dialects import arith, builtin, func, scf
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

def facts():
    ops = [list(module.walk(reverse=r, region_first=f)) for r in (False, True) for f in (False, True)]
    values = [v for op in ops[0] for v in (*op.operands, *op.results)]
    first = next(op for op in ops[0] if op.name == "scf.for")
    choice = next(op for op in ops[0] if op.name == "scf.if")
    return [
        *ops, values, [v.type for v in values],
        [[(use.operation, use.index) for use in v.uses] for v in values],
        [first.lb, first.ub, first.step, list(first.iter_args), list(first.res), first.body],
        [choice.cond, list(choice.output), choice.true_region, choice.false_region],
        [len(set(values)), len(set(ops[0]))],
        [list(block.ops) for op in ops[0] for region in op.regions for block in region.blocks],
        [a.get_values() for a in arrays], list(map(type, (a.get_values() for a in arrays))),
    ]

before = facts()
from gpuasync_lsp.syntax.xdsl_speed import speed_up
speed_up()
after = facts()
assert len(before) == len(after)
for number, (old, new) in enumerate(zip(before, after)):
    assert old == new, (number, old, new)

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
