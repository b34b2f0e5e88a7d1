"""The result of a lowering: the module, the notes on its ops, and the error that ended the lowering."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.syntax.opaque import written_name


@dataclass(frozen=True)
class Message:
    """A message about an op of the source."""

    op_name: str
    text: str
    location: Attribute
    """The location of the op, a `SourceLoc` if the module was parsed from source text."""

    @classmethod
    def about(cls, op: Operation, text: str) -> Message:
        """Create a message about `op`, with its name and location."""
        return cls(written_name(op) or op.name, text, op.location)


@dataclass(frozen=True)
class Lowered:
    """A lowered module."""

    module: ModuleOp
    """The result; after an error, the input of the failed pass."""
    version: int
    notes: tuple[Message, ...] = ()
    """The reason for each unlowered op."""
    diagnostics: tuple[str, ...] = ()
    """Errors that the release prints without failing, and those that it prints before `error`."""
    error: Message | None = None
    """The error message with which the release exits with status 1; None if it succeeds."""
    failed_pass: str = ""
    """The pass that reported `error`."""
    advice: str = ""
    """A suggestion, or the reason why no pattern matches the op."""
    is_own_limit: bool = False
    """Whether `error` is a limitation of this tool, not an error of the release."""

    @property
    def first_message(self) -> str:
        """The first error that the release reports, or an empty string."""
        messages = [*self.diagnostics, *([] if self.error is None else [self.error.text])]
        return messages[0] if messages else ""
