"""Recognizes unread functions that do not affect the lowering of other functions."""

from __future__ import annotations

from gpuasync_lsp.syntax.source import Chunk, Item

_MAY_MATTER = ("nvvm", "gpu.module", "llvm.bareptr", "parallel", "linalg.")
"""Words in a function that may affect the lowering of other functions."""


def is_alone(item: Item, chunk: Chunk) -> bool:
    """Return whether an unread item is a function whose name alone affects the lowering of others."""
    text = item.text
    if not text.startswith("func.func ") or "nvvm" in chunk.prelude:
        return False
    has_launch = text.count("gpu.launch") > text.count("gpu.launch_func")
    return not has_launch and not any(word in text for word in _MAY_MATTER)
