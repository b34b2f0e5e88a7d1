/** The lowered code beside the source: live, per LLVM version and stage, with linked lines. */
import * as path from "node:path";
import * as vscode from "vscode";
import { isOutdated, needMlirOpt, sentence, shown } from "./errors";
import { activeDocument, beside, onDidMove, opened, type PlaceOf } from "./active";
import { Arrivals } from "./arrivals";
import {
  chooseFixes,
  chooseOther,
  chooseStages,
  chooseVersions,
  compareEngines,
  stageChoices,
  type Sides,
} from "./compare";
import { Findings } from "./findings";
import { Folds } from "./folds";
import { Header } from "./header";
import { Lanes } from "./lanes";
import { Links } from "./links";
import { pickOptions } from "./options";
import { pickOne } from "./pick";
import * as protocol from "./protocol";
import type { Server } from "./server";
import { pickVersion } from "./versions";
import { PreviewItem } from "./previewItem";
import { parsed, previewed, SCHEME, targetAt, targetIn, uriOf, type Target } from "./previewUri";
import { isSeen, VirtualFiles } from "./virtual";
import { reveal } from "./webview";

/** A line is invalid while it is being typed, so errors that stop the lowering are shown only after this pause. */
const PAUSE_MS = 1000;
/** The setting for whether descriptors are folded by default. */
const FOLDS = "preview.foldDescriptors";

export function registerPreview(server: Server): vscode.Disposable {
  const previews = new Previews(server);
  server.intercept("gpuasync.preview", (params) =>
    shown(() => previews.open(targetOf(params as protocol.LoweringParams))),
  );
  const command = (
    name: string,
    run: (target: Target, from?: vscode.Uri) => Promise<void>,
    of = (uri: vscode.Uri): vscode.Uri => uri,
  ): vscode.Disposable =>
    vscode.commands.registerCommand(name, (clicked?: unknown) =>
      shown(() => {
        const uri = of(clicked instanceof vscode.Uri ? clicked : activeDocument().uri);
        return run(targetAt(uri), uri.scheme === SCHEME ? uri : undefined);
      }),
    );
  // Applies to the preview whose bar or title was clicked; from the palette, to the active preview, or to the preview
  // beside the active source.
  const change = (
    name: string,
    run: (target: Target, from?: vscode.Uri) => Promise<void>,
  ): vscode.Disposable => command(name, run, besideOf);
  return vscode.Disposable.from(
    previews,
    command("gpuasync.openPreview", (target) => previews.open(target)),
    change("gpuasync.changePreview", (_, from) => previews.choose(from)),
    change("gpuasync.choosePreviewVersion", (target, from) => previews.chooseVersion(target, from)),
    change("gpuasync.choosePreviewStage", (target, from) => previews.chooseStage(target, from)),
    change("gpuasync.choosePreviewOptions", (target, from) => previews.chooseOptions(target, from)),
    change("gpuasync.explainPreview", (target, from) =>
      previews.open({ ...target, explain: !target.explain }, from),
    ),
    change("gpuasync.foldDescriptors", (target, from) =>
      previews.open({ ...target, foldDescriptors: !folds(target) }, from),
    ),
    change("gpuasync.previewByMlirOpt", (target, from) => previews.toggleEngine(target, from)),
    command("gpuasync.comparePreviewWith", (target) => previews.compareWith(target)),
    vscode.commands.registerCommand("gpuasync.goToSource", (source: vscode.Uri, line: number) =>
      shown(() => reveal(source, line)),
    ),
    command("gpuasync.foldPreview", () => previews.fold()),
    command("gpuasync.diffPreview", async (target) => previews.diff(target, await chooseVersions())),
    command("gpuasync.diffPreviewStages", (target) => previews.diffStages(target)),
    command("gpuasync.diffPreviewFixes", async (target) => previews.diff(target, await chooseFixes())),
    command("gpuasync.comparePreview", (target) => previews.compare(target)),
  );
}

class Previews implements vscode.Disposable {
  private readonly files = new VirtualFiles(
    SCHEME,
    "A preview cannot be edited: edit its source.",
    (uri, token) => this.text(uri, token),
    (uri) => parsed(uri) !== undefined,
  );
  private readonly links = new Links();
  private readonly lanes = new Lanes();
  private readonly folds = new Folds(SCHEME);
  private readonly findings = new Findings();
  private readonly header = new Header(SCHEME);
  private readonly item = new PreviewItem(SCHEME);
  private readonly arrivals = new Arrivals(SCHEME);
  /** The URIs of the previews whose last lowering was stopped by an error. */
  private readonly ended = new Set<string>();
  /** The URIs of the previews that have already shown a text; they are requested as a whole, not by visible part. */
  private readonly begun = new Set<string>();
  /** The URIs of the previews that show a partial text and wait for the rest. */
  private readonly parts = new Set<string>();
  /** For the URI of each source, the server's answer about its release and pipeline, as JSON. */
  private readonly targets = new Map<string, string>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // Saving also fires this event, without changes of the text.
        if (contentChanges.length > 0) {
          this.refresh(document.uri);
        }
      }),
      // The server receives the whole text again.
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        this.refresh(uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        const { files, arrivals, links, lanes, folds, findings, header, item } = this;
        for (const part of [files, arrivals, links, lanes, folds, findings, header, item]) {
          part.forget(uri);
        }
        this.ended.delete(uri.toString());
        this.begun.delete(uri.toString());
        this.parts.delete(uri.toString());
        this.targets.delete(uri.toString());
      }),
      server.onRunning((running) => {
        if (running) {
          this.refreshAll();
        }
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`gpuasync.${FOLDS}`)) {
          this.refreshAll();
        }
      }),
      server.onAnalyzed((source) => void this.follow(source)),
      onDidMove((placeOf) => void shown(() => this.move(placeOf))),
    ];
  }

  /** Returns the text of a preview; undefined if the source changes in the meantime. */
  private async text(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string | undefined> {
    const target = targetIn(uri);
    const source = vscode.Uri.parse(target.source);
    try {
      // The server knows only open documents; a diff or a restored window may open a preview before its source.
      await opened(source);
      const range = this.begun.has(uri.toString()) ? undefined : seenOf(source);
      const asked = { ...params(this.server, target), range };
      const result = await this.server.request(protocol.lowering, asked, token);
      if (!token.isCancellationRequested) {
        this.begun.add(uri.toString());
      }
      if (this.hasJustEnded(uri, result)) {
        await pause(PAUSE_MS, token); // Keep the previous text until the line is complete.
        if (token.isCancellationRequested) {
          return undefined;
        }
      }
      this.ended[result.notes?.some(({ error }) => error) ? "add" : "delete"](uri.toString());
      this.arrivals.when(uri, result.text, () => {
        const isRest = this.parts.delete(uri.toString());
        this.links.set(uri, source, result.lineMap, isRest);
        this.lanes.set(uri, result.streams ?? []);
        this.folds.set(uri, result.folds ?? []);
        this.findings.set(uri, source, result);
        this.header.set(uri, source, { ...target, foldDescriptors: folds(target) }, result);
        this.item.set(uri, target, result);
        if (result.isPartial) {
          this.parts.add(uri.toString());
          this.files.goOn(uri);
        }
      });
      return result.text;
    } catch (error) {
      if (isOutdated(error)) {
        return undefined; // The edit, or the next analysis, repeats the request.
      }
      const said = sentence(error instanceof Error ? error.message : String(error));
      // The bar remains, so that something else can be chosen.
      const shownNow = { ...target, foldDescriptors: folds(target) };
      const { llvm, stage } = target;
      const none = { text: "", lineMap: [], ...(llvm && { llvm }), ...(stage && { stage }) };
      this.header.set(uri, source, shownNow, none);
      return `// ${said}\n`;
    }
  }

  /** Shows a preview in place of the preview `from`, by default of any visible one, otherwise beside the source. */
  async open(target: Target, from?: vscode.Uri): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uriOf(target));
    await this.files.current(document.uri);
    const shownNow = vscode.window.visibleTextEditors.filter(
      ({ document: { uri } }) => uri.scheme === SCHEME,
    );
    const same = shownNow.filter((editor) => editor.document.uri.toString() === from?.toString());
    const active = same.find((editor) => editor === vscode.window.activeTextEditor);
    const other = active ?? same[0] ?? shownNow[0];
    const viewColumn = other?.viewColumn ?? beside(vscode.Uri.parse(target.source));
    // If the replaced editor has the focus, the new editor gets it.
    await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: !active, preview: true });
    this.links.follow();
  }

  async choose(preview?: vscode.Uri): Promise<void> {
    if (!preview) {
      throw new Error("No preview of this file is visible. Preview Lowering to the Side opens one.");
    }
    await this.header.choose(preview);
  }

  async chooseVersion(target: Target, from?: vscode.Uri): Promise<void> {
    const llvm = await pickVersion("Preview the lowering of which LLVM release?", target.llvm ?? null);
    if (llvm !== undefined) {
      await this.open({ ...target, llvm: llvm ?? undefined }, from);
    }
  }

  async chooseStage(target: Target, from?: vscode.Uri): Promise<void> {
    const result = await this.server.request(protocol.lowering, params(this.server, target));
    const stages = stageChoices(result);
    if (stages.length === 0) {
      throw new Error("This server has only one stage to show.");
    }
    const stage = await pickOne("Preview which stage of the pipeline?", stages, result.stage);
    if (stage) {
      await this.open({ ...target, stage }, from);
    }
  }

  async chooseOptions(target: Target, from?: vscode.Uri): Promise<void> {
    const options = await pickOptions(target);
    if (options !== undefined) {
      await this.open({ ...target, options: options || undefined }, from);
    }
  }

  async toggleEngine(target: Target, from?: vscode.Uri): Promise<void> {
    if (!target.engine) {
      needMlirOpt();
    }
    await this.open({ ...target, engine: target.engine ? undefined : "mlir-opt" }, from);
  }

  async compareWith(target: Target): Promise<void> {
    const result = await this.server.request(protocol.lowering, params(this.server, target));
    const sides = await chooseOther(target, result);
    await (sides === "mlir-opt" ? this.compare(target) : this.diff(target, sides));
  }

  async fold(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme === SCHEME) {
      await this.folds.fold(editor);
    }
  }

  async diffStages(target: Target): Promise<void> {
    const result = await this.server.request(protocol.lowering, params(this.server, target));
    await this.diff(target, await chooseStages(result));
  }

  async compare({ source, stage }: Target): Promise<void> {
    needMlirOpt();
    const target = { source, stage };
    await this.diff(target, await compareEngines(this.server, params(this.server, target)));
  }

  async diff(target: Target, sides: Sides | undefined): Promise<void> {
    if (sides) {
      const like = sides.right.like && { ...target, ...sides.right.like };
      const [left, right] = [sides.left, { ...sides.right, like }].map((side) => {
        const uri = uriOf({ ...target, ...side });
        this.begun.add(uri.toString()); // Partial texts would differ in functions that are not lowered yet.
        return uri;
      });
      const name = path.posix.basename(vscode.Uri.parse(target.source).path);
      await vscode.commands.executeCommand("vscode.diff", left, right, `${name}: ${sides.title}`);
    }
  }

  dispose(): void {
    vscode.Disposable.from(
      ...this.subscriptions,
      this.arrivals,
      this.links,
      this.lanes,
      this.folds,
      this.findings,
      this.header,
      this.item,
      this.files,
    ).dispose();
  }

  /** Returns whether an error stops this lowering, while none stopped the lowering that is shown. */
  private hasJustEnded(preview: vscode.Uri, { notes = [] }: protocol.LoweringResult): boolean {
    const isShown = vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === preview.toString());
    return isShown && !this.ended.has(preview.toString()) && notes.some(({ error }) => error);
  }

  /** Requests the previews of a source again, including those that are being opened. */
  private refresh(source: vscode.Uri): void {
    for (const uri of this.of(source)) {
      this.files.refresh(uri);
      if (!isSeen(uri)) {
        this.header.forget(uri); // The text would be outdated when the preview becomes visible.
      }
    }
  }

  /** Reopens the previews of sources that have moved under their new names. */
  private async move(placeOf: PlaceOf): Promise<void> {
    for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) {
      const uri = tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
      const target = uri?.scheme === SCHEME ? parsed(uri) : undefined;
      const source = target && placeOf(vscode.Uri.parse(target.source));
      if (source && source !== "closed") {
        const document = await vscode.workspace.openTextDocument(
          uriOf({ ...target, source: source.toString() }),
        );
        const viewColumn = tab.group.viewColumn;
        await vscode.window.showTextDocument(document, { viewColumn, preserveFocus: true, preview: false });
        await vscode.window.tabGroups.close(tab, true);
      }
    }
  }

  private refreshAll(): void {
    this.files.known.forEach((uri) => {
      this.files.refresh(uri);
    });
  }

  /**
   * Updates previews after an analysis: failed requests are repeated, and all requests if the release or pipeline has
   * changed.
   */
  private async follow(source: vscode.Uri): Promise<void> {
    if (this.of(source).length === 0) {
      return;
    }
    try {
      const textDocument = this.server.identifier(source);
      const target = JSON.stringify(await this.server.request(protocol.target, { textDocument }));
      const before = this.targets.get(source.toString());
      this.targets.set(source.toString(), target);
      if (before !== undefined && before !== target) {
        this.refresh(source);
      }
    } catch (error) {
      if (!isOutdated(error)) {
        this.server.log.debug(`no target for ${source.toString()}: ${String(error)}`);
      }
    }
    this.of(source).forEach((uri) => {
      this.files.retry(uri);
    });
  }

  private of(source: vscode.Uri): vscode.Uri[] {
    return this.files.known.filter((uri) => targetIn(uri).source === source.toString());
  }
}

/** Waits for a time, or until `token` is cancelled. */
function pause(milliseconds: number, token: vscode.CancellationToken): Promise<void> {
  return new Promise((resume) => {
    const timer = setTimeout(resume, milliseconds);
    token.onCancellationRequested(() => {
      clearTimeout(timer);
      resume();
    });
  });
}

/** Returns the visible preview of a source; if there is none, `uri` itself. */
function besideOf(uri: vscode.Uri): vscode.Uri {
  const previews = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  return previews.find((each) => previewed(each)?.source.toString() === uri.toString()) ?? uri;
}

function targetOf({ textDocument, ...what }: protocol.LoweringParams): Target {
  return { source: vscode.Uri.parse(textDocument.uri).toString(), ...what };
}

function params(server: Server, target: Target): protocol.LoweringParams {
  const { source, like, ...what } = target;
  const foldDescriptors = folds(target);
  return {
    textDocument: server.identifier(vscode.Uri.parse(source)),
    ...what,
    foldDescriptors,
    ...(like && { like: { ...like, foldDescriptors } }), // Both sides must have the same format.
  };
}

/** Returns whether a preview folds descriptors: as the user chose, by default as the setting is. */
function folds({ source, foldDescriptors }: Target): boolean {
  const configuration = vscode.workspace.getConfiguration("gpuasync", vscode.Uri.parse(source));
  return foldDescriptors ?? configuration.get(FOLDS, true);
}

/** Returns the visible range of a source, across all visible parts of its editor. */
function seenOf(source: vscode.Uri): protocol.Range | undefined {
  const key = source.toString();
  const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === key);
  const [range, ...others] = editor?.visibleRanges ?? [];
  if (!range) {
    return undefined;
  }
  const { start, end } = others.reduce((whole, other) => whole.union(other), range);
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
