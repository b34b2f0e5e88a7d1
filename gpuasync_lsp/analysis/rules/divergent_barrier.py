"""A barrier that only some threads of a block reach.

## What happens
All threads of a block must reach the same gpu.barrier equally often. If some do not, the block deadlocks, or
threads synchronize at different barriers and read data that has not been written yet.

The finding is an error if it is certain: for the sizes of a launch in the file, or those that the kernel
declares, the threads of one block take different paths. It is a warning if the condition of a branch is
computed from the thread id and its outcome is unknown.

## What it does not report
- A condition that depends on anything other than thread and block ids, constants and integer arguments of
  the kernel, such as loaded values.
- A loop with unknown bounds, and branches between blocks (`cf.cond_br`) with an unknown condition.
- Barriers with their own id (`nvvm.barrier id = ...`), and barriers in device functions.
- Blocks of more than 1,024 threads.

## Example
```mlir
func.func @main(%value: f32, %count: index) {
  %one = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%thread, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one)
      workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) {
    %is_inside = arith.cmpi ult, %thread, %count : index
    scf.if %is_inside {
      memref.store %value, %tile[%thread] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
    }
    gpu.terminator
  }
  return
}
```
Use instead:
```mlir
func.func @main(%value: f32, %count: index) {
  %one = arith.constant 1 : index
  %threads = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
      threads(%thread, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one)
      workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) {
    %is_inside = arith.cmpi ult, %thread, %count : index
    scf.if %is_inside {
      memref.store %value, %tile[%thread] : memref<64xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    gpu.terminator
  }
  return
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from gpuasync_lsp.analysis.model.kernel_blocks import Inspected, inspected
from gpuasync_lsp.analysis.model.memory.one_block import Divergent, Kernel, is_barrier
from gpuasync_lsp.analysis.rule import Draft, Rule, Unit
from gpuasync_lsp.text import Related, Severity


def check_unit(unit: Unit) -> Iterator[Draft]:
    """Find barriers that not all threads of a block reach."""
    seen: set[Operation] = set()
    for each in inspected(unit.item, unit.context, unit.profile):
        certain = each.found.divergent
        for divergent in _possible(each) if certain is None else (certain,):
            if divergent.barrier not in seen:
                seen.add(divergent.barrier)
                yield _draft(unit, each, divergent, is_certain=certain is not None)


def _possible(each: Inspected) -> Iterator[Divergent]:
    """Yield barriers in thread-dependent branches whose outcome is unknown."""
    for barrier in each.kernel.barriers():
        branch = _branch_by_thread(each.kernel, barrier)
        if branch is not None and (each.block is None or branch not in each.found.decided):
            yield Divergent(barrier, branch)


def _branch_by_thread(kernel: Kernel, barrier: Operation) -> Operation | None:
    """Return the innermost branch around `barrier` whose condition depends on the thread id.

    Returns None if the condition also depends on unknown values, or if both sides have a barrier."""
    inner, outer = barrier, barrier.parent_op()
    while outer is not None and inner.parent_region() is not kernel.region:
        if outer.name == "scf.if" and kernel.uniform.is_by_thread(outer.operands[0]):
            return None if _has_as_many(outer, inner) else outer
        inner, outer = outer, outer.parent_op()
    return None


def _has_as_many(branch: Operation, inner: Operation) -> bool:
    """Return whether both sides of `branch` have a barrier; `inner` is in one of them."""
    sides = [any(map(is_barrier, region.walk())) for region in branch.regions]
    return len(sides) == 2 and all(sides)


def _draft(unit: Unit, each: Inspected, divergent: Divergent, *, is_certain: bool) -> Draft:
    spans = unit.item.spans
    barrier, at = divergent
    if is_certain and each.block is not None:
        size = ", ".join(map(str, each.block))
        what = f"In a block of ({size}) threads, some reach this barrier more often than others"
    else:
        what = "Threads of a block may disagree on a condition around this barrier, so only some reach it"
    related = ()
    if at in spans.ops and at is not barrier:
        related = (Related(spans.name(at), "the threads diverge here"),)
    return Draft(
        spans.name(barrier) if barrier in spans.ops else spans.name(next(iter(unit.item.ops))),
        f"{what}: the threads deadlock, or synchronize at different barriers.\n"
        "Move the barrier to a point that all threads of the block reach.",
        related,
        severity=None if is_certain else Severity.WARNING,
    )


RULE = Rule("GA602", "divergent-barrier", Severity.ERROR, check_unit=check_unit)
