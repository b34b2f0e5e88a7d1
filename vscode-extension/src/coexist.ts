/** Leaves to LLVM's own MLIR extension, where that is installed, what it does as well. */
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

const LLVM_EXTENSION = "llvm-vs-code-extensions.vscode-mlir";

/** Asked at every request, since extensions come and go while we run. */
function yields(): boolean {
  return (
    vscode.extensions.getExtension(LLVM_EXTENSION) !== undefined &&
    vscode.workspace.getConfiguration("gpuasync").get("besideLlvmExtension") === "diagnostics"
  );
}

export const coexistence: Middleware = {
  provideDefinition: (document, position, token, next) => (yields() ? null : next(document, position, token)),
  provideReferences: (document, position, options, token, next) =>
    yields() ? null : next(document, position, options, token),
  provideDocumentSymbols: (document, token, next) => (yields() ? null : next(document, token)),
  provideDocumentSemanticTokens: (document, token, next) => (yields() ? null : next(document, token)),
  provideDocumentRangeSemanticTokens: (document, range, token, next) =>
    yields() ? null : next(document, range, token),
  provideCompletionItem: (document, position, context, token, next) =>
    yields() ? null : next(document, position, context, token),
};
