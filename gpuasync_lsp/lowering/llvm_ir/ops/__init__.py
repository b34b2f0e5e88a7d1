"""Translates ops to LLVM IR, one module per family of ops."""

from __future__ import annotations

from collections.abc import Mapping

from gpuasync_lsp.lowering.llvm_ir.body import Handler
from gpuasync_lsp.lowering.llvm_ir.ops import (
    aggregates,
    arithmetic,
    calls,
    control_flow,
    launches,
    memory,
    tasks,
)

HANDLERS: Mapping[str, Handler] = {
    **arithmetic.HANDLERS,
    **memory.HANDLERS,
    **aggregates.HANDLERS,
    **control_flow.HANDLERS,
    **calls.HANDLERS,
    **launches.HANDLERS,
    **tasks.HANDLERS,
}
