"""What `mlir-opt --gpu-to-llvm` of one LLVM release makes of a module.

`lower` is the way in; it works on a clone and never changes its input.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.lowering.conversion import LegalizationError, PassError
from gpuasync_lsp.lowering.gpu_to_llvm import gpu_to_llvm
from gpuasync_lsp.lowering.options import LoweringOptions
from gpuasync_lsp.profiles import profile

__all__ = ["Lowered", "LoweringOptions", "Message", "lower"]


@dataclass(frozen=True)
class Message:
    """Something to say about an op of the source."""

    op_name: str
    text: str
    location: Attribute
    """The location of the op, a `SourceLoc` where the module came from source text."""


@dataclass(frozen=True)
class Lowered:
    """A lowered module."""

    module: ModuleOp
    """The result; after an error the input."""
    version: int
    notes: tuple[Message, ...] = ()
    """One for each op that was left behind, with the reason."""
    diagnostics: tuple[str, ...] = ()
    """Errors that the release prints without ending the run, and before `error` if there is one."""
    error: Message | None = None
    """Why the release ends with exit status 1, in its words."""

    @property
    def first_message(self) -> str:
        """The first error that the release prints, or nothing."""
        messages = [*self.diagnostics, *([] if self.error is None else [self.error.text])]
        return messages[0] if messages else ""


def lower(module: ModuleOp, version: int, options: LoweringOptions | None = None) -> Lowered:
    """Run gpu-to-llvm as LLVM `version` does on a clone of `module`."""
    clone = module.clone()
    try:
        result = gpu_to_llvm(clone, profile(version), options or LoweringOptions())
    except LegalizationError as error:
        return Lowered(module, version, (), tuple(error.diagnostics), _message(error.op, str(error)))
    except PassError as error:
        return Lowered(module, version, error=_message(error.op, str(error)))
    notes = tuple(_message(note.op, note.reason) for note in result.left)
    return Lowered(clone, version, notes, tuple(result.diagnostics))


def _message(op: Operation, text: str) -> Message:
    location: Any = op.location
    return Message(op.name, text, location)
