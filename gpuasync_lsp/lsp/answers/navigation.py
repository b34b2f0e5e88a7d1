"""Definition, declaration, references, highlights, linked editing, rename."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpuasync_lsp.ide.features.linked_editing import WORD_PATTERN, linked_spans
from gpuasync_lsp.ide.features.op_sources import op_sources
from gpuasync_lsp.ide.features.rename import CannotRename, renameable
from gpuasync_lsp.ide.features.rename import rename as rename_at
from gpuasync_lsp.ide.features.type_definition import type_definitions
from gpuasync_lsp.ide.lookup.entities import Entity, entity_at
from gpuasync_lsp.lsp.convert import workspace_edit
from gpuasync_lsp.lsp.uris import uri_of
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.text.plain_json import Json


def definition(view: View, params: Json) -> list[Json] | None:
    """Answer `textDocument/definition`, with the range of the whole op if the client supports links."""
    entity = _entity(view, params)
    if entity is None or not entity.definitions:
        return _op_definition(view, params)
    if not view.client.link_support:
        return [view.places.location(view.uri, found.span) for found in entity.definitions]
    origin = view.places.range(entity.at)
    return [
        {
            "originSelectionRange": origin,
            "targetUri": view.uri,
            "targetRange": view.places.range(
                entity.whole
                if entity.whole is not None and entity.whole.contains(found.span.start)
                else found.span
            ),
            "targetSelectionRange": view.places.range(found.span),
        }
        for found in entity.definitions
    ]


def _op_definition(view: View, params: Json) -> list[Json] | None:
    """Return links to the definition of the op at the cursor in the files of a user-defined dialect."""
    found: list[Json] = []
    for source in op_sources(view.state, view.offset(params), view.cancel):
        uri, place = uri_of(source.path), {"line": source.line, "character": 0}
        there = {"start": place, "end": place}
        found.append(
            {
                "originSelectionRange": view.places.range(source.at),
                "targetUri": uri,
                "targetRange": there,
                "targetSelectionRange": there,
            }
            if view.client.link_support
            else {"uri": uri, "range": there}
        )
    return found or None


def declaration(view: View, params: Json) -> list[Json] | None:
    """Answer `textDocument/declaration`; in MLIR, a declaration is the definition."""
    entity = _entity(view, params)
    if entity is None or not entity.definitions:
        return None
    return [view.places.location(view.uri, found.span) for found in entity.definitions]


def type_definition(view: View, params: Json) -> list[Json] | None:
    """Answer `textDocument/typeDefinition` with the alias that names the value's type."""
    found = type_definitions(view.state.source, view.offset(params))
    return [view.places.location(view.uri, span) for span in found] or None


def references(view: View, params: Json) -> list[Json] | None:
    """Answer `textDocument/references`."""
    entity = _entity(view, params)
    if entity is None:
        return None
    with_definition = params["context"].get("includeDeclaration", True)
    return [
        view.places.location(view.uri, found.span)
        for found in entity.occurrences
        if with_definition or not found.defines
    ]


def highlights(view: View, params: Json) -> list[Json] | None:
    """Answer `textDocument/documentHighlight`; definitions are writes, uses are reads."""
    entity = _entity(view, params)
    if entity is None:
        return None
    read, write = types.DocumentHighlightKind.Read.value, types.DocumentHighlightKind.Write.value
    return [
        {"range": view.places.range(found.span), "kind": write if found.defines else read}
        for found in entity.occurrences
    ]


def linked_editing(view: View, params: Json) -> Json | None:
    """Answer `textDocument/linkedEditingRange`."""
    spans = linked_spans(view.state.source, view.offset(params))
    if not spans:
        return None
    return {"ranges": [view.places.range(span) for span in spans], "wordPattern": WORD_PATTERN}


def prepare_rename(view: View, params: Json) -> Json | None:
    """Answer `textDocument/prepareRename`."""
    entity = renameable(view.state.source, view.offset(params))
    if entity is None:
        return None
    return {"range": view.places.range(entity.at), "placeholder": entity.name}


def rename(view: View, params: Json) -> Json:
    """Answer `textDocument/rename`; a rename that is not possible is an error with the reason."""
    try:
        edits = rename_at(view.state.source, view.offset(params), params["newName"])
    except CannotRename as reason:
        raise JsonRpcException(str(reason), types.LSPErrorCodes.RequestFailed.value) from reason
    changes = view.places.edits(edits)
    return workspace_edit(view.uri, view.document.version, changes, versioned=view.client.versioned_edits)


def _entity(view: View, params: Json) -> Entity | None:
    return entity_at(view.state.source, view.offset(params))
