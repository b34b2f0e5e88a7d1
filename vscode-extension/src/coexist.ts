/**
 * Leaves to LLVM's own MLIR extension what its server answers as well, while that server is running and answers. An
 * extension that is installed without a server, or whose server has stopped, answers nothing, and this one everything.
 * A fault that both report is shown once, as LLVM's.
 */
import * as vscode from "vscode";
import type { DiagnosticProviderMiddleware, Middleware } from "vscode-languageclient/node";

const LLVM_EXTENSION = "llvm-vs-code-extensions.vscode-mlir";
/** So long an answer about a version of a document holds: a server may stop or start meanwhile. */
const HOLDS_MS = 3000;
/** What every reader of MLIR complains of: syntax, names, verifiers. */
const COMMON = /^GA00\d$/;

interface Probe {
  version: number;
  begun: number;
  answers: Promise<boolean>;
  /** What came of it, once that is known. */
  yielded?: boolean;
}

const probes = new WeakMap<vscode.TextDocument, Probe>();
const changed = new vscode.EventEmitter<void>();
/** Fires when `shares` has something else to say about a document. */
export const onShares = changed.event;
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
  const probe: Probe = {
    version: document.version,
    begun: performance.now(),
    answers: othersDefine(document),
    ...(last?.yielded !== undefined && { yielded: last.yielded }),
  };
  probes.set(document, probe);
  probe.yielded = await probe.answers;
  if (probe.yielded !== last?.yielded) {
    changed.fire();
  }
  return probe.yielded;
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

/**
 * Which extension answers which requests, if LLVM's is active too, as a line for the status item; empty otherwise, or if
 * unknown.
 */
export function shares(document: vscode.TextDocument): string {
  if (!isWanted()) {
    return "";
  }
  switch (probes.get(document)?.yielded) {
    case true:
      return "LLVM's extension answers definitions, references, symbols and colours; GPU Async everything else.\n";
    case false:
      return "The server of LLVM's extension does not answer: GPU Async answers everything.\n";
    default:
      return "";
  }
}

/** The lines on which LLVM's server reports errors. */
function theirErrors(uri: vscode.Uri): Set<number> {
  const errors = vscode.languages
    .getDiagnostics(uri)
    .filter(({ source, severity }) => source === "mlir" && severity === vscode.DiagnosticSeverity.Error);
  return new Set(errors.map(({ range }) => range.start.line));
}

/** What was left out last of each document, as LLVM's server said it too; by the lines. */
const leftOut = new Map<string, string>();

/** Leaves out what LLVM's server says on the same line. */
export const diagnosticsOnce: NonNullable<DiagnosticProviderMiddleware["provideDiagnostics"]> = async (
  document,
  previous,
  token,
  next,
) => {
  const uri = document instanceof vscode.Uri ? document : document.uri;
  if (!isWanted()) {
    return next(document, previous, token);
  }
  // Of an unchanged report there would be nothing to leave out: ask for all of it.
  const report = await next(document, undefined, token);
  const lines = theirErrors(uri);
  leftOut.set(uri.toString(), [...lines].join());
  if (report && "items" in report && lines.size > 0) {
    const items = report.items.filter(
      ({ code, range }) => !(COMMON.test(codeOf(code)) && lines.has(range.start.line)),
    );
    return { ...report, items };
  }
  return report;
};

/** Calls `again` with each document about which LLVM's server has said something else since ours were shown. */
export function onTheirDiagnostics(again: (uri: vscode.Uri) => void): vscode.Disposable {
  return vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    for (const uri of isWanted() ? uris : []) {
      const before = leftOut.get(uri.toString());
      if (before !== undefined && before !== [...theirErrors(uri)].join()) {
        again(uri);
      }
    }
  });
}

function codeOf(code: vscode.Diagnostic["code"]): string {
  return String(typeof code === "object" ? code.value : (code ?? ""));
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
