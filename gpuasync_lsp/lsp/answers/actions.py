"""Code actions: fixes, fix-all and suppressions. Expensive edits are computed when an action is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuasync_lsp.ide.document.cancel import Patience
from gpuasync_lsp.ide.features.actions import QUICK_FIX, Action, fix_all_action, quick_fixes
from gpuasync_lsp.ide.refactor import refactorings
from gpuasync_lsp.ide.runlines.results import CHECK_FAILED
from gpuasync_lsp.lsp.convert import workspace_edit
from gpuasync_lsp.lsp.diagnostics import diagnostic
from gpuasync_lsp.lsp.finished_runs import SOURCE_OF_TESTS
from gpuasync_lsp.lsp.view import View
from gpuasync_lsp.text import Edit
from gpuasync_lsp.text.plain_json import Json

FIXING = 5.0
"""Time limit in seconds for resolving a chosen action, after which it applies the fixes found so far."""

OFFERING = 1.0
"""Time limit in seconds for all actions of an answer to a client that cannot resolve edits later."""


def code_actions(view: View, params: Json) -> list[Json]:
    """Answer `textDocument/codeAction`."""
    only: list[str] = params["context"].get("only") or []
    patience = Patience(OFFERING, view.cancel)
    offered = [
        _action(view, action, number, params)
        for number, action in enumerate(_actions(view, params, patience))
        if not only or any(_is_kind(action.kind, kind) for kind in only)
    ]
    if not only or any(_is_kind(QUICK_FIX, kind) for kind in only):
        offered += _of_tests(view, params)
    return offered


def _of_tests(view: View, params: Json) -> Iterator[Json]:
    """Yield the command that rewrites CHECK lines, if a diagnostic in the request is a failed check."""
    failed = [
        each
        for each in params["context"].get("diagnostics") or ()
        if each.get("source") == SOURCE_OF_TESTS and each.get("code") == CHECK_FAILED
    ]
    if failed and view.client.applies_edits:
        title = "Update the failing CHECK lines from the output"
        command = {"title": title, "command": "gpuasync.updateChecks", "arguments": [{"uri": view.uri}]}
        yield {"title": title, "kind": QUICK_FIX, "diagnostics": failed, "command": command}


def resolve_action(view: View, params: Json) -> Json:
    """Answer `codeAction/resolve`: compute the edits of an action that was offered without them."""
    request, patience = params["data"], Patience(FIXING, view.cancel)
    for number, action in enumerate(_actions(view, request, patience)):
        if number == request["number"]:
            edits = action.edits()
            if patience.ran_out:
                view.warn(
                    f"{action.title}: this took too long, so some fixes were not applied. Run it again "
                    "to apply them."
                )
            elif action.finding is not None and not edits:
                view.warn(f"{action.title}: not applied, because the result would have a new error.")
            return {**params, "edit": _workspace_edit(view, edits)}
    return params


def _actions(view: View, params: Json, patience: Patience) -> Iterator[Action]:
    span = view.places.span(params["range"])
    yield from quick_fixes(view.state, span, patience)
    yield from fix_all_action(view.state, patience)
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
        result["edit"] = _workspace_edit(view, action.edits())
    return result


def _workspace_edit(view: View, edits: Sequence[Edit]) -> Json:
    changes = view.places.edits(edits)
    return workspace_edit(view.uri, view.document.version, changes, versioned=view.client.versioned_edits)


def _is_kind(kind: str, wanted: str) -> bool:
    return kind == wanted or kind.startswith(wanted + ".")
