"""nvvm: checks that MLIR implements in C++ according to the PTX ISA, one module per family of ops."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.nvvm.architectures import REQUIRING, chip_error
from gpuasync_lsp.syntax.checks.nvvm.barriers import BARRIERS
from gpuasync_lsp.syntax.checks.nvvm.conversions import CONVERSIONS
from gpuasync_lsp.syntax.checks.nvvm.copies import COPIES
from gpuasync_lsp.syntax.checks.nvvm.fences import FENCES
from gpuasync_lsp.syntax.checks.nvvm.matrices import MATRICES
from gpuasync_lsp.syntax.checks.nvvm.mma import MMA
from gpuasync_lsp.syntax.checks.nvvm.products import PRODUCTS
from gpuasync_lsp.syntax.checks.nvvm.warps import WARPS
from gpuasync_lsp.syntax.checks.view import NotKnown, VerifierError, View

_OF_OPS = {**BARRIERS, **CONVERSIONS, **COPIES, **FENCES, **MATRICES, **MMA, **PRODUCTS, **WARPS}


def _with_chip(view: View) -> str | VerifierError | None:
    """Wrap a check so that it also checks whether the chip of the op's target supports the op."""
    check = _OF_OPS.get(view.op.name)
    try:
        found = None if check is None else check(view)
    except NotKnown:
        found = None
    return found or chip_error(view)


CHECKS = {**_OF_OPS, **dict.fromkeys(REQUIRING, _with_chip)}
