"""Expands `nvvm.mbarrier.*` for CPU execution into words at a pointer, in the format of `mbarriers.py`.

Through LLVM 21, workgroup memory has separate ops, `nvvm.mbarrier.*.shared`. A try_wait with a result tests
once. Ops with an unsupported predicate or hint are not expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from gpuasync_lsp.lowering.conversion.edits import replace
from gpuasync_lsp.lowering.passes.kernels.mbarriers import function_text
from gpuasync_lsp.lowering.passes.kernels.snippets import call_text
from gpuasync_lsp.syntax.dialects import gpu
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType

_PREFIX = "nvvm.mbarrier."

_MEMREF = """
func.func private @NAME(%p: {pointer}) -> {barriers} {{
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %u0 = llvm.mlir.undef : {descriptor}
  %u1 = llvm.insertvalue %p, %u0[0] : {descriptor}
  %u2 = llvm.insertvalue %p, %u1[1] : {descriptor}
  %u3 = llvm.insertvalue %zero, %u2[2] : {descriptor}
  %u4 = llvm.insertvalue %one, %u3[3, 0] : {descriptor}
  %u5 = llvm.insertvalue %one, %u4[4, 0] : {descriptor}
  %seen = builtin.unrealized_conversion_cast %u5 : {descriptor} to {barriers}
  return %seen : {barriers}
}}
"""
_INDEX = """
func.func private @NAME(%n: i32) -> index {
  %i = arith.index_castui %n : i32 to index
  return %i : index
}
"""
_NEGATED = """
func.func private @NAME(%n: i32) -> index {
  %i = arith.index_castui %n : i32 to index
  %zero = arith.constant 0 : index
  %minus = arith.subi %zero, %i : index
  return %minus : index
}
"""
_BIT = """
func.func private @NAME(%n: i32) -> i1 {
  %bit = arith.trunci %n : i32 to i1
  return %bit : i1
}
"""
_CONSTANTS = """
func.func private @NAME() -> (index, index, i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  return %zero, %one, %true : index, index, i1
}
"""


@dataclass(frozen=True)
class _Call:
    """The replacement of an op: a function of `mbarriers.py`, and its arguments after the barrier."""

    function: str
    arguments: Callable[[_Given], Sequence[SSAValue]]
    operands: range
    """The supported numbers of operands; an op with more has an unsupported predicate or hint."""
    results: Sequence[Attribute] = ()


@dataclass(frozen=True)
class _Given:
    op: Operation
    zero: SSAValue
    one: SSAValue
    truth: SSAValue

    def number(self, at: int, text: str = _INDEX) -> SSAValue:
        """Return an operand of type i32 as an index; 1 if the op has no such operand."""
        if at >= len(self.op.operands):
            return self.one
        return call_text(self.op, text, [self.op.operands[at]], [self.one.type]).results[0]

    def bit(self, at: int) -> SSAValue:
        return call_text(self.op, _BIT, [self.op.operands[at]], [i1]).results[0]

    def predicate(self, at: int) -> SSAValue:
        return self.op.operands[at] if at < len(self.op.operands) else self.truth


_ARRIVE = _Call("change", lambda g: [g.number(1), g.zero, g.zero], range(1, 3), [i64])
_DROP = _Call("change", lambda g: [arrivals := g.number(1), g.zero, arrivals], range(1, 3), [i64])
_EXPECT = _Call("change", lambda g: [g.one, g.number(1), g.zero], range(2, 3), [i64])
_TEST = _Call("test", lambda g: [g.op.operands[1]], range(2, 4), [i1])
_CALLS = {
    "init": _Call("init", lambda g: [g.number(1), g.predicate(2)], range(2, 4)),
    "arrive": _ARRIVE,
    "arrive.nocomplete": _ARRIVE,
    "arrive_drop": _DROP,
    "arrive_drop.nocomplete": _DROP,
    "arrive_drop.expect_tx": _Call("change", lambda g: [g.one, g.number(1), g.one], range(2, 3), [i64]),
    "expect_tx": _Call("change", lambda g: [g.zero, g.number(1), g.zero], range(2, 3), [i64]),
    "complete_tx": _Call("change", lambda g: [g.zero, g.number(1, _NEGATED), g.zero], range(2, 3), [i64]),
    "test.wait": _TEST,
    "try_wait": _TEST,
    "try_wait.parity": _Call("wait", lambda g: [g.bit(1)], range(3, 4)),
}
_TEST_PARITY = _Call("test_parity", lambda g: [g.bit(1)], range(2, 4), [i1])
_EXPECT_IF = _Call("expect", lambda g: [g.number(1), g.predicate(2)], range(2, 4))


def _call(op: Operation, kind: str) -> _Call | None:
    """Return the replacement of an op of `kind`, or None."""
    call = _CALLS.get(kind)
    if kind == "arrive.expect_tx":
        call = _EXPECT if op.results else _EXPECT_IF
    elif call is _TEST and len(op.operands) > 1 and op.operands[1].type == i32:
        call = _TEST_PARITY
    if call is None or len(op.operands) not in call.operands:
        return None
    types = [each.type for each in op.results]
    return call if not types or types == list(call.results) else None


def expand_nvvm_barriers(module: gpu.GPUModuleOp) -> None:
    """Expand the ops in `module` on mbarriers at pointers, in place."""
    for op in list(module.walk()):
        kind = op.name.removeprefix(_PREFIX).removesuffix(".shared")
        if not op.name.startswith(_PREFIX) or _space(op.operands[0]) not in (0, 3, 7):
            continue
        if kind == "inval":
            replace(op, [])
        elif (call := _call(op, kind)) is not None:
            _expand(op, call)


def _space(pointer: SSAValue) -> int | None:
    """Return the address space of a pointer: 3 for workgroup memory, 7 for that of a cluster, 0 for generic;
    None for other types."""
    return pointer.type.space if isinstance(pointer.type, LLVMPointerType) else None


def _expand(op: Operation, call: _Call) -> None:
    pointer = op.operands[0]
    space = _space(pointer)
    barriers = MemRefType(i64, [1], memory_space=IntegerAttr(space, 64)) if space else MemRefType(i64, [1])
    inner = str(pointer.type).removeprefix("!llvm.")
    descriptor = f"!llvm.struct<({inner}, {inner}, i64, array<1 x i64>, array<1 x i64>)>"
    text = _MEMREF.format(pointer=pointer.type, barriers=barriers, descriptor=descriptor)
    words = call_text(op, text, [pointer], [barriers]).results[0]
    zero, one, truth = call_text(op, _CONSTANTS, [], [IndexType(), IndexType(), i1]).results
    operands = [words, zero, *call.arguments(_Given(op, zero, one, truth))]
    made = call_text(op, function_text(call.function, barriers), operands, call.results)
    replace(op, made.results if op.results else [])
