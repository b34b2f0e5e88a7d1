"""A thread reads memory that another thread of its block writes, without a barrier in between.

## What happens
The threads of a block run in any order. Other threads may read what a thread writes to workgroup memory, or
to a device buffer, only after a barrier that follows the write, and may overwrite what a thread reads only
after a barrier that follows the read. Without a barrier, the results of the kernel may differ from launch to
launch.

The addresses of all threads of a block are computed, for the sizes of a launch in the file or those that the
kernel declares.

## What it does not report
- Block sizes that are not constant, and blocks of more than 1,024 threads.
- Addresses that depend on loaded values, or on integers that are not constant.
- Accesses under an unknown condition; a guard such as `id < n` is assumed to be true for a whole block.
- Accesses with an op in between that may order threads: shuffles, votes, mbarriers, calls, inline assembly.
- Memory that is used by asynchronous copies, matrix ops or pointers of the LLVM dialect.
- Two writes, two atomic updates, threads of different blocks, and a thread that reads what it has written
  itself.

## Example
```mlir
func.func @main(%value: f32) {
  %one = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%thread, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one)
      workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) {
    memref.store %value, %tile[%thread] : memref<64xf32, #gpu.address_space<workgroup>>
    %last = arith.constant 63 : index
    %mirrored = arith.subi %last, %thread : index
    %other = memref.load %tile[%mirrored] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
```
Use instead:
```mlir
func.func @main(%value: f32) {
  %one = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%thread, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one)
      workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) {
    memref.store %value, %tile[%thread] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %last = arith.constant 63 : index
    %mirrored = arith.subi %last, %thread : index
    %other = memref.load %tile[%mirrored] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation

from gpuasync_lsp.analysis.model.kernel_blocks import Inspected, inspected
from gpuasync_lsp.analysis.model.memory.one_block import Kernel, Unordered
from gpuasync_lsp.analysis.repairs.edits import lines_before
from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.text import Fix, Related, Safety, Severity

_TITLE = "Insert a gpu.barrier before it"


def check_unit(unit: Unit) -> Iterator[Draft]:
    """Find conflicting accesses by threads of one block that no barrier orders."""
    seen: set[tuple[Operation, Operation]] = set()
    for each in inspected(unit.item, unit.context, unit.profile):
        for race in each.found.unordered:
            pair = race.earlier, race.later
            if pair not in seen and pair[0] in unit.item.spans.ops and pair[1] in unit.item.spans.ops:
                seen.add(pair)
                yield _draft(unit, each, race)


def _draft(unit: Unit, each: Inspected, race: Unordered) -> Draft:
    spans, block = unit.item.spans, each.block or (1, 1, 1)
    others, thread = (_name(number, block) for number in race.threads)
    here, there = ("reads", "writes") if race.reads_later else ("writes", "reads")
    message = (
        f"Thread {thread} {here} an element here that thread {others} of its block {there}, with no "
        "barrier in between: the order is undefined.\n"
        "Put a gpu.barrier between them, at a point that all threads of the block reach."
    )
    related = (Related(spans.name(race.earlier), f"thread {others} {there} it here"),)
    return Draft(spans.name(race.later), message, related, tuple(_barrier(unit, each.kernel, race)))


def _name(number: int, block: tuple[int, int, int]) -> str:
    x, y, z = number % block[0], number // block[0] % block[1], number // block[0] // block[1]
    return str(x) if block[1:] == (1, 1) else f"({x}, {y}, {z})"


def _barrier(unit: Unit, kernel: Kernel, race: Unordered) -> Iterator[Fix]:
    """Yield the fix that inserts a barrier between the accesses, at a point that all threads reach."""
    place = _place(kernel, race)
    if place is not None and place in unit.item.spans.ops:
        edit = lines_before(unit.item.spans, place, "gpu.barrier")
        yield Fix(_TITLE, Safety.UNSAFE, (edit,), "the threads of a block wait for each other")


def _place(kernel: Kernel, race: Unordered) -> Operation | None:
    """Return the last op at which a barrier would separate both accesses; None if some threads miss it."""
    block = _common_block(race)
    place = at = _within(race.later, block)
    if at is None or at is _within(race.earlier, block):
        return None
    while at.parent_region() is not kernel.region and (outer := at.parent_op()) is not None:
        bounds = outer.operands[:1] if outer.name == "scf.if" else outer.operands[:3]
        if outer.name not in ("scf.if", "scf.for") or not all(map(kernel.uniform.is_uniform, bounds)):
            return None  # Only some threads reach this op.
        at = outer
    return place


def _common_block(race: Unordered) -> Block | None:
    around: set[Block | None] = set()
    op: Operation | None = race.earlier
    while op is not None:
        around.add(op.parent_block())
        op = op.parent_op()
    op = race.later
    while op is not None and op.parent_block() not in around:
        op = op.parent_op()
    return op.parent_block() if op is not None else None


def _within(op: Operation | None, block: Block | None) -> Operation | None:
    """Return `op` or its ancestor that is directly in `block`; None if there is none."""
    while op is not None and op.parent_block() is not block:
        op = op.parent_op()
    return op


RULE = Rule("GA603", "kernel-race", Severity.ERROR, check_unit=check_unit)
