"""spirv: memory and variables, what a module holds, and how its control flow is nested.

Source: the verifiers below mlir/lib/Dialect/SPIRV/IR; the same words since LLVM 16.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import FunctionType, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, TypeAttribute

from gpuasync_lsp.syntax.checks.view import NotKnown, Refusal, View, elements
from gpuasync_lsp.syntax.opaque import OpaqueOp, UnknownType, written_name
from gpuasync_lsp.syntax.printer import attribute_text
from gpuasync_lsp.syntax.spirv_types import NoComponent, component, pointer

Said = str | Refusal | None

_MODULE = "spirv.module"
_CONSTANTS = frozenset({"spirv.Constant", "spirv.mlir.addressof", "spirv.mlir.referenceof", "spirv.Undef"})
_ONLY_GLOBAL = ("descriptor_set", "binding", "built_in")


def _bare(words: str) -> Refusal:
    return Refusal(words, bare=True)


# Memory


def _access(view: View) -> Said:
    """A load or store: of what the pointer points to, with an alignment where the access says one."""
    found, value = pointer(view.type("ptr")), view.type("value")
    if found is None:
        raise NotKnown
    if isinstance(value, TypeAttribute) and not _may_be(found[0], value):
        return "mismatch in result type and pointer type"
    access = view.attribute("memory_access")
    is_aligned = access is not None and "Aligned" in attribute_text(access)
    if view.attribute("alignment") is None:
        return "missing alignment value" if is_aligned else None
    if not is_aligned:
        return "invalid alignment specification without aligned memory access specification"
    return None


def _may_be(text: str, type: Attribute) -> bool:
    """Tell whether a text may write a type: what is of a dialect may be written in several ways."""
    written = attribute_text(type)
    return text == written or "!" in text or "!" in written or "#" in text


def _variable(view: View) -> Said:
    found = pointer(view.type("pointer"))
    if found is None:
        raise NotKnown
    if found[1] != "Function":
        return (
            "can only be used to model function-level variables. Use spirv.GlobalVariable for module-level "
            "variables."
        )
    for value in view.values("initializer"):
        owner = value.owner
        if isinstance(owner, OpaqueOp):
            raise NotKnown
        if isinstance(owner, Block) or owner.name not in _CONSTANTS:
            return "initializer must be the result of a constant or spirv.GlobalVariable op"
    for name in _ONLY_GLOBAL:
        if view.attribute(name) is not None:
            return f"cannot have '{name}' attribute (only allowed in spirv.GlobalVariable)"
    return None


def _global(view: View) -> Said:
    type = view.attribute("type")

    found = pointer(type) if type is not None else None
    if isinstance(type, TypeAttribute) and attribute_text(type).partition("<")[0] != "!spirv.ptr":
        return _bare("custom op 'spirv.GlobalVariable' expected spirv.ptr type")
    if found is not None and found[1] in ("Function", "Generic"):
        return f"storage class cannot be '{found[1]}'"
    initializer = view.attribute("initializer")
    if isinstance(initializer, SymbolRefAttr):
        defined = _defined(view.op, initializer.string_value())
        if defined is None or written_name(defined) not in (
            "spirv.SpecConstant",
            "spirv.SpecConstantComposite",
        ):
            if defined is not None and written_name(defined) == "spirv.GlobalVariable":
                return None
            return "initializer must be result of a spirv.SpecConstant or spirv.SpecConstantCompositeOp op"
    return None


def _address(view: View) -> Said:
    variable = view.attribute("variable")
    if not isinstance(variable, SymbolRefAttr):
        raise NotKnown
    defined = _defined(view.op, variable.string_value())
    if defined is None or written_name(defined) != "spirv.GlobalVariable":
        return "expected spirv.GlobalVariable symbol"
    type, made = defined.properties.get("type"), pointer(view.op.results[0].type)
    found = pointer(type) if type is not None else None
    if found is None or made is None:
        raise NotKnown
    if found[1] == made[1] and ("!" in found[0] or "!" in made[0] or found[0] == made[0]):
        return None
    return "result type mismatch with the referenced global variable's type"


def _insert(view: View) -> Said:
    composite, given = view.type("composite"), view.type("object")
    found = component(composite, view.attribute("indices") or composite)
    if isinstance(found, NoComponent):
        return _bare(found.words)
    if found is None or _may_be(found, given):
        return None
    return f"object operand type should be '{found}', but found '{attribute_text(given)}'"


# Modules and functions


def _module_of(op: Operation) -> Operation:
    parent = op.parent_op()
    while parent is not None and parent.name != _MODULE:
        parent = parent.parent_op()
    if parent is None:
        raise NotKnown
    return parent


def _defined(op: Operation, name: str) -> Operation | None:
    """Return what a symbol names in the module around `op`; raises NotKnown where that cannot be said."""
    for each in _module_of(op).regions[0].block.ops:
        symbol = each.properties.get("sym_name", each.attributes.get("sym_name"))
        if isinstance(symbol, StringAttr):
            if symbol.data == name:
                return each
        elif isinstance(each, OpaqueOp):
            raise NotKnown
    return None


def _module(view: View) -> Said:
    seen = set[tuple[str, str]]()
    for op in view.block().ops:
        name = written_name(op)
        if not name.startswith("spirv."):
            if name:
                return _bare("'spirv.module' can only contain spirv.* ops")
            raise NotKnown
        function, model = op.properties.get("fn"), op.properties.get("execution_model")
        if name != "spirv.EntryPoint" or not isinstance(function, SymbolRefAttr) or model is None:
            continue
        called = function.string_value()
        defined = _defined(op, called)
        if defined is None or written_name(defined) != "spirv.func":
            return Refusal(f"function '{called}' not found in 'spirv.module'", bare=True, at=op)
        for each in elements(op.properties.get("interface")):
            found = _defined(op, each.string_value()) if isinstance(each, SymbolRefAttr) else None
            if found is None or written_name(found) != "spirv.GlobalVariable":
                words = f"expected spirv.GlobalVariable symbol reference instead of'{attribute_text(each)}'"
                return Refusal(words, bare=True, at=op)
        if (called, attribute_text(model)) in seen:
            return Refusal("duplicate of a previous EntryPointOp", bare=True, at=op)
        seen.add((called, attribute_text(model)))
    return None


def _call(view: View) -> Said:
    callee = view.attribute("callee")
    if not isinstance(callee, SymbolRefAttr):
        raise NotKnown
    called = callee.string_value()
    if _defined(view.op, called) is None:
        return f"callee function '{called}' not found in nearest symbol table"
    return None


def _results(view: View) -> tuple[Attribute, ...]:
    """Return the types that the function around a return hands on."""
    parent = view.op.parent_op()
    while parent is not None and parent.name in ("spirv.mlir.loop", "spirv.mlir.selection"):
        parent = parent.parent_op()
    type = None if parent is None else parent.properties.get("function_type")
    if parent is None or parent.name != "spirv.func" or not isinstance(type, FunctionType):
        raise NotKnown
    return type.outputs.data


def _return(view: View) -> Said:
    return "cannot be used in functions returning value" if _results(view) else None


def _return_value(view: View) -> Said:
    results, given = _results(view), view.op.operands[0].type
    if len(results) != 1:
        return f"returns 1 value but enclosing function requires {len(results)} results"
    (wanted,) = results
    if isinstance(given, UnknownType):
        raise NotKnown
    if wanted == given or "!" in attribute_text(wanted):
        return None
    types = f"('{attribute_text(given)}') mismatch with function's result type ('{attribute_text(wanted)}')"
    return f" return value's type {types}"


# Control flow


def _structured(view: View) -> Said:
    """A loop or selection, whose last block merges."""
    blocks = list(view.op.regions[0].blocks)
    if not blocks:
        return None
    last = list(blocks[-1].ops)
    if len(last) == 1 and written_name(last[0]) == "spirv.mlir.merge":
        return None
    return "last block must be the merge block with only one 'spirv.mlir.merge' op"


def _branch(view: View) -> Said:
    if view.attribute("branch_weights") is None:
        return None
    weights = view.integers("branch_weights")
    if len(weights) != 2:
        return "must have exactly two branch weights"
    return None if any(weights) else "branch weights cannot both be zero"


PROGRAM: dict[str, Callable[[View], Said]] = {
    "spirv.BranchConditional": _branch,
    "spirv.CompositeInsert": _insert,
    "spirv.FunctionCall": _call,
    "spirv.GlobalVariable": _global,
    "spirv.Load": _access,
    "spirv.Return": _return,
    "spirv.ReturnValue": _return_value,
    "spirv.Store": _access,
    "spirv.Variable": _variable,
    "spirv.mlir.addressof": _address,
    "spirv.mlir.loop": _structured,
    "spirv.mlir.selection": _structured,
    "spirv.module": _module,
}
