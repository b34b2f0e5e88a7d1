"""One suggestion of completion, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gpuasync_lsp.text import Span

MOST = 1_000
"""Suggestions at a place; more are narrowed by typing on. A long function has a token for each op."""


class CompletionKind(Enum):
    """What a suggestion is, as editors draw it."""

    VALUE = "value"
    OP = "op"
    KERNEL = "kernel"
    FUNCTION = "function"
    MODULE = "module"
    BLOCK = "block"
    ALIAS = "alias"
    KEYWORD = "keyword"
    CASE = "case"
    TYPE = "type"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True, slots=True)
class Completion:
    """One suggestion: `text` (or `snippet`, with `$1` places) replaces `span`; smaller ranks come first."""

    label: str
    kind: CompletionKind
    span: Span
    text: str
    detail: str = ""
    rank: int = 0
    snippet: str = ""
