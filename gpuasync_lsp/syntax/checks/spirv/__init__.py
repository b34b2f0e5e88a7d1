"""spirv: what its verifiers in C++ refuse, of single values and of programs."""

from __future__ import annotations

from gpuasync_lsp.syntax.checks.spirv.program import PROGRAM
from gpuasync_lsp.syntax.checks.spirv.values import VALUES

CHECKS = {**VALUES, **PROGRAM}
