"""Translates memory ops of the llvm dialect: allocas, loads, stores, addresses, atomics."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from gpuasync_lsp.lowering.llvm_ir.body import Body, Handler
from gpuasync_lsp.lowering.llvm_ir.intrinsics import ATOMIC_KINDS
from gpuasync_lsp.lowering.llvm_ir.reading import (
    alignment,
    attribute,
    choice,
    int_list,
    ordering_of,
    scope,
    wrap_flags,
)
from gpuasync_lsp.lowering.llvm_ir.types import Untranslatable, address_space, ir_type

DYNAMIC_INDEX = -(2**31)
"""The marker for a dynamic index in `rawConstantIndices`."""


def _alloca(body: Body, op: Operation) -> None:
    element = attribute(op, "elem_type")
    if element is None:
        raise Untranslatable("llvm.alloca without an element type", op)
    space = address_space(op.results[0].type)
    body.define(
        op,
        f"alloca {ir_type(element)}, {body.typed(op.operands[0])}{alignment(op)}"
        + (f", addrspace({space})" if space else ""),
    )


def _load(body: Body, op: Operation) -> None:
    ordering = ordering_of(op, "ordering")
    atomic = "atomic " if ordering else ""
    volatile = "volatile " if attribute(op, "volatile_") is not None else ""
    body.define(
        op,
        f"load {atomic}{volatile}{ir_type(op.results[0].type)}, {body.typed(op.operands[0])}"
        f"{scope(op) if ordering else ''}{ordering}{alignment(op)}",
    )


def _store(body: Body, op: Operation) -> None:
    value, pointer = op.operands
    ordering = ordering_of(op, "ordering")
    atomic = "atomic " if ordering else ""
    volatile = "volatile " if attribute(op, "volatile_") is not None else ""
    body.put(
        f"store {atomic}{volatile}{body.typed(value)}, {body.typed(pointer)}"
        f"{scope(op) if ordering else ''}{ordering}{alignment(op)}",
        op,
    )


def _element_pointer(body: Body, op: Operation) -> None:
    element = attribute(op, "elem_type")
    if element is None:
        raise Untranslatable("llvm.getelementptr without an element type", op)
    base, *dynamic = op.operands
    remaining = iter(dynamic)
    indices = [
        body.typed(next(remaining)) if index == DYNAMIC_INDEX else f"i32 {index}"
        for index in int_list(op, "rawConstantIndices")
    ]
    flags = wrap_flags(op)
    if base.type.name == op.results[0].type.name == "llvm.ptr":
        # In LLVM an address is in its base's address space, regardless of the type that gpu-to-llvm assigns.
        body.types[op.results[0]] = body.typed(base).rpartition(" ")[0]
    body.define(op, f"getelementptr {flags}{ir_type(element)}, {body.typed(base)}, {', '.join(indices)}")


def _atomic(body: Body, op: Operation) -> None:
    pointer, value = op.operands
    volatile = "volatile " if attribute(op, "volatile_") is not None else ""
    body.define(
        op,
        f"atomicrmw {volatile}{choice(op, 'bin_op', ATOMIC_KINDS)} {body.typed(pointer)}, "
        f"{body.typed(value)}"
        f"{scope(op)}{ordering_of(op, 'ordering') or ' monotonic'}{alignment(op)}",
    )


def _exchange(body: Body, op: Operation) -> None:
    pointer, expected, new = op.operands
    weak = "weak " if attribute(op, "weak") is not None else ""
    body.define(
        op,
        f"cmpxchg {weak}{body.typed(pointer)}, {body.typed(expected)}, {body.typed(new)}{scope(op)}"
        f"{ordering_of(op, 'success_ordering')}{ordering_of(op, 'failure_ordering')}{alignment(op)}",
    )


def _fence(body: Body, op: Operation) -> None:
    body.put(f"fence{scope(op)}{ordering_of(op, 'ordering')}", op)


HANDLERS: Mapping[str, Handler] = {
    "llvm.alloca": _alloca,
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.getelementptr": _element_pointer,
    "llvm.atomicrmw": _atomic,
    "llvm.cmpxchg": _exchange,
    "llvm.fence": _fence,
}
