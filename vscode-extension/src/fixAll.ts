/** "Fix All": the safe fixes of the active file, as on saving with `source.fixAll.gpuasync`. */
import * as vscode from "vscode";

const KIND = vscode.CodeActionKind.SourceFixAll.append("gpuasync");

export function registerFixAll(): vscode.Disposable {
  return vscode.commands.registerCommand("gpuasync.fixAll", () =>
    vscode.commands.executeCommand("editor.action.codeAction", { kind: KIND.value, apply: "first" }),
  );
}
