"""Code lenses above each host function with gpu work: its streams, and what can be shown of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuasync_lsp.ide.state import FileState
from gpuasync_lsp.text import Span


@dataclass(frozen=True, slots=True)
class Lens:
    """A line above a function: what it says, and what a click shows."""

    span: Span
    title: str
    command: str
    function: str


def lenses(state: FileState) -> Iterator[Lens]:
    """Yield the lenses of a file, in text order."""
    for placed in state.source.items:
        for function in state.models(placed):
            if not function.ops or function.op not in placed.item.spans.ops:
                continue
            name = placed.item.spans.name(function.op).shift(placed.offset)
            count = len(function.streams)
            streams = "1 stream" if count == 1 else f"{count} streams"
            yield Lens(name, f"LLVM {state.profile.version}: {streams}", "gpuasync.streams", function.name)
            yield Lens(name, "Preview lowering", "gpuasync.preview", function.name)
            yield Lens(name, "Run", "gpuasync.run", function.name)
