/** The status item: the LLVM release that the file is meant for, and where programs run. */
import * as vscode from "vscode";
import type { Server } from "./server";
import { pickVersion, VERSIONS } from "./versions";

/** The comment that outranks every setting. */
const COMMENT = /^(\s*\/\/\s*gpuasync:.*?\bllvm\s*=\s*)(\d+)/m;

export function registerStatus(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("gpuasync.target", vscode.StatusBarAlignment.Right, 90);
  item.name = "GPU Async: target LLVM version";
  const update = (): void => {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== "mlir") {
      item.hide();
      return;
    }
    const { llvm, origin } = target(document);
    const device = vscode.workspace.getConfiguration("gpuasync", document).get("device", "auto");
    item.text = server.isRunning ? `LLVM ${llvm}` : `$(warning) LLVM ${llvm}`;
    item.command = server.isRunning ? "gpuasync.chooseVersion" : "gpuasync.restart";
    item.tooltip = server.isRunning
      ? `Target LLVM release: ${llvm}, ${origin}\nDevice: ${device}\nClick to choose another release`
      : "The GPU Async language server is not running. Click to start it.";
    item.show();
  };
  update();
  return vscode.Disposable.from(
    item,
    server.onRunning(update),
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.workspace.onDidChangeTextDocument(update),
    vscode.workspace.onDidChangeConfiguration(update),
    vscode.commands.registerCommand("gpuasync.chooseVersion", chooseVersion),
  );
}

function target(document: vscode.TextDocument): { llvm: number; origin: string } {
  const comment = COMMENT.exec(document.getText())?.[2];
  if (comment) {
    return { llvm: Number(comment), origin: "from a comment in this file" };
  }
  const setting = vscode.workspace.getConfiguration("gpuasync", document).get<number | null>("llvm");
  return setting
    ? { llvm: setting, origin: "from the settings" }
    : { llvm: VERSIONS[0], origin: "the newest, unless a configuration file says another" };
}

/** Changes the comment where there is one, since it outranks the setting; else the setting. */
async function chooseVersion(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const llvm = await pickVersion("Which LLVM release is this meant for?", target(editor.document).llvm);
  if (llvm === undefined) {
    return;
  }
  const comment = COMMENT.exec(editor.document.getText());
  if (comment?.[1] !== undefined && comment[2] !== undefined && llvm !== null) {
    const start = comment.index + comment[1].length;
    const place = (offset: number): vscode.Position => editor.document.positionAt(offset);
    const range = new vscode.Range(place(start), place(start + comment[2].length));
    await editor.edit((edit) => {
      edit.replace(range, String(llvm));
    });
    return;
  }
  const inWorkspace = vscode.workspace.workspaceFolders !== undefined;
  const configuration = vscode.workspace.getConfiguration("gpuasync", editor.document);
  await configuration.update("llvm", llvm ?? undefined, !inWorkspace);
}
