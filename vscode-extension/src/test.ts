/** Runs the RUN lines of a test. The server marks the failures; the output is shown beside the file. */
import * as vscode from "vscode";
import { needTrust, shown } from "./errors";
import { activeDocument, beside } from "./active";
import type { TestArguments, TestResult, UpdateResult } from "./protocol";
import type { Server } from "./server";

const SCHEME = "gpuasync-test";

export function registerTest(server: Server): vscode.Disposable {
  const outputs = new Outputs();
  const run = async (argument: TestArguments): Promise<void> => {
    needTrust("Tests");
    const result = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Running the test", cancellable: true },
      (_, token) => server.execute("gpuasync.test", argument, token) as Promise<TestResult>,
    );
    await outputs.show(vscode.Uri.parse(argument.uri), result);
  };
  /** Updates CHECK lines: the server edits the text, and its message is shown even if there is nothing to write. */
  const update = async (argument: TestArguments): Promise<void> => {
    needTrust("Tests");
    const { updated, message } = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: "Updating CHECK lines" },
      (_, token) => server.execute("gpuasync.updateChecks", argument, token) as Promise<UpdateResult>,
    );
    if (updated) {
      vscode.window.setStatusBarMessage(`$(pass) ${message}`, 5000);
    } else {
      void vscode.window.showWarningMessage(message);
    }
  };
  server.intercept("gpuasync.updateChecks", (argument) => shown(() => update(argument as TestArguments)));
  server.intercept("gpuasync.test", (argument) => shown(() => run(argument as TestArguments)));
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, outputs),
    vscode.commands.registerCommand("gpuasync.runTest", () =>
      shown(() => run(server.identifier(activeDocument().uri))),
    ),
    vscode.commands.registerCommand("gpuasync.updateTest", () =>
      shown(() => update(server.identifier(activeDocument().uri))),
    ),
  );
}

/** Provides the output of each test's last run, as a document beside the test. */
class Outputs implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly texts = new Map<string, string>();

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** A test that passed needs no document. */
  async show(source: vscode.Uri, result: TestResult): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `${source.path} (test)` });
    this.texts.set(uri.toString(), result.text);
    this.changed.fire(uri);
    if (result.verdict === "pass" || result.verdict === "xfail") {
      vscode.window.setStatusBarMessage(`$(pass) Test: ${result.verdict}`, 5000);
      return;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: beside(source),
      preserveFocus: true,
      preview: false, // It would replace a preview of the lowering.
    });
  }
}
