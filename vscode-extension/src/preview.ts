/** The lowered code beside the source: live, per LLVM version and stage, with linked lines. */
import * as path from "node:path";
import * as vscode from "vscode";
import { Links } from "./links";
import * as protocol from "./protocol";
import { isOutdated, shown, type Server } from "./server";
import { pickVersion } from "./versions";

export const SCHEME = "gpuasync-lowering";
const DEBOUNCE_MS = 150;

/** What a preview shows; it is the preview's URI. */
interface Target {
  source: string;
  llvm?: number | undefined;
  stage?: string | undefined;
}

export function registerPreview(server: Server): vscode.Disposable {
  const previews = new Previews(server);
  server.intercept("gpuasync.preview", (params) =>
    shown(() => previews.open(targetOf(params as protocol.LoweringParams))),
  );
  const command = (name: string, run: (target: Target) => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(name, () => shown(() => run(activeTarget())));
  return vscode.Disposable.from(
    previews,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, previews),
    command("gpuasync.openPreview", (target) => previews.open(target)),
    command("gpuasync.choosePreviewVersion", (target) => previews.chooseVersion(target)),
    command("gpuasync.choosePreviewStage", (target) => previews.chooseStage(target)),
    command("gpuasync.diffPreview", (target) => previews.diff(target)),
  );
}

class Previews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly links = new Links();
  private readonly notes = vscode.languages.createDiagnosticCollection("gpuasync lowering");
  /** By the URI of the source. */
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        this.schedule(document.uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.links.forget(uri);
        this.notes.delete(uri);
      }),
      server.onRunning((running) => {
        if (running) {
          this.refreshAll();
        }
      }),
    ];
  }

  async provideTextDocumentContent(
    uri: vscode.Uri,
    token: vscode.CancellationToken,
  ): Promise<string | undefined> {
    const target = targetIn(uri);
    const source = vscode.Uri.parse(target.source);
    // The server knows open documents only; a diff or a restored window may come before its source.
    await vscode.workspace.openTextDocument(source);
    try {
      const result = await this.server.request(protocol.lowering, params(this.server, target), token);
      this.links.set(uri, source, result.lineMap);
      this.notes.set(uri, noteDiagnostics(result));
      return result.text;
    } catch (error) {
      if (isOutdated(error)) {
        return undefined; // the edit that outdated it asks again
      }
      return `// ${error instanceof Error ? error.message : String(error)}\n`;
    }
  }

  async open(target: Target): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uriOf(target));
    const beside = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.scheme === SCHEME);
    const viewColumn = beside?.viewColumn ?? vscode.ViewColumn.Beside;
    await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, preview: true });
    this.links.follow();
  }

  async chooseVersion(target: Target): Promise<void> {
    const llvm = await pickVersion("Preview the lowering of which LLVM release?", target.llvm);
    if (llvm !== undefined) {
      await this.open({ ...target, llvm: llvm ?? undefined });
    }
  }

  async chooseStage(target: Target): Promise<void> {
    const result = await this.server.request(protocol.lowering, params(this.server, target));
    const stages = result.stages ?? [];
    if (stages.length === 0) {
      throw new Error("This server has only one stage to show.");
    }
    const stage = await vscode.window.showQuickPick(stages, {
      title: "Preview which stage of the pipeline?",
    });
    if (stage) {
      await this.open({ ...target, stage });
    }
  }

  async diff(target: Target): Promise<void> {
    const left = await pickVersion("Compare the lowering of LLVM …");
    const right = left === undefined ? undefined : await pickVersion("… with that of LLVM …");
    if (left === undefined || right === undefined) {
      return;
    }
    const sides = [left, right].map((llvm) => uriOf({ ...target, llvm: llvm ?? undefined }));
    const name = path.posix.basename(vscode.Uri.parse(target.source).path);
    const title = `${name}: ${versionName(left)} ↔ ${versionName(right)}`;
    await vscode.commands.executeCommand("vscode.diff", sides[0], sides[1], title);
  }

  dispose(): void {
    this.timers.forEach(clearTimeout);
    vscode.Disposable.from(...this.subscriptions, this.links, this.notes, this.changed).dispose();
  }

  private schedule(source: vscode.Uri): void {
    const key = source.toString();
    clearTimeout(this.timers.get(key));
    const previews = openPreviews().filter((uri) => targetIn(uri).source === key);
    if (previews.length > 0) {
      this.timers.set(
        key,
        setTimeout(() => {
          previews.forEach((uri) => {
            this.changed.fire(uri);
          });
        }, DEBOUNCE_MS),
      );
    }
  }

  private refreshAll(): void {
    openPreviews().forEach((uri) => {
      this.changed.fire(uri);
    });
  }
}

function openPreviews(): vscode.Uri[] {
  return vscode.workspace.textDocuments.map(({ uri }) => uri).filter(({ scheme }) => scheme === SCHEME);
}

/** The target of the active editor, be it a source or a preview. */
function activeTarget(): Target {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme === SCHEME) {
    return targetIn(document.uri);
  }
  if (document?.languageId !== "mlir") {
    throw new Error("Open an MLIR file first.");
  }
  return { source: document.uri.toString() };
}

function targetOf({ textDocument, llvm, stage }: protocol.LoweringParams): Target {
  return { source: vscode.Uri.parse(textDocument.uri).toString(), llvm, stage };
}

function params(server: Server, { source, llvm, stage }: Target): protocol.LoweringParams {
  const textDocument = server.identifier(vscode.Uri.parse(source));
  return { textDocument, ...(llvm && { llvm }), ...(stage && { stage }) };
}

/** The path is what the tab shows, and its ending chooses the language; the query says the rest. */
function uriOf(target: Target): vscode.Uri {
  const name = path.posix.basename(vscode.Uri.parse(target.source).path, ".mlir");
  const what = [target.stage ?? "lowered", target.llvm && versionName(target.llvm)]
    .filter(Boolean)
    .join(", ");
  return vscode.Uri.from({ scheme: SCHEME, path: `/${name} (${what}).mlir`, query: JSON.stringify(target) });
}

function targetIn(uri: vscode.Uri): Target {
  return JSON.parse(uri.query) as Target;
}

function versionName(llvm: number | null): string {
  return llvm === null ? "the file's LLVM" : `LLVM ${llvm}`;
}

/** Notes at the lowered lines they speak about; those that belong nowhere go to the first. */
function noteDiagnostics({ notes, lineMap }: protocol.LoweringResult): vscode.Diagnostic[] {
  const lowered = new Map(lineMap);
  return (notes ?? []).map(({ message, line }) => {
    const row = (line === undefined ? undefined : lowered.get(line)?.[0]) ?? 0;
    const range = new vscode.Range(row, 0, row, Number.MAX_SAFE_INTEGER);
    return new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Information);
  });
}
