/** The MLIR file to which a command applies, and the editor column beside it. */
import * as vscode from "vscode";

/** Returns the active text editor; the Output panel, an editor for VS Code, is none. */
export function activeEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor?.document.uri.scheme === "output" ? undefined : editor;
}

/**
 * Returns the active MLIR document, a source or a preview.
 *
 * If the focus is not in a text editor (but in a walkthrough or a picture), returns the only visible MLIR file. Throws
 * an error with a message for the user if there is none.
 */
export function activeDocument(): vscode.TextDocument {
  const { visibleTextEditors } = vscode.window;
  const activeTextEditor = activeEditor();
  if (activeTextEditor?.document.languageId === "mlir") {
    return activeTextEditor.document;
  }
  const beside = visibleTextEditors.map(({ document }) => document).filter(isSource);
  if (!activeTextEditor && beside[0] && beside.length === 1) {
    return beside[0];
  }
  throw new Error("Open an MLIR file first.");
}

/** Returns the document of a source. Throws an error with a message for the user if its file is gone. */
export async function opened(source: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(source);
  } catch {
    throw new Error(`${vscode.workspace.asRelativePath(source)} cannot be read: was it moved or deleted?`);
  }
}

/** Returns the column to the right of the file's editor, or of the active editor if the file has none. */
export function beside(uri: vscode.Uri): vscode.ViewColumn {
  const shown = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === uri.toString(),
  );
  // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- columns are 1-based
  return shown?.viewColumn === undefined ? vscode.ViewColumn.Beside : shown.viewColumn + 1;
}

/** Returns the new URI of a file after `files`, files or folders, were renamed; undefined if the file has not moved. */
export function moved(
  files: readonly { oldUri: vscode.Uri; newUri: vscode.Uri }[],
  uri: vscode.Uri,
): vscode.Uri | undefined {
  for (const { oldUri, newUri } of files) {
    if (uri.toString() === oldUri.toString()) {
      return newUri;
    }
    if (uri.scheme === oldUri.scheme && uri.path.startsWith(`${oldUri.path}/`)) {
      return newUri.with({ path: newUri.path + uri.path.slice(oldUri.path.length) });
    }
  }
  return undefined;
}

function isSource({ languageId, uri }: vscode.TextDocument): boolean {
  return languageId === "mlir" && ["file", "untitled"].includes(uri.scheme);
}
