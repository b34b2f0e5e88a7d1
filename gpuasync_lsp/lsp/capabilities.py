"""The capabilities that the server sends to the client."""

from __future__ import annotations

from gpuasync_lsp.lsp.client import Client
from gpuasync_lsp.text.plain_json import Json

COMMANDS = (
    "gpuasync.passes",
    "gpuasync.preview",
    "gpuasync.run",
    "gpuasync.streams",
    "gpuasync.test",
    "gpuasync.updateChecks",
)
"""The commands of `workspace/executeCommand`."""

TOKEN_TYPES = ("variable", "parameter", "function", "namespace", "type", "keyword", "label", "property")
TOKEN_MODIFIERS = ("declaration", "async", "leaked", "joined")
"""The modifiers in `ide/features/semantic_tokens.py`, repeated here because that module imports xDSL."""

FIX_ALL = "source.fixAll.gpuasync"
"""The kind of the action that applies every safe fix of a file."""


def server_capabilities(client: Client) -> Json:
    """Return the `ServerCapabilities` for this client."""
    capabilities: Json = {
        "positionEncoding": client.encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "hoverProvider": True,
        "definitionProvider": True,
        "declarationProvider": True,
        "typeDefinitionProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "documentSymbolProvider": True,
        "workspaceSymbolProvider": True,
        "documentLinkProvider": {},
        "foldingRangeProvider": True,
        "selectionRangeProvider": True,
        "callHierarchyProvider": True,
        "linkedEditingRangeProvider": True,
        "inlayHintProvider": True,
        "codeLensProvider": {},
        "documentFormattingProvider": True,
        "documentRangeFormattingProvider": True,
        "documentOnTypeFormattingProvider": {"firstTriggerCharacter": "\n", "moreTriggerCharacter": ["}"]},
        "renameProvider": {"prepareProvider": True} if client.rename_prepare else True,
        "completionProvider": {"triggerCharacters": list("%@^#![."), "resolveProvider": True},
        "signatureHelpProvider": {"triggerCharacters": ["("], "retriggerCharacters": [","]},
        "semanticTokensProvider": {
            "legend": {"tokenTypes": list(TOKEN_TYPES), "tokenModifiers": list(TOKEN_MODIFIERS)},
            "full": {"delta": True},
            "range": True,
        },
        # A client without code action literals supports only commands, so it gets no actions.
        "codeActionProvider": {
            "codeActionKinds": ["quickfix", "refactor.rewrite", "refactor.extract", FIX_ALL],
            "resolveProvider": client.code_action_resolve,
        }
        if client.code_action_literals
        else False,
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "textDocumentContent": {"schemes": ["gpuasync"]},
        },
        "experimental": {"gpuasync": {"lowering": True, "passes": True, "streams": True, "target": True}},
    }
    # A client that pulls diagnostics would show pushed ones twice.
    if client.pulls_diagnostics:
        capabilities["diagnosticProvider"] = {
            "identifier": "gpuasync",
            "interFileDependencies": False,
            "workspaceDiagnostics": True,
        }
    return capabilities
