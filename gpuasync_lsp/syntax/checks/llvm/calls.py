"""llvm: calls. `syntax/symbols.py` checks whether a call matches its callee."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, SSAValue

from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType, LLVMPointerType, LLVMVoidType
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.llvm_types import differ, quoted


def _called(view: View) -> Sequence[SSAValue]:
    try:
        return view.values("callee_operands")
    except NotKnown:
        if view.op.name == "llvm.call" and "op_bundle_tags" not in view.op.properties:
            return view.op.operands
        raise


def _variadic(view: View) -> str | None:
    type = view.attribute("var_callee_type")
    if type is None:
        return None
    if not isinstance(type, LLVMFunctionType):
        raise NotKnown
    if not type.is_variadic:
        return "expected var_callee_type to be a variadic function type"
    operands = _called(view)[0 if view.attribute("callee") is not None else 1 :]
    if len(type.inputs.data) > len(operands):
        return f"expected var_callee_type to have at most {len(operands)} parameters"
    for wanted, operand in zip(type.inputs.data, operands, strict=False):
        if differ(wanted, operand.type):
            return f"var_callee_type parameter type mismatch: {quoted(wanted)} != {quoted(operand.type)}"
    if not view.op.results:
        is_void = isinstance(type.output, LLVMVoidType)
        return None if is_void else "expected var_callee_type to return void"
    if differ(type.output, view.op.results[0].type):
        made = quoted(view.op.results[0].type)
        return f"var_callee_type return type mismatch: {quoted(type.output)} != {made}"
    return None


def _bundles(view: View) -> VerifierError | None:
    tags, sizes = view.attribute("op_bundle_tags"), view.attribute("op_bundle_sizes")
    listed: Sequence[Attribute] = tags.data if is_array(tags) else ()
    if not all(isinstance(each, StringAttr) for each in listed):
        return VerifierError("operand bundle tag must be a StringAttr", 20, bare=True)
    if sizes is None:
        return None
    wanted = len(view.integers("op_bundle_sizes"))
    if wanted == len(listed):
        return None
    words = f"expected {wanted} operand bundle tags, but actually got {len(listed)}"
    return VerifierError(words, 20, bare=True)


def _call(view: View) -> str | VerifierError | None:
    if (bundles := _bundles(view)) is not None:
        return bundles
    if any(isinstance(result.type, LLVMVoidType) for result in view.op.results):
        return VerifierError("custom op 'llvm.call' expected a non-void result type", bare=True)
    if (error := _variadic(view)) is not None:
        return VerifierError(error, 19)
    if view.attribute("callee") is not None:
        return None
    operands = _called(view)
    if not operands:
        return "must have either a `callee` attribute or at least an operand"
    type = operands[0].type
    if isinstance(type, LLVMPointerType) or not type.name.startswith("llvm."):
        return None
    return f"indirect call expects a pointer as callee: {quoted(type)}"


def _invoke(view: View) -> str | VerifierError | None:
    if (error := _variadic(view)) is not None:
        return VerifierError(error, 19)
    if len(view.op.successors) == 2:
        first = view.op.successors[1].first_op
        if first is None:
            return VerifierError("must have at least one operation in unwind destination", bare=True)
        if first.name != "llvm.landingpad" and first.name.startswith("llvm."):
            words = "first operation in unwind destination should be a llvm.landingpad operation"
            return VerifierError(words, bare=True)
    return _bundles(view)


def _intrinsic(view: View) -> str | VerifierError | None:
    name = view.attribute("intrin")
    if isinstance(name, StringAttr) and not name.data.startswith("llvm."):
        return VerifierError("intrinsic name must start with 'llvm.'", 17)
    return _bundles(view)


def _assembly(view: View) -> VerifierError | None:
    if view.attribute("tail_call_kind") is not None and view.word("tail_call_kind") == "musttail":
        return VerifierError("tail call kind 'musttail' is not supported by this operation", 21)
    return None


CALLS = {
    "llvm.call": _call,
    "llvm.invoke": _invoke,
    "llvm.call_intrinsic": _intrinsic,
    "llvm.intr.assume": _bundles,
    "llvm.inline_asm": _assembly,
}
