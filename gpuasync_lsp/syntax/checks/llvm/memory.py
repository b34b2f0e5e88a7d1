"""llvm: loads and stores, atomic operations, addresses."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects.builtin import NoneAttr, i1
from xdsl.ir import Attribute

from gpuasync_lsp.syntax import kinds
from gpuasync_lsp.syntax.checks.view import Checks, NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm import ATOMIC_BINARY_OPS, GEP_DYNAMIC_INDEX, ORDERINGS
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LLVMArrayType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVectorType,
)
from gpuasync_lsp.syntax.llvm_types import (
    differ,
    element,
    is_atomic,
    is_float,
    is_scalable,
    is_vector,
    quoted,
    width,
)

_FLOAT_OPS = frozenset({"fadd", "fsub", "fmin", "fmax", "fminimum", "fmaximum"})
_MONOTONIC = ORDERINGS["monotonic"]


def _ordering(view: View, name: str) -> str:
    number = view.integer(name) if view.attribute(name) is not None else 0
    for word, value in ORDERINGS.items():
        if value == number:
            return word
    raise NotKnown


def _access(view: View, type: Attribute, unsupported: Collection[str]) -> str | None:
    ordering = _ordering(view, "ordering")
    if ordering != "not_atomic":
        if not is_atomic(type):
            return f"unsupported type {quoted(type)} for atomic access"
        if ordering in unsupported:
            return f"unsupported ordering '{ordering}'"
        if view.attribute("alignment") is None:
            return "expected alignment for atomic access"
        return None
    if view.attribute("syncscope") is not None:
        return "expected syncscope to be null for non-atomic access"
    return None


def _load(view: View) -> str | None:
    if view.attribute("dereferenceable") is not None and view.op.results[0].type.name != "llvm.ptr":
        return "expected op to return a single LLVM pointer type"
    return _access(view, view.type("res"), ("release", "acq_rel"))


def _read_modify_write(view: View) -> str | None:
    number = view.integer("bin_op")
    if not 0 <= number < len(ATOMIC_BINARY_OPS):
        raise NotKnown
    kind, type = ATOMIC_BINARY_OPS[number], view.type("val")
    if kind in _FLOAT_OPS:
        if is_vector(type):
            if is_scalable(type):
                return "expected LLVM IR fixed vector type"
            if not is_float(element(type)):
                return "expected LLVM IR floating point type for vector element"
        elif not is_float(type):
            return "expected LLVM IR floating point type"
    elif kind == "xchg":
        if not is_atomic(type):
            return "unexpected LLVM IR type for 'xchg' bin_op"
    elif width(type) not in (8, 16, 32, 64):
        return "expected LLVM IR integer type"
    if view.integer("ordering") < _MONOTONIC:
        return "expected at least 'monotonic' ordering"
    return None


def _compare_exchange(view: View) -> str | VerifierError | None:
    wanted: Attribute = LLVMStructType([view.type("val"), i1])
    if differ(view.op.results[0].type, wanted):
        words = "failed to verify that result #0 has an LLVM struct type consisting of the type of operand #2"
        return VerifierError(f"{words} and a bool", 17)
    if not is_atomic(view.type("val")):
        return "unexpected LLVM IR type"
    success, failure = view.integer("success_ordering"), view.integer("failure_ordering")
    if success < _MONOTONIC or failure < _MONOTONIC:
        return "ordering must be at least 'monotonic'"
    if failure in (ORDERINGS["release"], ORDERINGS["acq_rel"]):
        return "failure ordering cannot be 'release' or 'acq_rel'"
    return None


def _fence(view: View) -> str | None:
    if view.integer("ordering") <= _MONOTONIC:
        return "can be given only acquire, release, acq_rel, and seq_cst orderings"
    return None


def _address(view: View) -> str | VerifierError | None:
    indices = view.integers("rawConstantIndices")
    if sum(index == GEP_DYNAMIC_INDEX for index in indices) != len(view.op.operands) - 1:
        return "expected as many dynamic indices as specified in 'rawConstantIndices'"
    if view.attribute("noWrapFlags") is not None and view.integer("noWrapFlags") == 1:
        return VerifierError("'inbounds_flag' cannot be used directly.", 20)
    type = view.attribute("elem_type")
    if type is None:
        # A missing type is a parser error since LLVM 18, and a verifier error before LLVM 18.
        base = view.op.operands[0].type
        if not isinstance(base, LLVMPointerType) or not isinstance(base.pointee, NoneAttr):
            raise NotKnown
        earlier = f"'{view.op.name}' op expected 'elem_type' attribute if opaque pointer type is used"
        return VerifierError("expected ','", 18, bare=True, earlier=earlier)
    for at, index in enumerate(indices[1:], 1):
        if isinstance(type, LLVMStructType):
            if type.form.data == "reference":
                raise NotKnown
            if index == GEP_DYNAMIC_INDEX:
                return f"expected index {at} indexing a struct to be constant"
            if not 0 <= index < len(type.types.data):
                return f"index {at} indexing a struct is out of bounds"
            type = type.types.data[index]
        elif isinstance(type, LLVMArrayType | LLVMVectorType):
            type = type.type
        elif kinds.is_vector(type):
            type = element(type)
        else:
            return VerifierError(f"type {quoted(type)} cannot be indexed (index #{at})", 19)
    return None


MEMORY: Checks = {
    "llvm.load": _load,
    "llvm.store": lambda view: _access(view, view.type("value"), ("acquire", "acq_rel")),
    "llvm.atomicrmw": _read_modify_write,
    "llvm.cmpxchg": _compare_exchange,
    "llvm.fence": _fence,
    "llvm.getelementptr": _address,
}
