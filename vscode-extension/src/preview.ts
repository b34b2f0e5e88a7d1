/** The lowered code beside the source: live, per LLVM version and stage, with linked lines. */
import * as path from "node:path";
import * as vscode from "vscode";
import { activeDocument, beside } from "./active";
import { chooseFixes, chooseStages, chooseVersions, compareEngines, type Shown, type Sides } from "./compare";
import { Findings } from "./findings";
import { Folds } from "./folds";
import { Lanes } from "./lanes";
import { Links } from "./links";
import * as protocol from "./protocol";
import { isOutdated, shown, type Server } from "./server";
import { pickVersion, versionName } from "./versions";

export const SCHEME = "gpuasync-lowering";
const DEBOUNCE_MS = 150;

/** What a preview shows; it is the preview's URI. */
interface Target extends Shown {
  source: string;
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
    command("gpuasync.explainPreview", (target) => previews.open({ ...target, explain: !target.explain })),
    command("gpuasync.previewByMlirOpt", (target) => previews.toggleEngine(target)),
    command("gpuasync.foldPreview", () => previews.fold()),
    command("gpuasync.diffPreview", async (target) => previews.diff(target, await chooseVersions())),
    command("gpuasync.diffPreviewStages", (target) => previews.diffStages(target)),
    command("gpuasync.diffPreviewFixes", async (target) => previews.diff(target, await chooseFixes())),
    command("gpuasync.comparePreview", (target) => previews.compare(target)),
  );
}

class Previews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly links = new Links();
  private readonly lanes = new Lanes(SCHEME);
  private readonly folds = new Folds(SCHEME);
  private readonly findings = new Findings(SCHEME);
  /** By the URI of the source. */
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        this.schedule(document.uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        for (const part of [this.links, this.lanes, this.folds, this.findings]) {
          part.forget(uri);
        }
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
      this.lanes.set(uri, result.streams ?? []);
      this.folds.set(uri, result.folds ?? []);
      this.findings.set(uri, source, result);
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
    const other = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.scheme === SCHEME);
    const viewColumn = other?.viewColumn ?? beside(vscode.Uri.parse(target.source));
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

  async toggleEngine(target: Target): Promise<void> {
    await this.open({ ...target, engine: target.engine ? undefined : "mlir-opt" });
  }

  async fold(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme === SCHEME) {
      await this.folds.fold(editor);
    }
  }

  async diffStages(target: Target): Promise<void> {
    const { stages } = await this.server.request(protocol.lowering, params(this.server, target));
    await this.diff(target, await chooseStages(stages ?? []));
  }

  async compare({ source, stage }: Target): Promise<void> {
    const target = { source, stage };
    await this.diff(target, await compareEngines(this.server, params(this.server, target)));
  }

  async diff(target: Target, sides: Sides | undefined): Promise<void> {
    if (sides) {
      const like = sides.right.like && { ...target, ...sides.right.like };
      const [left, right] = [sides.left, { ...sides.right, like }].map((side) =>
        uriOf({ ...target, ...side }),
      );
      const name = path.posix.basename(vscode.Uri.parse(target.source).path);
      await vscode.commands.executeCommand("vscode.diff", left, right, `${name}: ${sides.title}`);
    }
  }

  dispose(): void {
    this.timers.forEach(clearTimeout);
    vscode.Disposable.from(
      ...this.subscriptions,
      this.links,
      this.lanes,
      this.folds,
      this.findings,
      this.changed,
    ).dispose();
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
  const { uri } = activeDocument();
  return uri.scheme === SCHEME ? targetIn(uri) : { source: uri.toString() };
}

function targetOf({ textDocument, ...what }: protocol.LoweringParams): Target {
  return { source: vscode.Uri.parse(textDocument.uri).toString(), ...what };
}

function params(server: Server, { source, ...what }: Target): protocol.LoweringParams {
  return { textDocument: server.identifier(vscode.Uri.parse(source)), ...what };
}

/** The path is what the tab shows, and its ending chooses the language; the query says the rest. */
function uriOf(target: Target): vscode.Uri {
  const name = path.posix.basename(vscode.Uri.parse(target.source).path, ".mlir");
  const what = [
    target.stage ?? "lowered",
    target.llvm && versionName(target.llvm),
    target.fixed && "fixed",
    target.engine,
    target.explain && "explained",
  ];
  const path_ = `/${name} (${what.filter(Boolean).join(", ")}).mlir`;
  return vscode.Uri.from({ scheme: SCHEME, path: path_, query: JSON.stringify(target) });
}

function targetIn(uri: vscode.Uri): Target {
  return JSON.parse(uri.query) as Target;
}
