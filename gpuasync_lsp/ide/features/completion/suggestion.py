"""A completion item, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gpuasync_lsp.text import Span

MOST = 1_000
"""The maximum number of suggestions at a position; further typing narrows them. A long function has a token
for each op."""


class CompletionKind(Enum):
    """The kind of a suggestion, which editors show as an icon."""

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
    """One suggestion; `text` (or `snippet`, with `$1` placeholders) replaces `span`, and suggestions with
    smaller ranks come first."""

    label: str
    kind: CompletionKind
    span: Span
    text: str
    detail: str = ""
    rank: int = 0
    snippet: str = ""
