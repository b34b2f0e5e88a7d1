/**
 * Leaves to LLVM's own MLIR extension what its server answers as well, while that server is running and answers. An
 * extension that is installed without a server, or whose server has stopped, answers nothing, and this one everything.
 */
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

const LLVM_EXTENSION = "llvm-vs-code-extensions.vscode-mlir";
/** So long an answer about a version of a document holds: a server may stop or start meanwhile. */
const HOLDS_MS = 3000;

interface Probe {
  version: number;
  begun: number;
  answers: Promise<boolean>;
}

const probes = new WeakMap<vscode.TextDocument, Probe>();
/** The documents of which all other providers are asked for a definition: we give none meanwhile. */
const asking = new Set<vscode.TextDocument>();

/** Whether LLVM's extension is to answer what both can. */
function isWanted(): boolean {
  return (
    vscode.extensions.getExtension(LLVM_EXTENSION)?.isActive === true &&
    vscode.workspace.getConfiguration("gpuasync").get("besideLlvmExtension") === "diagnostics"
  );
}

/** Whether the server of LLVM's extension answers for a document: it finds the definition of a value. */
export async function yields(document: vscode.TextDocument): Promise<boolean> {
  if (!isWanted()) {
    return false;
  }
  const last = probes.get(document);
  if (last?.version === document.version && performance.now() - last.begun < HOLDS_MS) {
    return last.answers;
  }
  const probe = { version: document.version, begun: performance.now(), answers: othersDefine(document) };
  probes.set(document, probe);
  return probe.answers;
}

/** Asks for the definition of the first value, as hardly anybody asks for definitions while this goes on. */
async function othersDefine(document: vscode.TextDocument): Promise<boolean> {
  const first = /%[\w$.-]+/.exec(document.getText());
  if (!first) {
    return false;
  }
  asking.add(document);
  try {
    const places = await vscode.commands.executeCommand<unknown[] | undefined>(
      "vscode.executeDefinitionProvider",
      document.uri,
      document.positionAt(first.index + 1),
    );
    return (places?.length ?? 0) > 0;
  } finally {
    asking.delete(document);
  }
}

export const coexistence: Middleware = {
  provideDefinition: async (document, position, token, next) =>
    asking.has(document) || (await yields(document)) ? null : next(document, position, token),
  provideReferences: async (document, position, options, token, next) =>
    (await yields(document)) ? null : next(document, position, options, token),
  provideDocumentSymbols: async (document, token, next) =>
    (await yields(document)) ? null : next(document, token),
  provideDocumentSemanticTokens: async (document, token, next) =>
    (await yields(document)) ? null : next(document, token),
  provideDocumentRangeSemanticTokens: async (document, range, token, next) =>
    (await yields(document)) ? null : next(document, range, token),
};
