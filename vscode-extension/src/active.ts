/** The MLIR file that a command is about, and the place beside it. */
import * as vscode from "vscode";

/**
 * What has the cursor, be it a source or a preview; else, where something has the focus that is no text (a
 * walkthrough, a picture), the one MLIR file beside it. Throws a sentence for the user if there is neither.
 */
export function activeDocument(): vscode.TextDocument {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  if (activeTextEditor?.document.languageId === "mlir") {
    return activeTextEditor.document;
  }
  const beside = visibleTextEditors.map(({ document }) => document).filter(isSource);
  if (!activeTextEditor && beside[0] && beside.length === 1) {
    return beside[0];
  }
  throw new Error("Open an MLIR file first.");
}

/** The column to the right of the file, be the focus where it may; what has no editor is taken for the active. */
export function beside(uri: vscode.Uri): vscode.ViewColumn {
  const shown = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === uri.toString(),
  );
  // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- columns are numbered from 1
  return shown?.viewColumn === undefined ? vscode.ViewColumn.Beside : shown.viewColumn + 1;
}

/** Where a file is after files, or folders around it, were renamed; undefined if it is where it was. */
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
