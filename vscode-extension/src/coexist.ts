/**
 * Shares work with LLVM's own MLIR extension: while its server answers, this extension does not answer the requests
 * that both can answer.
 *
 * If LLVM's extension has no server, or the server has stopped, this extension answers everything. An error that both
 * report is shown only once, as LLVM's.
 */
import * as vscode from "vscode";
import type { DiagnosticProviderMiddleware, Middleware } from "vscode-languageclient/node";

const LLVM_EXTENSION = "llvm-vs-code-extensions.vscode-mlir";
/** How long the result of a probe is valid for a version of a document, since the server may stop or start. */
const HOLDS_MS = 3000;
/** The codes of errors that LLVM's server reports, too: about syntax, names, and from verifiers. */
const COMMON = /^GA00\d$/;

interface Probe {
  version: number;
  begun: number;
  answers: Promise<boolean>;
  /** The last known value of `answers`. */
  yielded?: boolean;
}

const probes = new WeakMap<vscode.TextDocument, Probe>();
const changed = new vscode.EventEmitter<void>();
/** Fires when `shares` may return something else. */
export const onShares = changed.event;
/** The documents with a probe in progress, for which this extension returns no definitions. */
const asking = new Set<vscode.TextDocument>();

/** Returns whether the user wants LLVM's extension to answer the requests that both can answer. */
function isWanted(): boolean {
  return (
    vscode.extensions.getExtension(LLVM_EXTENSION)?.isActive === true &&
    vscode.workspace.getConfiguration("gpuasync").get("besideLlvmExtension") === "diagnostics"
  );
}

/** Returns whether the server of LLVM's extension answers for a document; the probe requests a definition. */
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

/** Requests the definition of the document's first value from all other extensions; returns whether there is one. */
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
 * Returns a line for the status item that says which extension answers which requests; empty if LLVM's extension is not
 * active, or its state is unknown.
 */
export function shares(document: vscode.TextDocument): string {
  if (!isWanted()) {
    return "";
  }
  switch (probes.get(document)?.yielded) {
    case true:
      return "LLVM's extension answers definitions, references, symbols and colors; GPU Async everything else.\n";
    case false:
      return "The server of LLVM's extension does not answer: GPU Async answers everything.\n";
    default:
      return "";
  }
}

/** Returns the lines on which LLVM's server reports errors. */
function theirErrors(uri: vscode.Uri): Set<number> {
  const errors = vscode.languages
    .getDiagnostics(uri)
    .filter(({ source, severity }) => source === "mlir" && severity === vscode.DiagnosticSeverity.Error);
  return new Set(errors.map(({ range }) => range.start.line));
}

/** For each document, the lines on which LLVM's server reported errors when our diagnostics were last filtered. */
const leftOut = new Map<string, string>();

/** Removes errors that LLVM's server reports on the same line. */
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
  // An unchanged report has no items to filter: request a full one.
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

/** Calls `again` with each document for which LLVM's server has changed its errors since ours were filtered. */
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
