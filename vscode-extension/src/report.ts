/** Shows what a run gave: output, values as tables and heat-maps, the timeline; findings at their lines, too. */
import * as vscode from "vscode";
import { Findings } from "./findings";
import type { RunReport } from "./messages";
import { runFinished } from "./protocol";
import type { Server } from "./server";
import { createPanel } from "./webview";

export function registerReport(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  let panel: vscode.WebviewPanel | undefined;
  let report: RunReport | undefined;
  const findings = new Findings();
  server.onNotification(runFinished, (finished) => {
    report = finished;
    findings.show(finished);
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
    findings.dispose();
  });
}
