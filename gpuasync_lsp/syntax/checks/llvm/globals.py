"""llvm: globals, aliases, and tables of constructors."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnregisteredAttr,
)
from xdsl.ir import Attribute, Block, Operation
from xdsl.irdl import IRDLOperation
from xdsl.traits import IsolatedFromAbove, SymbolTable

from gpuasync_lsp.syntax.checks.llvm.functions import comdat_error
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LLVMArrayType,
    LLVMLabelType,
    LLVMMetadataType,
    LLVMPointerType,
    LLVMTokenType,
    LLVMVoidType,
)
from gpuasync_lsp.syntax.kinds import is_array, is_dense_elements, is_integer_attr
from gpuasync_lsp.syntax.llvm_types import differ, is_compatible, quoted

_NO_MEMORY = (LLVMVoidType, LLVMTokenType, LLVMMetadataType, LLVMLabelType)
_WITH_EFFECTS = frozenset(
    {"llvm.load", "llvm.store", "llvm.alloca", "llvm.call", "llvm.atomicrmw", "llvm.cmpxchg", "llvm.fence"}
)
_OF_ALIASES = (
    "private", "internal", "linkonce", "weak", "linkonce_odr", "weak_odr", "external", "available_externally"
)  # fmt: skip


def _linkage(view: View) -> str | None:
    return view.word("linkage") if view.attribute("linkage") is not None else "external"


def _is_memory(type: Attribute) -> bool:
    return not isinstance(type, _NO_MEMORY) and is_compatible(type) is not False


def _module_level(op: Operation) -> str | None:
    parent = op.parent_op()
    if not isinstance(parent, IRDLOperation):
        return None
    if parent.name != "builtin.module" and not (
        parent.has_trait(SymbolTable) and parent.has_trait(IsolatedFromAbove)
    ):
        return "must appear at the module level"
    return None


def _is_zero(value: Attribute) -> bool:
    if is_integer_attr(value):
        return not value.value.data
    if isinstance(value, FloatAttr):
        return not value.value.data
    if is_dense_elements(value):
        return not any(value.get_values())
    if is_array(value):
        return all(_is_zero(each) for each in value.data)
    if isinstance(value, StringAttr | SymbolRefAttr):
        return False
    raise NotKnown


def _global(view: View) -> str | VerifierError | None:
    type, value, linkage = view.attribute("global_type"), view.attribute("value"), _linkage(view)
    if type is None:
        raise NotKnown
    if not _is_memory(type):
        return "expects type to be a valid element type for an LLVM global"
    if (error := _module_level(view.op) or comdat_error(view)) is not None:
        return error
    if isinstance(value, StringAttr) and value.data.isascii():
        size, of = (type.size.data, type.type) if isinstance(type, LLVMArrayType) else (0, None)
        if of != IntegerType(8) or size != len(value.data):
            return "requires an i8 array type of the length equal to that of the string attribute"
    if isinstance(type, UnregisteredAttr) and type.attr_name.data == "llvm.target":
        if value is not None:
            return "global with target extension type can only be initialized with zero-initializer"
        raise NotKnown
    if linkage == "common" and value is not None and not _is_zero(value):
        return "expected zero value for 'common' linkage"
    if linkage == "appending" and not isinstance(type, LLVMArrayType):
        return "expected array type for 'appending' linkage"
    if view.attribute("alignment") is not None:
        alignment = view.integer("alignment")
        if alignment <= 0 or alignment & (alignment - 1):
            return VerifierError("alignment attribute is not a power of 2", bare=True)
    return _initializer(view, type)


def _only_block(view: View) -> Block | None:
    blocks = list(view.op.regions[0].blocks) if view.op.regions else []
    return blocks[0] if len(blocks) == 1 else None


def _effect(block: Block, words: str) -> VerifierError | None:
    for op in block.ops:
        if op.name in _WITH_EFFECTS:
            return VerifierError(words, bare=True, at=op)
    return None


def _initializer(view: View, type: Attribute) -> str | VerifierError | None:
    block = _only_block(view)
    last = None if block is None else block.last_op
    if block is None or last is None or last.name != "llvm.return":
        return None
    if not last.operands:
        return "initializer region cannot return void"
    if differ(last.operands[0].type, type):
        made = quoted(last.operands[0].type)
        return f"initializer region type {made} does not match global type {quoted(type)}"
    found = _effect(block, "ops with side effects not allowed in global initializers")
    if found is not None:
        return found
    return None if view.attribute("value") is None else "cannot have both initializer value and region"


def _alias(view: View) -> str | VerifierError | None:
    type, linkage = view.attribute("alias_type"), _linkage(view)
    if type is None:
        raise NotKnown
    if not _is_memory(type):
        return "expects type to be a valid element type for an LLVM global alias"
    if linkage not in _OF_ALIASES:
        return (
            f"'{linkage}' linkage not supported in aliases, available options: private, internal, linkonce, "
            "weak, linkonce_odr, weak_odr, external or available_externally"
        )
    block = _only_block(view)
    last = None if block is None else block.last_op
    if block is None or last is None or last.name != "llvm.return":
        return None
    if not last.operands or not isinstance(last.operands[0].type, LLVMPointerType):
        return "initializer region must always return a pointer"
    return _effect(block, "ops with side effects are not allowed in alias initializers")


def _ifunc(view: View) -> str | None:
    linkage = _linkage(view)
    if linkage in ("common", "appending", "extern_weak", "available_externally"):
        return (
            f"'{linkage}' linkage not supported in ifuncs, available options: private, internal, linkonce, "
            "weak, linkonce_odr, weak_odr, or external linkage"
        )
    return None


def _structors(view: View) -> VerifierError | None:
    kind = view.op.name.rpartition("_")[2]
    listed = [view.attribute(name) for name in (kind, "priorities", "data")]
    data = listed[2]
    if is_array(data):
        for each in data.data:
            is_zero = isinstance(each, UnregisteredAttr) and each.attr_name.data == "llvm.zero"
            if not is_zero and not (isinstance(each, SymbolRefAttr) and not each.nested_references.data):
                return VerifierError("data element must be symbol or #llvm.zero", bare=True)
    sizes = {len(each.data) for each in listed if is_array(each)}
    if len(sizes) <= 1:
        return None
    if data is None:
        return VerifierError(f"mismatch between the number of {kind} and the number of priorities", bare=True)
    return VerifierError(f"{kind}, priorities, and data must have the same number of elements", bare=True)


def _comdat(view: View) -> VerifierError | None:
    for region in view.op.regions:
        for block in region.blocks:
            for op in block.ops:
                if op.name != "llvm.comdat_selector" and isinstance(op, IRDLOperation):
                    words = "only comdat selector symbols can appear in a comdat region"
                    return VerifierError(words, bare=True, at=op)
    return None


GLOBALS = {
    "llvm.mlir.global": _global,
    "llvm.mlir.alias": _alias,
    "llvm.mlir.ifunc": _ifunc,
    "llvm.mlir.global_ctors": _structors,
    "llvm.mlir.global_dtors": _structors,
    "llvm.comdat": _comdat,
}
