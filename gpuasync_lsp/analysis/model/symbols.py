"""The symbols that calls and launches name."""

from __future__ import annotations

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation


def kernel_symbol(op: Operation) -> tuple[str, str] | None:
    """Return container and kernel of a gpu.launch_func, or None where they cannot be read."""
    symbol = op.properties.get("kernel") or op.attributes.get("kernel")
    if not isinstance(symbol, SymbolRefAttr) or len(symbol.nested_references.data) != 1:
        return None
    return symbol.root_reference.data, symbol.nested_references.data[0].data


def callee_of(op: Operation) -> str | None:
    """Return the symbol that a call op calls, or None for an indirect call or another op."""
    if op.name not in ("func.call", "llvm.call"):
        return None
    symbol = op.properties.get("callee") or op.attributes.get("callee")
    return symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else None
