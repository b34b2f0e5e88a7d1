"""The client's capabilities, read once at `initialize`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuasync_lsp.text.plain_json import Json, is_list, is_object

if TYPE_CHECKING:
    from gpuasync_lsp.text import Encoding


@dataclass(frozen=True, slots=True)
class Client:
    """The client capabilities that affect what the server sends."""

    encoding: Encoding = "utf-16"
    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    related_information: bool = False
    diagnostic_tags: bool = False
    code_description: bool = False
    versioned_edits: bool = False
    code_action_literals: bool = False
    code_action_resolve: bool = False
    markdown: bool = False
    snippets: bool = False
    hierarchical_symbols: bool = False
    rename_prepare: bool = False
    folding_line_only: bool = False
    link_support: bool = False
    pulls_configuration: bool = False
    registers_configuration: bool = False
    registers_watched_files: bool = False
    progress: bool = False
    text_document_content: bool = False
    shows_documents: bool = False
    applies_edits: bool = False
    refreshes_inlay_hints: bool = False
    refreshes_semantic_tokens: bool = False
    refreshes_code_lenses: bool = False

    @staticmethod
    def of(params: Json) -> Client:
        """Return the client described by the parameters of `initialize`."""
        capabilities: Json = params.get("capabilities") or {}

        def has(path: str) -> object:
            value: object = capabilities
            for key in path.split("."):
                value = value.get(key) if is_object(value) else None
            return value

        def words(path: str) -> Sequence[object]:
            value = has(path)
            return value if is_list(value) else ()

        known: dict[str, Encoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
        encoding: Encoding = "utf-16"  # Every client supports UTF-16.
        for word in words("general.positionEncodings"):
            if isinstance(word, str) and word in known:
                encoding = known[word]
                break
        document = "textDocument."
        return Client(
            encoding=encoding,
            pulls_diagnostics=has(document + "diagnostic") is not None,
            refreshes_diagnostics=bool(has("workspace.diagnostics.refreshSupport")),
            related_information=bool(has(document + "publishDiagnostics.relatedInformation")),
            diagnostic_tags=bool(has(document + "publishDiagnostics.tagSupport")),
            code_description=bool(has(document + "publishDiagnostics.codeDescriptionSupport")),
            versioned_edits=bool(has("workspace.workspaceEdit.documentChanges")),
            code_action_literals=has(document + "codeAction.codeActionLiteralSupport") is not None,
            code_action_resolve=bool(has(document + "codeAction.dataSupport"))
            and "edit" in words(document + "codeAction.resolveSupport.properties"),
            markdown="markdown" in words(document + "hover.contentFormat"),
            snippets=bool(has(document + "completion.completionItem.snippetSupport")),
            hierarchical_symbols=bool(has(document + "documentSymbol.hierarchicalDocumentSymbolSupport")),
            rename_prepare=bool(has(document + "rename.prepareSupport")),
            folding_line_only=bool(has(document + "foldingRange.lineFoldingOnly")),
            link_support=bool(has(document + "definition.linkSupport")),
            pulls_configuration=bool(has("workspace.configuration")),
            registers_configuration=bool(has("workspace.didChangeConfiguration.dynamicRegistration")),
            registers_watched_files=bool(has("workspace.didChangeWatchedFiles.dynamicRegistration")),
            progress=bool(has("window.workDoneProgress")),
            text_document_content=has("workspace.textDocumentContent") is not None,
            shows_documents=bool(has("window.showDocument.support")),
            applies_edits=bool(has("workspace.applyEdit")),
            refreshes_inlay_hints=bool(has("workspace.inlayHint.refreshSupport")),
            refreshes_semantic_tokens=bool(has("workspace.semanticTokens.refreshSupport")),
            refreshes_code_lenses=bool(has("workspace.codeLens.refreshSupport")),
        )
