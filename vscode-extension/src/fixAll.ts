/** "Fix All": applies the safe fixes to the active file, as `source.fixAll.gpuasync` does on save. */
import * as vscode from "vscode";

const KIND = vscode.CodeActionKind.SourceFixAll.append("gpuasync");

export function registerFixAll(): vscode.Disposable {
  return vscode.commands.registerCommand("gpuasync.fixAll", () =>
    vscode.commands.executeCommand("editor.action.codeAction", { kind: KIND.value, apply: "first" }),
  );
}
