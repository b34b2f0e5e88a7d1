"""Symbols: the definitions of a symbol table, and checks of ops that reference them, with LLVM 22's messages.

Inside an item (a `gpu.module`) the verifier looks up symbols itself. Symbols of the module around an item
are defined in other items, so the analysis checks their uses by calling `check_use` with a lookup function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import (
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable

from gpuasync_lsp.releases import NEWEST, profile
from gpuasync_lsp.syntax.dialects.assembly import UnprefixedVerifyException, fail, same_type, typed
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType, LLVMPointerType
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.llvm_types import differ
from gpuasync_lsp.syntax.opaque import OpaqueOp

SYMBOL_TABLES = frozenset({"builtin.module", "gpu.module"})


_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


def symbol_text(name: str) -> str:
    """Return a symbol reference in MLIR's spelling: `@name`, or `@"a name"` if it needs quotes."""
    if _BARE.fullmatch(name):
        return f"@{name}"
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in name.encode())
    return f'@"{"".join(plain)}"'


class Symbol(NamedTuple):
    """The properties of a symbol's definition that checks of its uses need."""

    op_name: str
    type: Attribute | None
    """The type of a function, or the memref type of a global; None for other symbols."""
    space: int | None = None
    """The address space of a global or alias of the llvm dialect; None for other symbols."""
    has_body: bool = True
    """Whether a function has a body, as opposed to a declaration."""


Lookup = Callable[[str], Symbol | None]
"""Returns the symbol with a name, or None if the table has none; raises KeyError if that is unknown."""


def symbol_name(op: Operation) -> str:
    """Return the name of the symbol that `op` defines, or an empty string."""
    attribute = op.properties.get("sym_name") or op.attributes.get("sym_name")
    return attribute.data if isinstance(attribute, StringAttr) else ""


def visibility_fault(op: Operation) -> str | None:
    """Return the error for an invalid visibility of a symbol, or None."""
    written = op.properties.get("sym_visibility") or op.attributes.get("sym_visibility")
    if written is None:
        return None
    if not isinstance(written, StringAttr):
        return None
    if written.data in ("public", "private", "nested"):
        return None
    wanted = 'visibility expected to be one of ["public", "private", "nested"]'
    return f"'{op.name}' op {wanted}, but got \"{written.data}\""


def symbol_of(op: Operation) -> Symbol:
    """Return the properties of the symbol that `op` defines."""
    kind = op.properties.get("function_type") or op.properties.get("type")
    has_body = any(region.blocks for region in op.regions)
    return Symbol(op.name, kind, _space(op) if op.name.startswith("llvm.") else None, has_body)


def _space(op: Operation) -> int | None:
    """Return the address space of a global or alias of the llvm dialect."""
    if op.name == "llvm.mlir.global":
        space = op.properties.get("addr_space")
        return int(space.value.data) if isinstance(space, IntegerAttr) else 0
    block = op.regions[0].blocks.first if op.name == "llvm.mlir.alias" and op.regions else None
    last = None if block is None else block.last_op
    if last is None or not last.operands or not isinstance(last.operands[0].type, LLVMPointerType):
        return None
    return last.operands[0].type.space


def uses(op: Operation) -> Iterator[Operation]:
    """Yield those of `op` and its nested ops whose symbol references `check_use` can check.

    The references are to the symbol table around `op`: ops inside a nested table are omitted."""
    if op.name in _CHECKS:
        yield op
    # An unknown op may be a symbol table; MLIR does not check inside it, either.
    is_table = isinstance(op, OpaqueOp | UnregisteredOp) or op.has_trait(SymbolTable)
    if op.name not in SYMBOL_TABLES and not is_table:
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    if inner.regions:
                        yield from uses(inner)
                    elif inner.name in _CHECKS:
                        yield inner


def references(root: Operation) -> Iterator[SymbolRefAttr]:
    """Yield the symbol references of `root` and its nested ops, including duplicates."""
    pending: list[Attribute] = []
    for op in root.walk():
        pending += reversed([*op.properties.values(), *op.attributes.values()])
        while pending:
            attribute = pending.pop()
            if isinstance(attribute, SymbolRefAttr):
                yield attribute
            elif is_array(attribute):
                pending += reversed(attribute.data)
            elif isinstance(attribute, DictionaryAttr):
                pending += reversed([*attribute.data.values()])


def check_use(op: Operation, lookup: Lookup, version: int = 0) -> None:
    """Check an op from `uses` against the symbol that it references, as LLVM `version` does.

    With version 0, an error is one that all releases report. Raises a VerifyException with the message
    of MLIR's verifier, and KeyError if `lookup` does.
    """
    attribute, check = _CHECKS[op.name]
    found = op.properties.get(attribute) or op.attributes.get(attribute)
    for reference in found.data if is_array(found) else (found,):
        if isinstance(reference, SymbolRefAttr):
            name = reference.root_reference.data
            symbol = None if reference.nested_references.data else lookup(name)
            check(op, name, symbol, version)


def _check_call(op: Operation, name: str, symbol: Symbol | None, _: int) -> None:
    callee = symbol.type if symbol is not None and symbol.op_name == "func.func" else None
    if not isinstance(callee, FunctionType):
        fail(op, f"'{name}' does not reference a valid function")
    _check_signature(op, callee)


def _check_async_call(op: Operation, name: str, symbol: Symbol | None, _: int) -> None:
    callee = symbol.type if symbol is not None and symbol.op_name == "async.func" else None
    if not isinstance(callee, FunctionType):
        fail(op, f"'{name}' does not reference a valid async function")
    _check_signature(op, callee)


def _check_signature(op: Operation, callee: FunctionType) -> None:
    if len(callee.inputs.data) != len(op.operands):
        fail(op, "incorrect number of operands for callee")
    for index, (argument, type) in enumerate(zip(op.operands, callee.inputs.data, strict=True)):
        if not same_type(argument.type, type):
            fail(
                op,
                f"operand type mismatch: expected operand type {typed(type)}, but provided "
                f"{typed(argument.type)} for operand number {index}",
            )
    if len(callee.outputs.data) != len(op.results):
        fail(op, "incorrect number of results for callee")
    for index, (result, type) in enumerate(zip(op.results, callee.outputs.data, strict=True)):
        if not same_type(result.type, type):
            fail(op, f"result type mismatch at index {index}")


def _check_constant(op: Operation, name: str, symbol: Symbol | None, _: int) -> None:
    if symbol is None or symbol.op_name != "func.func":
        fail(op, f"reference to undefined function '{name}'")
    if symbol.type is not None and symbol.type != op.results[0].type:
        fail(op, "reference to function with mismatched type")


def _check_global(op: Operation, name: str, symbol: Symbol | None, _: int) -> None:
    if symbol is None or symbol.op_name != "memref.global":
        fail(op, f"'{name}' does not reference a valid global memref")
    type = op.results[0].type
    if symbol.type is not None and not same_type(symbol.type, type):
        wanted = f"type {typed(symbol.type)} of the global memref @{name}"
        fail(op, f"result type {typed(type)} does not match {wanted}")


def _check_llvm_call(op: Operation, name: str, symbol: Symbol | None, version: int) -> None:
    if symbol is None:
        fail(op, f"'{name}' does not reference a symbol in the current scope")
    if not symbol.op_name.startswith("llvm."):
        fail(op, f"'{name}' does not reference a valid LLVM {profile(version or NEWEST).called_ops}")
    callee = symbol.type
    if symbol.op_name != "llvm.func" or not isinstance(callee, LLVMFunctionType):
        return
    operands = [value.type for value in op.operands]
    if op.properties.get("op_bundle_tags") is not None or "operandSegmentSizes" in op.attributes:
        return
    wanted = callee.inputs.data
    if not callee.is_variadic and len(wanted) != len(operands):
        fail(op, f"incorrect number of operands ({len(operands)}) for callee (expecting: {len(wanted)})")
    if len(wanted) > len(operands):
        counts = f"({len(operands)}) for varargs callee (expecting at least: {len(wanted)})"
        fail(op, f"incorrect number of operands {counts}")
    for index, (given, type) in enumerate(zip(operands, wanted, strict=False)):
        if differ(given, type):
            fail(op, f"operand type mismatch for operand {index}: {typed(given)} != {typed(type)}")
    if callee.is_variadic:
        # Since this release, the call must have an attribute with the callee's type.
        if version and profile(version).variadic_calls_say_type and "var_callee_type" not in op.properties:
            fail(op, "missing var_callee_type attribute for vararg call")
        return
    if not op.results and callee.results:
        fail(op, "expected function call to produce a value")
    if op.results and not callee.results:
        fail(op, "calling function with void result must not produce values")
    if op.results and differ(op.results[0].type, callee.output):
        made = typed(op.results[0].type)
        fail(op, f"result type mismatch: {made} != {typed(callee.output)}")


def _check_address(op: Operation, name: str, symbol: Symbol | None, version: int) -> None:
    if symbol is None or not symbol.op_name.startswith("llvm."):
        fail(op, f"must reference a global defined by {profile(version or NEWEST).addressed_ops}")
    type = op.results[0].type
    if symbol.space is not None and isinstance(type, LLVMPointerType) and symbol.space != type.space:
        fail(op, "pointer address space must match address space of the referenced global or alias")


def _check_resolver(op: Operation, _name: str, symbol: Symbol | None, _: int) -> None:
    """Check the resolver of `llvm.mlir.ifunc`; if it is an alias, its target is not checked."""
    if symbol is None or symbol.op_name == "llvm.mlir.alias":
        return
    if symbol.op_name != "llvm.func":
        fail(op, "must have a function resolver")
    if not symbol.has_body:
        fail(op, "resolver must be a definition")


def _check_structor(op: Operation, name: str, symbol: Symbol | None, _: int) -> None:
    if symbol is None or symbol.op_name != "llvm.func":
        fail(op, f"'{name}' does not reference a valid LLVM function")
    if not symbol.has_body:
        fail(op, f"'{name}' does not have a definition")


def _check_included(op: Operation, _name: str, symbol: Symbol | None, _: int) -> None:
    """Check that `transform.include` matches the named sequence that it includes."""
    if symbol is None or symbol.op_name != _SEQUENCE:
        fail(op, "does not reference a named transform sequence")
    if not isinstance(symbol.type, FunctionType):
        return
    wanted = symbol.type.inputs.data
    if len(wanted) != len(op.operands):
        raise UnprefixedVerifyException("incorrect number of operands for callee")
    for index, (given, type) in enumerate(zip(op.operands, wanted, strict=True)):
        if not same_type(given.type, type):
            words = f"expected operand type {typed(type)}, but provided {typed(given.type)}"
            fail(op, f"operand type mismatch: {words} for operand number {index}")
    if len(symbol.type.outputs.data) != len(op.results):
        raise UnprefixedVerifyException("incorrect number of results for callee")


def _check_matcher(op: Operation, name: str, symbol: Symbol | None, _: int) -> None:
    """Check that a matcher of `transform.foreach_match` is a named sequence with matching arguments."""
    if symbol is None or symbol.op_name != _SEQUENCE:
        raise UnprefixedVerifyException(f"unresolved matcher symbol {symbol_text(name)}")
    taken = len(symbol.type.inputs.data) if isinstance(symbol.type, FunctionType) else len(op.operands)
    if taken != len(op.operands):
        words = f"the number of operands ({len(op.operands)}) doesn't match the number of matcher arguments"
        raise UnprefixedVerifyException(f"{words} ({taken}) for {symbol_text(name)}")


_SEQUENCE = "transform.named_sequence"

_CHECKS: dict[str, tuple[str, Callable[[Operation, str, Symbol | None, int], None]]] = {
    "func.call": ("callee", _check_call),
    "async.call": ("callee", _check_async_call),
    "func.constant": ("value", _check_constant),
    "memref.get_global": ("name", _check_global),
    "llvm.call": ("callee", _check_llvm_call),
    "llvm.mlir.addressof": ("global_name", _check_address),
    "llvm.mlir.ifunc": ("resolver", _check_resolver),
    "llvm.mlir.global_ctors": ("ctors", _check_structor),
    "llvm.mlir.global_dtors": ("dtors", _check_structor),
    "transform.foreach_match": ("matchers", _check_matcher),
    "transform.include": ("target", _check_included),
}
"""Maps each op to the attribute that references the symbol, and to the check."""
