"""Sources with markers, for tests of `ide/`: `<|>` is the cursor, `«` and `»` enclose a range."""

from __future__ import annotations

from gpuasync_lsp.ide.document.state import FileState, file_state
from gpuasync_lsp.ide.document.targets import SettingsResolver
from gpuasync_lsp.text import Edit, LineIndex, Span, apply_edits

CURSOR = "<|>"


def state_of(text: str) -> FileState:
    """Return the analyzed state of a text."""
    return file_state(LineIndex(text), None, SettingsResolver())


def at_cursor(marked: str) -> tuple[FileState, int]:
    """Return the analyzed text without its marker `<|>`, and the offset of the cursor."""
    offset = marked.index(CURSOR)
    return state_of(marked.replace(CURSOR, "", 1)), offset


def ranges(marked: str) -> tuple[str, list[Span]]:
    """Return the text without `«` and `»`, and the spans that they enclose, which cannot be nested."""
    text, spans = "", list[Span]()
    for number, part in enumerate(marked.replace("»", "«").split("«")):
        if number % 2:
            spans.append(Span(len(text), len(text) + len(part)))
        text += part
    return text, spans


def edited(state: FileState, edits: list[Edit] | tuple[Edit, ...]) -> str:
    """Return the text after the given edits."""
    return apply_edits(state.text, edits)
