/** "Fix All": applies the safe fixes to the active file, as `source.fixAll.gpuasync` does on save. */
import * as vscode from "vscode";
import { shown } from "./errors";
import { activeDocument } from "./active";

const KIND = vscode.CodeActionKind.SourceFixAll.append("gpuasync");

export function registerFixAll(): vscode.Disposable {
  return vscode.commands.registerCommand("gpuasync.fixAll", () => shown(fixAll));
}

async function fixAll(): Promise<void> {
  const { uri, lineCount } = activeDocument();
  const [action] = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    uri,
    new vscode.Range(0, 0, lineCount, 0),
    KIND.value,
    1, // resolves the edits of the first action
  );
  const edit = action?.edit;
  if (edit?.entries().some(([, edits]) => edits.length > 0)) {
    await vscode.workspace.applyEdit(edit);
  } else {
    void vscode.window.showInformationMessage(
      "No safe fix applies to this file. The quick fixes of a finding may offer others.",
    );
  }
}
