"""Document symbols, folding, selection ranges, document links, call hierarchy."""

from __future__ import annotations

from lsprotocol import types

from gpuasync_lsp.ide.features.call_hierarchy import Calls, callable_at, incoming, outgoing
from gpuasync_lsp.ide.features.dump_outline import outline_by_pass
from gpuasync_lsp.ide.features.folding import folds
from gpuasync_lsp.ide.features.links import links
from gpuasync_lsp.ide.features.outline import OutlineEntry, SymbolSort, flat
from gpuasync_lsp.ide.features.selection import selections
from gpuasync_lsp.ide.lookup.symbols import Definition, definitions
from gpuasync_lsp.lsp.uris import uri_of
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.text import Span
from gpuasync_lsp.text.plain_json import Json

SYMBOL_KINDS = {
    SymbolSort.MODULE: types.SymbolKind.Module.value,
    SymbolSort.KERNEL: types.SymbolKind.Function.value,
    SymbolSort.FUNCTION: types.SymbolKind.Function.value,
    SymbolSort.GLOBAL: types.SymbolKind.Variable.value,
    SymbolSort.PASS: types.SymbolKind.Event.value,
}


def document_symbols(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/documentSymbol`, as a tree if the client supports it."""
    entries = outline_by_pass(view.state.source)
    if view.client.hierarchical_symbols:
        return [_symbol(view, entry) for entry in entries]
    return [
        {
            "name": entry.name,
            "kind": SYMBOL_KINDS[entry.sort],
            "location": view.places.location(view.uri, entry.span),
            "containerName": entry.container,
        }
        for entry in flat(entries)
    ]


def _symbol(view: View, entry: OutlineEntry) -> Json:
    return {
        "name": entry.name,
        "detail": entry.detail,
        "kind": SYMBOL_KINDS[entry.sort],
        "range": view.places.range(entry.span),
        "selectionRange": view.places.range(entry.name_span),
        "children": [_symbol(view, child) for child in entry.children],
    }


def folding_ranges(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/foldingRange`."""
    found: list[Json] = []
    for fold in folds(view.state.source, view.state.lines):
        start, end = view.places.position(fold.span.start), view.places.position(fold.span.end)
        last = end["line"]
        if view.client.folding_line_only:
            last -= fold.closes
            if last <= start["line"]:
                continue
            found.append({"startLine": start["line"], "endLine": last, "kind": fold.kind})
        else:
            found.append(
                {
                    "startLine": start["line"],
                    "startCharacter": start["character"],
                    "endLine": last,
                    "endCharacter": end["character"],
                    "kind": fold.kind,
                }
            )
    return found


def selection_ranges(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/selectionRange`."""
    found: list[Json] = []
    for position in params["positions"]:
        result: Json | None = None
        for span in reversed(selections(view.state.source, view.state.lines, view.places.offset(position))):
            result = {"range": view.places.range(span)} | ({} if result is None else {"parent": result})
        assert result is not None  # There is always the whole file.
        found.append(result)
    return found


def document_links(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/documentLink`."""
    folder = None if view.state.path is None else view.state.path.parent
    found: list[Json] = []
    targets: dict[Span, str] = {}  # Memoized: many links lead to few kernels.
    for link in links(view.state.source, folder):
        if link.path is not None:
            target = f"{uri_of(link.path)}#L{link.line},{link.column}"
        elif link.target is not None:
            if link.target not in targets:
                place = view.places.position(link.target.start)
                targets[link.target] = f"{view.uri}#L{place['line'] + 1},{place['character'] + 1}"
            target = targets[link.target]
        else:
            continue
        found.append({"range": view.places.range(link.span), "target": target, "tooltip": link.tooltip})
    return found


def prepare_calls(view: View, params: Json) -> list[Json] | None:
    """Answer `textDocument/prepareCallHierarchy`."""
    found = callable_at(view.state.source, view.offset(params))
    return None if found is None else [_call_item(view, found)]


def incoming_calls(view: View, params: Json) -> list[Json]:
    """Answer `callHierarchy/incomingCalls`."""
    callee = _called(view, params)
    found = [] if callee is None else incoming(view.state.source, callee)
    return [{"from": _call_item(view, calls.other), "fromRanges": _places(view, calls)} for calls in found]


def outgoing_calls(view: View, params: Json) -> list[Json]:
    """Answer `callHierarchy/outgoingCalls`."""
    caller = _called(view, params)
    found = [] if caller is None else outgoing(view.state.source, caller)
    return [{"to": _call_item(view, calls.other), "fromRanges": _places(view, calls)} for calls in found]


def _call_item(view: View, found: Definition) -> Json:
    return {
        "name": f"@{found.path[-1]}",
        "kind": types.SymbolKind.Function.value,
        "detail": "kernel" if found.is_kernel else found.op_name,
        "uri": view.uri,
        "range": view.places.range(found.span),
        "selectionRange": view.places.range(found.name),
        "data": {"textDocument": {"uri": view.uri}},
    }


def _called(view: View, params: Json) -> Definition | None:
    start = view.places.offset(params["item"]["selectionRange"]["start"])
    chunk = view.state.source.chunk_at(start)
    return next((d for d in definitions(chunk) if d.name.start == start), None)


def _places(view: View, calls: Calls) -> list[Json]:
    return [view.places.range(place) for place in calls.places]
