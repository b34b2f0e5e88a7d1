"""Each capability that the server announces is tested."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuasync_lsp.lsp.capabilities import COMMANDS, server_capabilities
from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.server import ANSWERS, BY_SESSION
from gpuasync_lsp.server import COMMANDS as HANDLERS

METHODS = {
    "callHierarchyProvider": [
        "textDocument/prepareCallHierarchy",
        "callHierarchy/incomingCalls",
        "callHierarchy/outgoingCalls",
    ],
    "codeActionProvider": ["textDocument/codeAction", "codeAction/resolve"],
    "codeLensProvider": ["textDocument/codeLens"],
    "completionProvider": ["textDocument/completion", "completionItem/resolve"],
    "declarationProvider": ["textDocument/declaration"],
    "definitionProvider": ["textDocument/definition"],
    "diagnosticProvider": ["textDocument/diagnostic", "workspace/diagnostic"],
    "documentFormattingProvider": ["textDocument/formatting"],
    "documentHighlightProvider": ["textDocument/documentHighlight"],
    "documentLinkProvider": ["textDocument/documentLink"],
    "documentOnTypeFormattingProvider": ["textDocument/onTypeFormatting"],
    "documentRangeFormattingProvider": ["textDocument/rangeFormatting"],
    "documentSymbolProvider": ["textDocument/documentSymbol"],
    "executeCommandProvider": ["workspace/executeCommand"],
    "experimental": [
        "gpuasync/lowering",
        "gpuasync/passes",
        "gpuasync/passDifference",
        "gpuasync/streams",
        "gpuasync/target",
    ],
    "foldingRangeProvider": ["textDocument/foldingRange"],
    "hoverProvider": ["textDocument/hover"],
    "inlayHintProvider": ["textDocument/inlayHint"],
    "linkedEditingRangeProvider": ["textDocument/linkedEditingRange"],
    "positionEncoding": ["positionEncoding"],
    "referencesProvider": ["textDocument/references"],
    "renameProvider": ["textDocument/rename", "textDocument/prepareRename"],
    "selectionRangeProvider": ["textDocument/selectionRange"],
    "semanticTokensProvider": [
        "textDocument/semanticTokens/full",
        "textDocument/semanticTokens/full/delta",
        "textDocument/semanticTokens/range",
    ],
    "signatureHelpProvider": ["textDocument/signatureHelp"],
    "textDocumentSync": [],  # Every test opens and changes documents.
    "typeDefinitionProvider": ["textDocument/typeDefinition"],
    "workspace": ["workspace/textDocumentContent", "workspace/didChangeWorkspaceFolders"],
    "workspaceSymbolProvider": ["workspace/symbol"],
}
"""The methods of each capability; a test in this folder uses each of them."""

EVERYTHING = Client(
    pulls_diagnostics=True, code_action_literals=True, code_action_resolve=True, rename_prepare=True
)


def sources() -> str:
    here = Path(__file__)
    return "\n".join(path.read_text() for path in sorted(here.parent.glob("*.py")) if path != here)


def test_every_capability_is_in_the_table() -> None:
    assert set(server_capabilities(EVERYTHING)) == set(METHODS)


@pytest.mark.parametrize("method", sorted({m for methods in METHODS.values() for m in methods}))
def test_every_advertised_method_has_a_test(method: str) -> None:
    assert f'"{method}"' in sources()


def test_what_is_answered_is_advertised() -> None:
    advertised = {method for methods in METHODS.values() for method in methods}
    assert {*ANSWERS, *BY_SESSION} <= advertised


def test_each_method_beyond_the_protocol_is_advertised() -> None:
    advertised = server_capabilities(EVERYTHING)["experimental"]["gpuasync"]
    ours = {method.removeprefix("gpuasync/") for method in METHODS["experimental"]}
    assert ours - {"passDifference"} == set(advertised)  # `passes` stands for both


def test_every_advertised_command_has_a_handler() -> None:
    assert set(COMMANDS) == set(HANDLERS)
