"""Handwritten assemblies, by op name, for ops in the ODS tables whose assembly MLIR implements in C++."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.printer import Printer

from gpuasync_lsp.syntax.ods.by_hand.functions import is_function, read_function, write_function
from gpuasync_lsp.syntax.ods.by_hand.jumps import (
    is_indirect,
    is_invoke,
    read_indirect,
    read_invoke,
    write_indirect,
    write_invoke,
)
from gpuasync_lsp.syntax.ods.by_hand.landing import is_landing, read_landing, write_landing
from gpuasync_lsp.syntax.ods.by_hand.products import is_product, read_product, write_product


class Assembly(NamedTuple):
    """The parser and printer of an op, and a check that it can be printed."""

    read: Callable[[Parser, type[Operation], frozenset[str]], Operation]
    """Parses the op after its name, given the class to create and the names of inherent attributes."""
    write: Callable[[Printer, Operation], None]
    is_whole: Callable[[Operation], bool]


_FUNCTION = Assembly(read_function, write_function, is_function)
_PRODUCT = Assembly(read_product, write_product, is_product)

BY_HAND = {
    "llvm.indirectbr": Assembly(read_indirect, write_indirect, is_indirect),
    "llvm.invoke": Assembly(read_invoke, write_invoke, is_invoke),
    "llvm.landingpad": Assembly(read_landing, write_landing, is_landing),
    "nvvm.mma.sp.sync": _PRODUCT,
    "nvvm.mma.sync": _PRODUCT,
    "transform.named_sequence": _FUNCTION,
}

__all__ = ["BY_HAND", "Assembly"]
