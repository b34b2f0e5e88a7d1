/**
 * Applies the indentation of the settings to a file without indented lines.
 *
 * VS Code does so itself, except for a file that it opens before the file's language is known, as after a reload.
 */
import * as vscode from "vscode";

/** The number of lines in which to search for indentation. */
const MOST_LINES = 1000;

export function registerIndentation(): vscode.Disposable {
  apply(vscode.window.visibleTextEditors);
  return vscode.window.onDidChangeVisibleTextEditors(apply);
}

function apply(editors: readonly vscode.TextEditor[]): void {
  for (const editor of editors) {
    const { document, options } = editor;
    if (document.languageId !== "mlir" || hasIndentation(document)) {
      continue;
    }
    const settings = vscode.workspace.getConfiguration("editor", document);
    const [tabSize, insertSpaces] = [settings.get("tabSize", 2), settings.get("insertSpaces", true)];
    if (options.tabSize !== tabSize || options.insertSpaces !== insertSpaces) {
      editor.options = { tabSize, insertSpaces };
    }
  }
}

function hasIndentation(document: vscode.TextDocument): boolean {
  for (let line = 0; line < Math.min(document.lineCount, MOST_LINES); line++) {
    if (/^[ \t]/.test(document.lineAt(line).text)) {
      return true;
    }
  }
  return false;
}
