"""nvvm: what its verifiers in C++ refuse, as the PTX ISA has it, one file per family of ops."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.nvvm.barriers import BARRIERS
from gpuasync_lsp.syntax.checks.nvvm.conversions import CONVERSIONS
from gpuasync_lsp.syntax.checks.nvvm.copies import COPIES
from gpuasync_lsp.syntax.checks.nvvm.fences import FENCES
from gpuasync_lsp.syntax.checks.nvvm.matrices import MATRICES
from gpuasync_lsp.syntax.checks.nvvm.mma import MMA
from gpuasync_lsp.syntax.checks.nvvm.products import PRODUCTS
from gpuasync_lsp.syntax.checks.nvvm.warps import WARPS

CHECKS = {**BARRIERS, **CONVERSIONS, **COPIES, **FENCES, **MATRICES, **MMA, **PRODUCTS, **WARPS}
