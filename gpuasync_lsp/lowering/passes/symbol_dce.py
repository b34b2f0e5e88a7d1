"""`symbol-dce`: erases private functions, globals and modules without references.

Source: mlir/lib/Transforms/SymbolDCE.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import DictionaryAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.traits import SymbolOpInterface

from gpuasync_lsp.lowering.conversion.errors import PassError
from gpuasync_lsp.syntax import OpaqueOp
from gpuasync_lsp.syntax.kinds import is_array
from gpuasync_lsp.syntax.symbols import SYMBOL_TABLES, symbol_name
from gpuasync_lsp.text.effort import spend

_UNKNOWN = (
    "operation contains potentially unknown symbol table, meaning that we can't reliable compute symbol uses"
)
_MENTION = re.compile(r"@([\w$.-]+)")


def symbol_dce(root: Operation) -> None:
    """Erase the dead symbols inside `root`, in place.

    Raises PassError at an op of an unknown dialect that may be a symbol table."""
    tables = [op for op in root.walk() if op.name in SYMBOL_TABLES]
    live: set[Operation] = set()
    _mark(root, True, live)
    for table in tables:
        if table.parent is None and table is not root:
            continue
        for op in _ops(table):
            if _name(op) is not None and op not in live:
                op.detach()
                op.erase(safe_erase=False)


def _mark(table: Operation, is_hidden: bool, live: set[Operation]) -> None:
    """Add the live symbols of `table` to `live`: public ones, and those that live symbols reference."""
    symbols = {name: op for op in _ops(table) if (name := _name(op)) is not None}
    pending: list[Operation] = []
    for op in _ops(table):
        if _name(op) is None:
            pending.append(op)
            continue
        visibility = _visibility(op)
        if visibility == "public" or not (is_hidden or visibility == "private"):
            live.add(op)
            pending.append(op)
    while pending:
        op = pending.pop()
        spend()
        if op.name in SYMBOL_TABLES:
            is_private = _name(op) is None or _visibility(op) == "private"
            _mark(op, is_hidden or is_private, live)
        for path in mentions(op):
            inside = symbols
            for name in path:
                found = inside.get(name)
                if found is None:
                    break
                if found not in live:
                    live.add(found)
                    pending.append(found)
                inside = {each: inner for inner in _ops(found) if (each := _name(inner)) is not None}


def _ops(table: Operation) -> list[Operation]:
    return [op for region in table.regions for block in region.blocks for op in block.ops]


def _name(op: Operation) -> str | None:
    """Return the symbol name of `op`; None if it is not a symbol."""
    is_symbol = op.has_trait(SymbolOpInterface, value_if_unregistered=False) or op.name in SYMBOL_TABLES
    return (symbol_name(op) or None) if is_symbol else None


def _visibility(op: Operation) -> str:
    given = op.get_attr_or_prop("sym_visibility")
    return given.data if isinstance(given, StringAttr) else "public"


def mentions(root: Operation) -> Iterator[tuple[str, ...]]:
    """Yield the symbols referenced by `root` and the ops inside it, except inside nested symbol tables.

    Raises PassError at an op of an unknown dialect that may be a symbol table."""
    work = [root]
    while work:
        op = work.pop()
        spend()
        if isinstance(op, OpaqueOp):
            if len(op.regions) == 1:
                raise PassError(root, _UNKNOWN)
            for mention in _MENTION.finditer(op.text):
                yield (mention[1],)
        for attribute in (*op.attributes.values(), *op.properties.values()):
            yield from _symbols_in(attribute)
        if op is root or op.name not in SYMBOL_TABLES:
            work += (inner for region in op.regions for block in region.blocks for inner in block.ops)


def _symbols_in(attribute: Attribute) -> Iterator[tuple[str, ...]]:
    if isinstance(attribute, SymbolRefAttr):
        nested = (each.data for each in attribute.nested_references)
        yield (attribute.root_reference.data, *nested)
    elif is_array(attribute):
        for inner in attribute:
            yield from _symbols_in(inner)
    elif isinstance(attribute, DictionaryAttr):
        for inner in attribute.data.values():
            yield from _symbols_in(inner)
    elif isinstance(attribute, ParametrizedAttribute):
        for inner in attribute.parameters:
            yield from _symbols_in(inner)
