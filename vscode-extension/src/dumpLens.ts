/** A link above an IR dump that VS Code takes for plain text. */
import * as vscode from "vscode";

/** The first line of a dump, as in package.json, whose pattern VS Code ignores for names like `dump.txt`. */
const HEADER = /^(\S+ +)?\/\/ -----\/\/ IR Dump (After|Before) /;

/** Returns a link to the passes above the first line of a dump; the server provides it for MLIR files. */
export function dumpLens(document: vscode.TextDocument): vscode.CodeLens[] {
  const first = document.lineAt(0);
  const command = { title: "Show what each pass did", command: "gpuasync.showPasses" };
  return HEADER.test(first.text) ? [new vscode.CodeLens(first.range, command)] : [];
}
