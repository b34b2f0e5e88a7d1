/**
 * A file without indented lines takes the indentation of the settings. VS Code does that itself, but for a file that it
 * opens before it knows of the language, as when a window is opened again.
 */
import * as vscode from "vscode";

/** So many lines are looked at; VS Code's own detection looks at more. */
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
