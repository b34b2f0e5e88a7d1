"""llvm: functions, their returns, and exception handling."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Operation, OpResult

from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMArrayType, LLVMFunctionType, LLVMVoidType
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.llvm_types import differ, is_compatible, is_settled, quoted


def _type(function: Operation) -> LLVMFunctionType:
    found = function.properties.get("function_type")
    if not isinstance(found, LLVMFunctionType):
        raise NotKnown
    return found


def _function(view: View) -> str | VerifierError | None:
    linkage = view.word("linkage") if view.attribute("linkage") is not None else "external"
    body = view.op.regions[0]
    if (error := _signature(view) or comdat_error(view)) is not None:
        return error
    if linkage == "common":
        return "functions cannot have 'common' linkage"
    if not body.blocks:
        if linkage not in ("external", "extern_weak"):
            return "external functions must have 'external' or 'extern_weak' linkage"
        return None
    has = {name: view.attribute(name) is not None for name in ("no_inline", "always_inline", "optimize_none")}
    if has["no_inline"] and has["always_inline"]:
        return VerifierError("no_inline and always_inline attributes are incompatible", 19, bare=True)
    if has["optimize_none"] and not has["no_inline"]:
        return VerifierError("with optimize_none must also be no_inline", 19)
    return _exceptions(view.op) or _tags(view.op)


def comdat_error(view: View) -> VerifierError | None:
    """Return the error for a comdat reference that is not of the form `@comdat::@selector`."""
    found = view.attribute("comdat")
    if not isinstance(found, SymbolRefAttr) or found.nested_references.data:
        return None
    return VerifierError("expected comdat symbol", bare=True)


def _signature(view: View) -> str | None:
    """Check a function: its attributes and entry block match its type."""
    type = _type(view.op)
    for kind, name, number in (
        ("argument", "arg_attrs", len(type.inputs.data)),
        ("result", "res_attrs", len(type.results)),
    ):
        given = view.attribute(name)
        if is_array(given) and (count := len(given.data)) != number:
            return (
                f"expects {kind} attribute array to have the same number of elements as the number of "
                f"function {kind}s, got {count}, but expected {number}"
            )
    entry = view.op.regions[0].blocks.first
    if entry is None:
        return None
    if len(entry.args) != len(type.inputs.data):
        return f"entry block must have {len(type.inputs.data)} arguments to match function signature"
    for index, (argument, wanted) in enumerate(zip(entry.args, type.inputs.data, strict=True)):
        if differ(argument.type, wanted):
            return (
                f"type of entry block argument #{index}({quoted(argument.type)}) must match the type of the "
                f"corresponding argument in function signature({quoted(wanted)})"
            )
        if is_compatible(argument.type) is False:
            return f"entry block argument #{index} is not of LLVM type"
    return None


def _inner(op: Operation) -> Iterator[Operation]:
    return (inner for region in op.regions for block in region.blocks for inner in block.walk())


def _exceptions(function: Operation) -> VerifierError | None:
    """Check that all landing pads and resumes of a function have the same type."""
    found: Attribute | None = None
    for op in _inner(function):
        if op.name == "llvm.landingpad":
            words = "'llvm.landingpad' should have a consistent result type inside a function"
            types = [each.type for each in op.results]
        elif op.name == "llvm.resume":
            words = "'llvm.resume' should have a consistent input type inside a function"
            types = [each.type for each in op.operands]
        else:
            continue
        for type in types[:1]:
            if found is not None and differ(found, type):
                return VerifierError(words, 17, bare=True)
            found = found or type
    return None


def _tags(function: Operation) -> VerifierError | None:
    seen = set[Attribute]()
    for op in _inner(function):
        tag = op.properties.get("tag") if op.name == "llvm.blocktag" else None
        if tag is not None and tag in seen:
            number = str(tag).partition("id = ")[2].partition(">")[0]
            words = f"duplicate block tag '{number}' in the same function: "
            return VerifierError(words, bare=True, at=op)
        if tag is not None:
            seen.add(tag)
    return None


def _enclosing(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and parent.name != "llvm.func":
        parent = parent.parent_op()
    return parent


def _return(view: View) -> str | None:
    function = _enclosing(view.op)
    if function is None:
        return None
    wanted, given = _type(function).output, view.op.operands
    if isinstance(wanted, LLVMVoidType):
        return "expected no operands" if given else None
    if not given:
        return "expected 1 operand"
    return "mismatching result types" if differ(given[0].type, wanted) else None


def _clause(owner: Operation | None) -> str:
    """Return the kind of a landing pad's clause: `constant`, `no` (constant), or `else` (another bitcast)."""
    if owner is None:
        return "no"
    if owner.name in ("llvm.mlir.zero", "llvm.mlir.null", "llvm.mlir.addressof"):
        return "constant"
    if owner.name == "llvm.bitcast":
        source = owner.operands[0]
        is_address = isinstance(source, OpResult) and source.op.name == "llvm.mlir.addressof"
        return "constant" if is_address else "else"
    return "no"


def _landing_pad(view: View) -> VerifierError | None:
    function = _enclosing(view.op)
    if function is not None and "personality" not in {**function.properties, **function.attributes}:
        return VerifierError("llvm.landingpad needs to be in a function with a personality", bare=True)
    if view.attribute("cleanup") is None and not view.op.operands:
        return VerifierError(
            "landingpad instruction expects at least one clause or cleanup attribute", bare=True
        )
    for index, value in enumerate(view.op.operands):
        if not is_settled(value.type):
            raise NotKnown
        if isinstance(value.type, LLVMArrayType):
            continue
        kind = _clause(value.op if isinstance(value, OpResult) else None)
        if kind == "else":
            return VerifierError("constant clauses expected", bare=True)
        if kind == "no":
            words = f"clause #{index} is not a known constant - null, addressof, bitcast"
            return VerifierError(words, bare=True)
    return None


FUNCTIONS = {"llvm.func": _function, "llvm.return": _return, "llvm.landingpad": _landing_pad}
