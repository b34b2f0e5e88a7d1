"""llvm: conversions between integers, pointers and vectors."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.view import VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMPointerType
from gpuasync_lsp.syntax.llvm_types import element, elements, is_vector, width


def _extend(view: View) -> VerifierError | None:
    source, target = view.type("arg"), view.type("res")
    words = None
    if is_vector(source):
        if not is_vector(target):
            words = "input type is a vector but output type is an integer"
        elif elements(source) != elements(target):
            words = "input and output vectors are of incompatible shape"
    elif is_vector(target):
        words = "input type is an integer but output type is a vector"
    if words is None:
        narrow, wide = element(source), element(target)
        if width(narrow) and width(wide):
            if width(wide) > width(narrow):
                return None
            words = (
                "integer width of the output type is smaller or equal to the integer width of the input type"
            )
    return None if words is None else VerifierError(words, 18, bare=True)


def _bitcast(view: View) -> VerifierError | None:
    words = _pointers(view)
    return None if words is None else VerifierError(words, 17)


def _pointers(view: View) -> str | None:
    source, target = view.type("arg"), view.type("res")
    from_pointer, to_pointer = element(source), element(target)
    if isinstance(from_pointer, LLVMPointerType) != isinstance(to_pointer, LLVMPointerType):
        return "can only cast pointers from and to pointers"
    if not isinstance(from_pointer, LLVMPointerType) or not isinstance(to_pointer, LLVMPointerType):
        return None
    if is_vector(target) and not is_vector(source):
        return "cannot cast pointer to vector of pointers"
    if not is_vector(target) and is_vector(source):
        return "cannot cast vector of pointers to pointer"
    if from_pointer.space != to_pointer.space:
        return "cannot cast pointers of different address spaces, use 'llvm.addrspacecast' instead"
    return None


CASTS = {"llvm.zext": _extend, "llvm.sext": _extend, "llvm.bitcast": _bitcast}
