/** Shows what a run gave: output, values as tables and heat-maps, the timeline. The server marks the lines. */
import * as vscode from "vscode";
import type { RunReport } from "./messages";
import { runFinished } from "./protocol";
import type { Server } from "./server";
import { createPanel } from "./webview";

export function registerReport(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  let panel: vscode.WebviewPanel | undefined;
  let report: RunReport | undefined;
  server.onNotification(runFinished, (finished) => {
    report = finished;
    const source = vscode.Uri.parse(finished.uri);
    if (!panel) {
      panel = createPanel(context, "report", "Run", () => vscode.Uri.parse(report?.uri ?? source.toString()));
      panel.onDidDispose(() => {
        panel = undefined;
      });
    }
    panel.title = `Run: @${finished.entry}`;
    panel.reveal(undefined, true);
    void panel.webview.postMessage(finished);
  });
  return new vscode.Disposable(() => {
    panel?.dispose();
  });
}
