"""What `mlir-opt --gpu-to-llvm` of one LLVM release makes of a module.

`lower` is the way in; it works on a clone and never changes its input.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from gpuasync_lsp.lowering.conversion import LegalizationError, PassError
from gpuasync_lsp.lowering.gpu_to_llvm import gpu_to_llvm
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.lowering.result import Lowered, Message
from gpuasync_lsp.profiles import profile

__all__ = ["Lowered", "LoweringOptions", "Message", "lower"]


def lower(module: ModuleOp, version: int, options: LoweringOptions | None = None) -> Lowered:
    """Run gpu-to-llvm as LLVM `version` does on a clone of `module`."""
    clone = module.clone()
    try:
        result = gpu_to_llvm(clone, profile(version), options or LoweringOptions())
    except LegalizationError as error:
        return Lowered(module, version, (), tuple(error.diagnostics), Message.about(error.op, str(error)))
    except PassError as error:
        return Lowered(module, version, error=Message.about(error.op, str(error)))
    notes = tuple(Message.about(note.op, note.reason) for note in result.left)
    return Lowered(clone, version, notes, tuple(result.diagnostics))
