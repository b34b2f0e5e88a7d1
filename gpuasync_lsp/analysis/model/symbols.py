"""The symbols that calls and launches refer to."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation, SSAValue

_INDIRECT = "func.call_indirect"
_CALLS = frozenset({"func.call", "llvm.call", _INDIRECT})


def kernel_symbol(op: Operation) -> tuple[str, str] | None:
    """Return the container's and the kernel's name of a gpu.launch_func; None if the symbol is malformed."""
    symbol = op.properties.get("kernel") or op.attributes.get("kernel")
    if not isinstance(symbol, SymbolRefAttr) or len(symbol.nested_references.data) != 1:
        return None
    return symbol.root_reference.data, symbol.nested_references.data[0].data


def callee_of(op: Operation) -> str | None:
    """Return the callee of a call op; None for an unknown callee, or for any other op.

    A func.call_indirect of a func.constant calls the constant's function.
    """
    name = op.name
    if name not in _CALLS:
        return None
    if name != _INDIRECT:
        symbol = op.properties.get("callee") or op.attributes.get("callee")
    elif op.operands and isinstance(constant := op.operands[0].owner, Operation):
        symbol = constant.properties.get("value") if constant.name == "func.constant" else None
    else:
        return None
    return symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else None


def arguments_of(call: Operation) -> Sequence[SSAValue]:
    """Return the arguments of a call: its operands, without the callee operand of an indirect call."""
    return call.operands[1:] if call.name == _INDIRECT else call.operands
