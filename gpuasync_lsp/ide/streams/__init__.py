"""The stream view of a file: the stream of each op, the order between streams, and leaks.

`stream_view` is the single entry point for the server and the command line; `pictures` returns the data.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gpuasync_lsp.analysis import AsyncFunction, analyze
from gpuasync_lsp.ide.document.cancel import Cancel
from gpuasync_lsp.ide.document.region_pass import item_after, passes_before
from gpuasync_lsp.ide.document.state import FileState
from gpuasync_lsp.ide.streams.compact import render_compact
from gpuasync_lsp.ide.streams.dot import render_dot
from gpuasync_lsp.ide.streams.drawing import build
from gpuasync_lsp.ide.streams.fold import folded
from gpuasync_lsp.ide.streams.json_text import render_json
from gpuasync_lsp.ide.streams.model import Picture
from gpuasync_lsp.ide.streams.svg import render_svg
from gpuasync_lsp.ide.streams.text import TextOptions, colored, plain, render_text
from gpuasync_lsp.syntax import PlacedItem

__all__ = [
    "FORMATS",
    "Picture",
    "StreamView",
    "TextOptions",
    "UnknownFormat",
    "UnknownFunction",
    "colored",
    "pictures",
    "plain",
    "stream_view",
]

FORMATS = ("text", "json", "dot", "svg", "compact-svg")


class UnknownFunction(ValueError):
    """A function that the file does not define; the message lists the defined functions."""


class UnknownFormat(ValueError):
    """An unknown format; the message lists the known formats."""


@dataclass(frozen=True, slots=True)
class StreamView:
    """The diagram in the requested format, and the functions of the file that have one."""

    text: str
    functions: tuple[str, ...]
    shown: tuple[str, ...]
    """The functions in the text."""


def stream_view(
    state: FileState,
    format: str = "text",
    function: str | None = None,
    offset: int | None = None,
    options: TextOptions | None = None,
    cancel: Cancel | None = None,
    *,
    fold: bool = False,
) -> StreamView:
    """Return the streams of a function, given its name or an offset in it, or of all functions with streams.

    An offset outside of all functions selects all. `options` are for the format `text`; `fold` merges
    equivalent streams. Raises UnknownFunction, UnknownFormat, and Cancelled.
    """
    if format not in FORMATS:
        raise UnknownFormat(f"unknown format {format!r}; expected one of {', '.join(FORMATS)}")
    shown = pictures(state, function, offset, cancel)
    drawn = tuple(map(folded, shown)) if fold else shown
    names = tuple(picture.function for picture in shown)
    return StreamView(_render(drawn, format, options), _functions(state, names), names)


def pictures(
    state: FileState, function: str | None = None, offset: int | None = None, cancel: Cancel | None = None
) -> tuple[Picture, ...]:
    """Return the diagrams of the selected functions, in text order; see `stream_view`."""
    cancel = cancel or Cancel()
    wanted = None if function is None else function.removeprefix("@")
    found: list[tuple[Picture, bool]] = []
    names: list[str] = []
    findings = {group.item: group.findings for group in state.findings if group.item is not None}
    for placed in state.source.items:
        cancel.check()
        for model in _models(state, placed):
            if model.op not in model.spans.ops:
                continue
            names.append(model.name)
            here = model.spans.op(model.op).shift(placed.offset)
            inside = offset is not None and here.start <= offset <= here.end
            if model.name == wanted or (wanted is None and (model.ops or model.given or inside)):
                drawn = build(model, findings.get(placed.item, ()), state.lines, placed.offset)
                found.append((drawn, inside))
    if wanted is not None and not found:
        known = ", ".join(f"@{name}" for name in names) or "none"
        raise UnknownFunction(f"there is no function @{wanted}; the file defines {known}")
    inside = tuple(picture for picture, is_inside in found if is_inside)
    return inside or tuple(picture for picture, _ in found)


def _functions(state: FileState, shown: Collection[str]) -> tuple[str, ...]:
    return tuple(
        model.name
        for placed in state.source.items
        for model in _models(state, placed)
        if model.ops or model.given or model.name in shown
    )


def _models(state: FileState, placed: PlacedItem) -> list[AsyncFunction]:
    """Return the models of an item's functions in the IR that reaches gpu-to-llvm.

    If gpu-async-region is configured, they model the result of this pass."""
    passes = passes_before(state.resolved.settings.pipeline)
    context = state.contexts[placed.offset]
    after = item_after(placed.item, context, passes, state.profile.version) if passes else None
    if after is None:
        return state.models(placed)
    return analyze(after, context, state.profile)


def _render(pictures: Sequence[Picture], format: str, options: TextOptions | None) -> str:
    match format:
        case "text":
            return render_text(pictures, options)
        case "json":
            return render_json(pictures)
        case "dot":
            return render_dot(pictures)
        case "svg":
            return render_svg(pictures)
        case _:
            return render_compact(pictures)
