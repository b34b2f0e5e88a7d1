"""Code actions: fixes, fix-all, suppressions; edits that take long are computed when an action is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuasync_lsp.ide.features.actions import Action, fix_all_action, quick_fixes
from gpuasync_lsp.ide.refactor import refactorings
from gpuasync_lsp.lsp.convert import workspace_edit
from gpuasync_lsp.lsp.diagnostics import diagnostic
from gpuasync_lsp.lsp.session import View

Json = dict[str, Any]


def code_actions(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/codeAction`."""
    only: list[str] = params["context"].get("only") or []
    return [
        _action(view, action, number, params)
        for number, action in enumerate(_actions(view, params))
        if not only or any(_is_kind(action.kind, kind) for kind in only)
    ]


def resolve_action(view: View, params: Json) -> Json:
    """Answer `codeAction/resolve`: compute the edits of an action that was offered without."""
    asked = params["data"]
    for number, action in enumerate(_actions(view, asked)):
        if number == asked["number"]:
            return {**params, "edit": _edit(view, action)}
    return params


def _actions(view: View, params: Json) -> Iterator[Action]:
    span = view.places.span(params["range"])
    yield from quick_fixes(view.state, span)
    yield from fix_all_action(view.state)
    yield from refactorings(view.state, span)


def _action(view: View, action: Action, number: int, params: Json) -> Json:
    result: Json = {"title": action.title, "kind": action.kind}
    if action.finding is not None:
        result["diagnostics"] = [diagnostic(action.finding, view.uri, view.places, view.client)]
    if action.preferred:
        result["isPreferred"] = True
    if action.lazy and view.client.code_action_resolve:
        result["data"] = {
            "textDocument": params["textDocument"],
            "version": view.document.version,
            "range": params["range"],
            "number": number,
        }
    else:
        result["edit"] = _edit(view, action)
    return result


def _edit(view: View, action: Action) -> Json:
    edits = view.places.edits(action.edits())
    return workspace_edit(view.uri, view.document.version, edits, versioned=view.client.versioned_edits)


def _is_kind(kind: str, asked: str) -> bool:
    return kind == asked or kind.startswith(asked + ".")
