/** The streams explorer: a picture of one function, which follows the cursor and the file. */
import * as path from "node:path";
import * as vscode from "vscode";
import { isOutdated, sentence, shown } from "./errors";
import { activeDocument, currentDocument, isSource, onDidMove, opened } from "./active";
import type { StreamsMessage } from "./messages";
import * as protocol from "./protocol";
import type { Server } from "./server";
import { createPanel, restorePanels, type Kept } from "./webview";
import { isStreamsWish, type StreamsWish } from "./wishes";

const DEBOUNCE_MS = 120;

export function registerStreams(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  const view = new StreamsView(context, server);
  server.intercept("gpuasync.streams", (params) => {
    const { textDocument, function: name } = params as protocol.StreamsParams;
    return shown(() => view.open(vscode.Uri.parse(textDocument.uri), name));
  });
  return vscode.Disposable.from(
    view,
    vscode.commands.registerCommand("gpuasync.showStreams", () =>
      shown(() => view.open(activeDocument().uri)),
    ),
    vscode.commands.registerCommand("gpuasync.lockStreams", () => shown(() => view.toggleLock())),
    restorePanels("streams", (panel, document, state) => view.restore(panel, document.uri, state)),
  );
}

class StreamsView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private source: vscode.Uri | undefined;
  /** The function that is shown. */
  private name: string | undefined;
  private fold = true;
  private compact = true;
  /** Whether the panel stays with its file when another one becomes active. */
  private isLocked = false;
  private timer: NodeJS.Timeout | undefined;
  /** Set if something changed while the panel was hidden: the arguments of the request to send once it is visible. */
  private unseen: { follow: boolean } | undefined;
  private asked: vscode.CancellationTokenSource | undefined;
  private readonly subscriptions: vscode.Disposable[];
  private readonly hovered = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightStrongBackground"),
    isWholeLine: true,
  });

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // Saving also fires this event, without changes of the text.
        if (contentChanges.length > 0 && this.isSource(document)) {
          this.later(false);
        }
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        // A selection without a kind comes from the explorer, which already shows it.
        if (kind !== undefined && this.isSource(textEditor.document)) {
          this.later(true);
        }
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
        const top = visibleRanges[0]?.start.line;
        if (top !== undefined && this.panel?.visible && this.isSource(textEditor.document)) {
          void this.panel.webview.postMessage({ top } satisfies StreamsMessage);
        }
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor && isSource(editor.document) && !this.isLocked && !this.isSource(editor.document)) {
          this.name = undefined;
          this.follow(editor.document.uri, true);
        }
      }),
      onDidMove((placeOf) => {
        const place = this.source && placeOf(this.source);
        if (place === "closed") {
          this.panel?.dispose();
        } else if (place) {
          this.follow(place);
        }
      }),
      // The release, the pipeline or the server may have changed.
      server.onAnalyzed((uri) => {
        if (uri.toString() === this.source?.toString()) {
          this.later(false);
        }
      }),
      server.onRunning((running) => {
        if (running) {
          this.later(false);
        }
      }),
    ];
  }

  /** Shows another file: with `atCursor`, the function with its cursor. */
  private follow(source: vscode.Uri, atCursor = false): void {
    this.source = source;
    if (this.panel) {
      this.panel.title = this.title(source);
      this.later(atCursor);
    }
  }

  private title(source: vscode.Uri): string {
    return `Streams: ${path.posix.basename(source.path)}${this.isLocked ? " (locked)" : ""}`;
  }

  /** Lets the panel stay with its file, or follow the active one again. Throws an error if there is no panel. */
  async toggleLock(): Promise<void> {
    if (!this.panel || !this.source) {
      throw new Error("No streams are visible. Show Streams opens them.");
    }
    this.isLocked = !this.isLocked;
    const active = currentDocument();
    const follows = !this.isLocked && active && isSource(active) && !this.isSource(active);
    await this.open(follows ? active.uri : this.source, follows ? undefined : this.name);
  }

  /** Shows the function `name`, by default the one with the cursor. */
  async open(source: vscode.Uri, name?: string): Promise<void> {
    this.source = source;
    this.name = name;
    this.panel ??= this.create(source);
    this.panel.title = this.title(source);
    this.panel.reveal(undefined, true);
    await this.refresh(name === undefined);
  }

  /** Restores a panel after a reload of the window. */
  restore(panel: vscode.WebviewPanel, source: vscode.Uri, { name, fold, compact }: Kept): boolean {
    if (this.panel) {
      return false;
    }
    this.source = source;
    this.name = typeof name === "string" ? name : undefined;
    this.fold = fold !== false;
    this.compact = compact !== false;
    this.panel = this.create(source, panel);
    return true;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asked?.cancel();
    vscode.Disposable.from(...this.subscriptions, this.hovered).dispose();
    this.panel?.dispose();
  }

  private isSource(document: vscode.TextDocument): boolean {
    return this.panel !== undefined && document.uri.toString() === this.source?.toString();
  }

  private later(follow: boolean): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(follow), DEBOUNCE_MS);
  }

  private seen(): void {
    if (this.unseen) {
      void this.refresh(this.unseen.follow);
    }
  }

  private create(source: vscode.Uri, restored?: vscode.WebviewPanel): vscode.WebviewPanel {
    const page = {
      script: "streams",
      title: "Streams",
      source: () => this.source ?? source,
      isWish: isStreamsWish,
      heed: (wish: StreamsWish) => this.heed(wish),
    } as const;
    const panel = createPanel(this.context, this.server.log, page, restored);
    panel.onDidChangeViewState(() => {
      this.seen();
    });
    panel.onDidDispose(() => {
      this.hover(null);
      this.panel = undefined;
      this.isLocked = false;
    });
    return panel;
  }

  private async heed(wish: StreamsWish): Promise<void> {
    if ("ready" in wish) {
      await this.refresh(this.name === undefined);
    } else if ("name" in wish) {
      this.name = wish.name;
      await this.refresh(false);
    } else if ("fold" in wish) {
      this.fold = wish.fold;
      await this.refresh(false);
    } else if ("compact" in wish) {
      this.compact = wish.compact;
      await this.refresh(false);
    } else if ("hover" in wish) {
      this.hover(wish.hover);
    } else if ("fix" in wish) {
      await this.fix(wish.fix);
    } else if ("save" in wish) {
      await this.save(wish.save, wish.kind);
    }
  }

  private editor(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find(({ document }) => this.isSource(document));
  }

  private hover(line: number | null): void {
    const ranges = line === null ? [] : [new vscode.Range(line, 0, line, 0)];
    this.editor()?.setDecorations(this.hovered, ranges);
  }

  /** Offers the fixes of the finding at an offset in code points. */
  private async fix(start: number): Promise<void> {
    if (!this.source) {
      return;
    }
    const editor = await vscode.window.showTextDocument(await opened(this.source), {
      viewColumn: this.editor()?.viewColumn ?? vscode.ViewColumn.One,
    });
    const before = Array.from(editor.document.getText()).slice(0, start).join("");
    const place = editor.document.positionAt(before.length);
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    await vscode.commands.executeCommand("editor.action.quickFix");
  }

  private async save(content: string, kind: "svg" | "png"): Promise<void> {
    const folder = this.source?.scheme === "file" ? vscode.Uri.joinPath(this.source, "..") : undefined;
    const name = `${this.name ?? "streams"}.${kind}`;
    const target = await vscode.window.showSaveDialog({
      filters: { [kind.toUpperCase()]: [kind] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
    });
    if (target) {
      await vscode.workspace.fs.writeFile(target, Buffer.from(content, kind === "png" ? "base64" : "utf-8"));
    }
  }

  /** Requests the picture again: with `follow`, for the function at the cursor, if there is one. */
  private async refresh(follow: boolean): Promise<void> {
    if (!this.panel || !this.source) {
      return;
    }
    this.asked?.cancel(); // Only the newest picture matters.
    this.unseen = this.panel.visible ? undefined : { follow };
    if (this.unseen) {
      return;
    }
    const asked = new vscode.CancellationTokenSource();
    this.asked = asked;
    const cursor = this.editor()?.selection.active;
    let message: StreamsMessage;
    try {
      const found = await this.ask(
        follow && cursor ? { position: cursor } : { function: this.name },
        asked.token,
      );
      if (asked.token.isCancellationRequested) {
        return;
      }
      if (found) {
        this.name = found.name;
        const { fold, compact } = this;
        message = {
          ...found,
          source: this.source.toString(),
          fold,
          compact,
          fontSize: fontSize(),
          ...(cursor && { cursor: cursor.line }),
        };
      } else {
        message = { unreadable: true };
      }
    } catch (error) {
      if (isOutdated(error)) {
        return;
      }
      message = { error: sentence(error instanceof Error ? error.message : String(error)) };
    } finally {
      asked.dispose();
    }
    await this.panel.webview.postMessage(message);
  }

  /** Returns the picture of a function; undefined if the function that is shown cannot be parsed at the moment. */
  private async ask(
    where: Pick<protocol.StreamsParams, "position" | "function">,
    token: vscode.CancellationToken,
  ): Promise<{ svg: string; functions: string[]; name?: string } | undefined> {
    const textDocument = this.server.identifier(this.source as vscode.Uri);
    const format: protocol.StreamsParams["format"] = this.compact ? "compact-svg" : "svg";
    const wanted = { textDocument, fold: this.fold, format };
    const request = (what: typeof where): Promise<protocol.Streams> =>
      this.server.request(protocol.streams, { ...wanted, ...what }, token);
    let found: protocol.Streams;
    try {
      found = await request(where.function === undefined && !where.position ? {} : where);
    } catch (error) {
      if (isOutdated(error) || where.function === undefined) {
        throw error;
      }
      // The function was renamed or removed.
      const position = this.editor()?.selection.active;
      found = await request(position ? { position } : {});
    }
    if (found.shown.length !== 1) {
      // Outside of all functions, the picture stays, since an incomplete line may hide its function from the server.
      if (this.name !== undefined && !found.functions.includes(this.name)) {
        return undefined;
      }
      const name = this.name ?? found.functions[0];
      found = name === undefined ? found : await request({ function: name });
    }
    const [name] = found.shown;
    return { svg: found.text, functions: found.functions, ...(name !== undefined && { name }) };
  }
}

function fontSize(): number {
  return vscode.workspace.getConfiguration("editor").get("fontSize", 14);
}
