"""The result of a lowering: the module, the notes on its ops, and the error that ended it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from gpuasync_lsp.syntax.opaque import written_name


@dataclass(frozen=True)
class Message:
    """Something to say about an op of the source."""

    op_name: str
    text: str
    location: Attribute
    """The location of the op, a `SourceLoc` where the module came from source text."""

    @classmethod
    def about(cls, op: Operation, text: str) -> Message:
        """Return a message about `op`."""
        location: Any = op.location
        return cls(written_name(op) or op.name, text, location)


@dataclass(frozen=True)
class Lowered:
    """A lowered module."""

    module: ModuleOp
    """The result; after an error what the pass that failed was given."""
    version: int
    notes: tuple[Message, ...] = ()
    """One for each unlowered op, with the reason."""
    diagnostics: tuple[str, ...] = ()
    """Errors that the release prints without ending the run, and before `error` if there is one."""
    error: Message | None = None
    """Why the release ends with exit status 1, in its words."""
    failed_pass: str = ""
    """The pass that `error` is from."""
    advice: str = ""
    """What to do instead, or why no pattern takes the op."""
    is_own_limit: bool = False
    """Whether `error` is what this tool cannot do, not what the release says."""

    @property
    def first_message(self) -> str:
        """The first error that the release prints, or nothing."""
        messages = [*self.diagnostics, *([] if self.error is None else [self.error.text])]
        return messages[0] if messages else ""
