/** The streams of a file as a picture that follows the file. */
import * as path from "node:path";
import * as vscode from "vscode";
import { activeDocument } from "./active";
import type { StreamsMessage } from "./messages";
import * as protocol from "./protocol";
import { isOutdated, shown, type Server } from "./server";
import { createPanel } from "./webview";

const DEBOUNCE_MS = 150;

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
  );
}

class StreamsView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private source: vscode.Uri | undefined;
  private only: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.subscription = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (this.panel && document.uri.toString() === this.source?.toString()) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.refresh(), DEBOUNCE_MS);
      }
    });
  }

  /** Shows the streams of one function, or of all. */
  async open(source: vscode.Uri, only?: string): Promise<void> {
    this.source = source;
    this.only = only;
    this.panel ??= this.create(source);
    this.panel.title = `Streams: ${path.posix.basename(source.path)}`;
    this.panel.reveal(undefined, true);
    await this.refresh();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.panel?.dispose();
  }

  private create(source: vscode.Uri): vscode.WebviewPanel {
    const panel = createPanel(this.context, "streams", "Streams", () => this.source ?? source);
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }

  private async refresh(): Promise<void> {
    if (!this.panel || !this.source) {
      return;
    }
    let message: StreamsMessage;
    try {
      const { text } = await this.server.request(protocol.streams, {
        textDocument: this.server.identifier(this.source),
        ...(this.only && { function: this.only }),
        format: "svg",
      });
      message = { svg: text };
    } catch (error) {
      if (isOutdated(error)) {
        return;
      }
      message = { error: error instanceof Error ? error.message : String(error) };
    }
    await this.panel.webview.postMessage(message);
  }
}
