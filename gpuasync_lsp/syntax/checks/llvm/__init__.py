"""llvm: checks that MLIR implements in C++, one module per family of ops."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.llvm.aggregates import AGGREGATES
from gpuasync_lsp.syntax.checks.llvm.calls import CALLS
from gpuasync_lsp.syntax.checks.llvm.casts import CASTS
from gpuasync_lsp.syntax.checks.llvm.constants import CONSTANTS
from gpuasync_lsp.syntax.checks.llvm.functions import FUNCTIONS
from gpuasync_lsp.syntax.checks.llvm.globals import GLOBALS
from gpuasync_lsp.syntax.checks.llvm.memory import MEMORY

CHECKS = {**AGGREGATES, **CALLS, **CASTS, **CONSTANTS, **FUNCTIONS, **GLOBALS, **MEMORY}
