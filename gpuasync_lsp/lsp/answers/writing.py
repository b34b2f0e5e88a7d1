"""Assistance while typing: completion, signature help, formatting."""

from __future__ import annotations

from lsprotocol import types

from gpuasync_lsp.ide.features.completion import Completion, CompletionKind, completions, documentation
from gpuasync_lsp.ide.features.formatting import broken_regions, format_edits, indentation
from gpuasync_lsp.ide.features.signature_help import signature_at
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.syntax.cutter import PartKind
from gpuasync_lsp.text import Edit, LineIndex, Span
from gpuasync_lsp.text.plain_json import Json

_KINDS = {
    CompletionKind.VALUE: types.CompletionItemKind.Variable.value,
    CompletionKind.OP: types.CompletionItemKind.Operator.value,
    CompletionKind.KERNEL: types.CompletionItemKind.Function.value,
    CompletionKind.FUNCTION: types.CompletionItemKind.Function.value,
    CompletionKind.MODULE: types.CompletionItemKind.Module.value,
    CompletionKind.BLOCK: types.CompletionItemKind.Reference.value,
    CompletionKind.ALIAS: types.CompletionItemKind.Constant.value,
    CompletionKind.KEYWORD: types.CompletionItemKind.Keyword.value,
    CompletionKind.CASE: types.CompletionItemKind.EnumMember.value,
    CompletionKind.TYPE: types.CompletionItemKind.TypeParameter.value,
    CompletionKind.ATTRIBUTE: types.CompletionItemKind.Property.value,
}


def completion(view: View, params: Json) -> Json:
    """Answer `textDocument/completion` with an incomplete list, so clients ask again at each keystroke."""
    found = completions(view.state, view.offset(params))
    return {"isIncomplete": bool(found), "items": [_item(view, c, n) for n, c in enumerate(found)]}


def resolve_completion(view: View, params: Json) -> Json:
    """Answer `completionItem/resolve`: add the documentation of an op."""
    text = documentation(params["label"])
    if text is None:
        return params
    return {**params, "documentation": {"kind": "markdown", "value": text}}


def _item(view: View, found: Completion, number: int) -> Json:
    snippet = bool(found.snippet) and view.client.snippets
    item: Json = {
        "label": found.label,
        "kind": _KINDS[found.kind],
        "sortText": f"{number:05}",
        "filterText": found.label,
        "textEdit": {
            "range": view.places.range(found.span),
            "newText": found.snippet if snippet else found.text,
        },
        "insertTextFormat": 2 if snippet else 1,
    }
    if found.detail:
        item["detail"] = found.detail
    # VS Code resolves each item that it highlights, so every item contains its document.
    item["data"] = {"textDocument": {"uri": view.uri}}
    return item


def signature_help(view: View, params: Json) -> Json | None:
    """Answer `textDocument/signatureHelp`."""
    found = signature_at(view.state.source, view.offset(params))
    if found is None:
        return None
    parameters = [{"label": found.label[start:end]} for start, end in found.parameters]
    return {
        "signatures": [{"label": found.label, "parameters": parameters}],
        "activeSignature": 0,
        "activeParameter": found.active,
    }


def formatting(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/formatting`."""
    lines = view.state.lines
    return view.places.edits(format_edits(lines, broken=broken_regions(view.state.source, lines)))


def range_formatting(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/rangeFormatting` for the lines that the range touches."""
    start: Json = params["range"]["start"]
    end: Json = params["range"]["end"]
    # A selection of whole lines ends at the start of the next line.
    last = end["line"] - (end["character"] == 0 and end["line"] > start["line"])
    lines = view.state.lines
    broken = broken_regions(view.state.source, lines)
    return view.places.edits(format_edits(lines, start["line"], last, broken))


def _item_before(view: View, offset: int) -> tuple[int, int]:
    """Return the first line of the last item that begins before `offset`, and the number of enclosing
    modules."""
    begin = modules = 0
    # While the user types, the current item may be incomplete, but the previous item is complete.
    for part in view.state.source.chunk_at(offset).parts:
        if part.span.start >= offset:
            break
        if part.kind is PartKind.MODULE:
            modules += 1
        elif part.kind is PartKind.CLOSE:
            modules = max(modules - 1, 0)
        else:
            begin = part.span.start
    return view.state.lines.position(begin)[0], modules if begin else 0


def on_type_formatting(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/onTypeFormatting`: indent the new line, or the line of a closing brace.

    After a newline, also indents the closing brace that the editor has inserted below.
    """
    lines = view.state.lines
    number: int = params["position"]["line"]
    if number >= lines.line_count:
        return []
    if params["ch"] == "}":
        numbers = [number] if _closes(lines, number) else []
    else:
        numbers = [number, number + 1] if _closes(lines, number + 1) else [number]
    begin, modules = _item_before(view, lines.starts[number])
    edits: list[Edit] = []
    for each in numbers:
        text = lines.line_text(each)
        written = text[: len(text) - len(text.lstrip(" \t"))]
        wanted = " " * indentation(lines, each, begin, modules)
        if written != wanted:
            start = lines.starts[each]
            edits.append(Edit(Span(start, start + len(written)), wanted))
    return view.places.edits(edits)


def _closes(lines: LineIndex, number: int) -> bool:
    """Return whether the line exists and begins with a closing brace."""
    return number < lines.line_count and lines.line_text(number).lstrip(" \t").startswith("}")
