"""Expands nvgpu's mbarriers for CPU execution into words of workgroup memory that change atomically.

A word has 20 bits for the number of arrivals that a phase needs, 20 for the pending arrivals, one for
the phase's parity, and 23 for the pending bytes of copies. A phase completes when nothing is pending
(PTX ISA, "Phase of the mbarrier object"); a wait polls its parity.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    IntAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.passes.expand_vectors.elements import Builder
from gpuasync_lsp.lowering.passes.kernels.snippets import call_text
from gpuasync_lsp.syntax.dialects import gpu, memref, nvgpu
from gpuasync_lsp.syntax.ods.by_table import TableOp
from gpuasync_lsp.syntax.symbols import symbol_name

WORKGROUP = IntegerAttr(3, 64)

UPDATE = """
  %old = memref.generic_atomic_rmw %barriers[%which] : {barriers} {{
  ^bb0(%state: i64):
    %m20 = arith.constant 1048575 : i64
    %m23 = arith.constant 8388607 : i64
    %n0 = arith.constant 0 : i64
    %n1 = arith.constant 1 : i64
    %n20 = arith.constant 20 : i64
    %n40 = arith.constant 40 : i64
    %n41 = arith.constant 41 : i64
    %needed = arith.andi %state, %m20 : i64
    %s20 = arith.shrui %state, %n20 : i64
    %pending = arith.andi %s20, %m20 : i64
    %s40 = arith.shrui %state, %n40 : i64
    %phase = arith.andi %s40, %n1 : i64
    %bytes = arith.shrui %state, %n41 : i64
    %fewer = arith.subi %pending, %arrivals : i64
    %left = arith.andi %fewer, %m20 : i64
    %more = arith.addi %bytes, %added : i64
    %missing = arith.andi %more, %m23 : i64
    %both = arith.ori %left, %missing : i64
    %done = arith.cmpi eq, %both, %n0 : i64
    %kept = arith.subi %needed, %dropped : i64
    %next = arith.select %done, %kept, %left : i64
    %flip = arith.extui %done : i1 to i64
    %now = arith.xori %phase, %flip : i64
    %a = arith.shli %next, %n20 : i64
    %b = arith.shli %now, %n40 : i64
    %c = arith.shli %missing, %n41 : i64
    %ab = arith.ori %a, %b : i64
    %abc = arith.ori %ab, %c : i64
    %new = arith.ori %abc, %kept : i64
    memref.atomic_yield %new : i64
  }}
"""
"""MLIR that subtracts `%arrivals` from barrier `%which` of `%barriers`, adds `%added` pending bytes, and
reduces the number of arrivals that later phases need by `%dropped`.

`%old` is the previous state."""

_PHASE = """
    %none = arith.constant 0 : i64
    %state = memref.atomic_rmw ori %none, %barriers[%which] : (i64, {barriers}) -> i64
    %n40 = arith.constant 40 : i64
    %n1 = arith.constant 1 : i64
    %s40 = arith.shrui %state, %n40 : i64
    %phase = arith.andi %s40, %n1 : i64
"""

_INIT = """
func.func private @NAME(%barriers: {barriers}, %which: index, %count: index, %does: i1) {{
  scf.if %does {{
    %n20 = arith.constant 20 : i64
    %needed = arith.index_cast %count : index to i64
    %pending = arith.shli %needed, %n20 : i64
    %state = arith.ori %needed, %pending : i64
    memref.store %state, %barriers[%which] : {barriers}
  }}
  return
}}
"""
_CHANGE = """
func.func private @NAME(%barriers: {barriers}, %which: index, %m: index, %n: index, %d: index) -> i64 {{
  %arrivals = arith.index_cast %m : index to i64
  %added = arith.index_cast %n : index to i64
  %dropped = arith.index_cast %d : index to i64
  {update}
  return %old : i64
}}
"""
_EXPECT = """
func.func private @NAME(%barriers: {barriers}, %which: index, %expected: index, %does: i1) {{
  scf.if %does {{
    %arrivals = arith.constant 1 : i64
    %added = arith.index_cast %expected : index to i64
    %dropped = arith.constant 0 : i64
    {update}
  }}
  return
}}
"""
_TEST = """
func.func private @NAME(%barriers: {barriers}, %which: index, %token: i64) -> i1 {{
  {phase}
  %t40 = arith.shrui %token, %n40 : i64
  %then = arith.andi %t40, %n1 : i64
  %over = arith.cmpi ne, %phase, %then : i64
  return %over : i1
}}
"""
_TEST_PARITY = """
func.func private @NAME(%barriers: {barriers}, %which: index, %parity: i1) -> i1 {{
  {phase}
  %wanted = arith.extui %parity : i1 to i64
  %over = arith.cmpi ne, %phase, %wanted : i64
  return %over : i1
}}
"""
_WAIT = """
func.func private @NAME(%barriers: {barriers}, %which: index, %parity: i1) {{
  %wanted = arith.extui %parity : i1 to i64
  scf.while : () -> () {{
    {phase}
    %same = arith.cmpi eq, %phase, %wanted : i64
    scf.condition(%same)
  }} do {{
    scf.yield
  }}
  return
}}
"""


_EXPANDED = (*nvgpu.MBARRIER_OPS, nvgpu.TmaAsyncLoadOp)


def expand_mbarriers(module: gpu.GPUModuleOp) -> None:
    """Expand the mbarriers created in the kernels of `module`, and the ops on them, in place.

    `nvgpu.mbarrier.get`, and barrier groups that are passed to a region or function, are not expanded.
    The barriers of TMA copies are then memrefs; `tensor_maps.py` expands the copies."""
    for op in list(module.walk()):
        if isinstance(op, nvgpu.MBarrierCreateOp) and all(
            isinstance(use.operation, _EXPANDED) for use in op.barriers.uses
        ):
            _make(op, module)
    for op in list(module.walk()):
        if isinstance(op, _EXPANDED) and op.barriers.type.name == MemRefType.name:
            _expand(op)


def predicate(op: TableOp) -> SSAValue:
    """Return the predicate of an op, or the constant true if it has none."""
    return op.predicate if op.predicate is not None else Builder(op).truth(True)


def _make(op: TableOp, module: gpu.GPUModuleOp) -> None:
    count = op.barriers.type.fields.data.get("num_barriers", IntAttr(1)).data
    type = MemRefType(i64, [count], memory_space=WORKGROUP)
    body = module.body_region.blocks[0]
    taken = {symbol_name(each) for each in body.ops}
    names = (f"gpuasync_mbarriers_{number}" for number in range(len(taken) + 1))
    name = next(each for each in names if each not in taken)
    words = memref.GlobalOp.create(
        properties={"sym_name": StringAttr(name), "type": type, "initial_value": UnitAttr()}
    )
    words.location = op.location
    first = body.first_op
    assert first is not None, "the module contains the kernel"
    body.insert_op_before(words, first)
    replace(op, [Builder(op).create(memref.GetGlobalOp, [], type, {"name": SymbolRefAttr(name)})])


def _expand(op: TableOp) -> None:
    if op.name == nvgpu.TmaAsyncLoadOp.name:
        return
    operands = [op.barriers, op.mbar_id]
    results: Sequence[Attribute] = ()
    if op.name == nvgpu.MBarrierInitOp.name:
        function = "init"
        operands += [op.count, predicate(op)]
    elif op.name == nvgpu.MBarrierArriveExpectTxOp.name:
        function = "expect"
        operands += [op.txcount, predicate(op)]
    elif op.name == nvgpu.MBarrierTryWaitParityOp.name:
        function = "wait"
        operands.append(op.phase_parity)
    elif op.name == nvgpu.MBarrierTestWaitOp.name:
        if op.token.type != i64:
            return
        function, results = "test", [i1]
        operands.append(op.token)
    else:
        function, results = "change", [i64]
        counted = op.name == nvgpu.MBarrierArriveNoCompleteOp.name
        make = Builder(op)
        operands += [op.count if counted else make.index(1), make.index(0), make.index(0)]
    call = call_text(op, function_text(function, op.barriers.type), operands, results)
    replace(op, call.results)


_TEXTS = {
    "init": _INIT,
    "change": _CHANGE,
    "expect": _EXPECT,
    "test": _TEST,
    "test_parity": _TEST_PARITY,
    "wait": _WAIT,
}


def function_text(name: str, barriers: Attribute) -> str:
    """Return the MLIR of a function such as `init` or `wait`, for a barrier in a memref of this type."""
    type = str(barriers)
    update, phase = (text.format(barriers=type) for text in (UPDATE, _PHASE))
    return _TEXTS[name].format(update=update, phase=phase, barriers=type)
