"""llvm: accesses to elements of structs, arrays and vectors by position."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute

from gpuasync_lsp.syntax.checks.view import Checks, NotKnown, VerifierError, View
from gpuasync_lsp.syntax.checks.weights import branch_weights
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType, LLVMStructType
from gpuasync_lsp.syntax.kinds import is_dense_elements
from gpuasync_lsp.syntax.llvm_types import (
    differ,
    element,
    elements,
    is_compatible,
    is_scalable,
    quoted,
)
from gpuasync_lsp.syntax.printer import attribute_text


def _element_at(container: Attribute, position: Sequence[int]) -> tuple[str, Attribute]:
    """Return the error for `position` (empty if it is valid) and the type of the element at that position."""
    if is_compatible(container) is False:
        return f"expected LLVM IR Dialect type, got {quoted(container)}", container
    type = container
    for index in position:
        if isinstance(type, LLVMArrayType):
            if not 0 <= index < type.size.data:
                return f"position out of bounds: {index}", type
            type = type.type
        elif isinstance(type, LLVMStructType):
            if type.form.data == "reference":
                raise NotKnown
            if not 0 <= index < len(type.types.data):
                return f"position out of bounds: {index}", type
            type = type.types.data[index]
        else:
            return f"expected LLVM IR structure/array type, got: {quoted(type)}", type
    return "", type


def _insert(view: View) -> str | None:
    container, value = view.type("container"), view.type("value")
    wrong, wanted = _element_at(container, view.integers("position"))
    if wrong:
        return wrong
    if differ(value, wanted):
        return f"Type mismatch: cannot insert {quoted(value)} into {quoted(container)}"
    return None


def _extract(view: View) -> str | None:
    container, result = view.type("container"), view.type("res")
    wrong, wanted = _element_at(container, view.integers("position"))
    if wrong:
        return wrong
    if differ(result, wanted):
        return (
            f"Type mismatch: extracting from {quoted(container)} should produce {quoted(wanted)} but this op "
            f"returns {quoted(result)}"
        )
    return None


def _shuffle(view: View) -> str | None:
    if is_scalable(view.type("v1")) and any(view.integers("mask")):
        return "expected a splat operation for scalable vectors"
    return None


def _switch(view: View) -> str | VerifierError | None:
    values = view.attribute("case_values")
    if values is None:
        cases, type = 0, None
    elif is_dense_elements(values):
        sizes = values.type.get_shape()
        cases, type = (sizes[0] if sizes else 1), values.type.element_type
    else:
        raise NotKnown
    if cases != len(view.op.successors) - 1:
        return "expects number of case values to match number of case destinations"
    if type is not None and view.type("value") != type:
        return VerifierError("expects case value type to match condition value type", bare=True)
    return branch_weights(view)


def _pointers(view: View, number: int, like: str) -> str | None:
    pointers, other = view.type("ptrs"), view.type(like)
    if elements(pointers) != elements(other) or is_scalable(pointers) != is_scalable(other):
        scale = is_scalable(other)
        count = f"[{elements(other)}]" if scale else f"{elements(other)}"
        wanted = attribute_text(element(pointers))
        return f"expected operand #{number} type to be 'vector<{count}x{wanted}>'"
    return None


def _sincos(view: View) -> str | None:
    given, made = view.type("val"), view.op.results[0].type
    if isinstance(made, LLVMStructType) and made.types.data == (given, given):
        return None
    return (
        "expected result type to be an homogeneous struct with two elements matching the operand type, but "
        f"got {quoted(made)}"
    )


def _interleave(view: View) -> VerifierError | None:
    given, made = view.type("vec1"), view.type("res")
    is_alike = is_scalable(made) == is_scalable(given) and not differ(element(made), element(given))
    if elements(made) != 2 * elements(given) or not is_alike:
        return VerifierError("failed to verify that result has twice as many elements as 'vec1'", 19)
    return None


AGGREGATES: Checks = {
    "llvm.insertvalue": _insert,
    "llvm.extractvalue": _extract,
    "llvm.shufflevector": _shuffle,
    "llvm.switch": _switch,
    "llvm.cond_br": branch_weights,
    "llvm.intr.masked.gather": lambda view: _pointers(view, 1, "res"),
    "llvm.intr.masked.scatter": lambda view: _pointers(view, 2, "value"),
    "llvm.intr.sincos": _sincos,
    "llvm.intr.vector.interleave2": _interleave,
}
