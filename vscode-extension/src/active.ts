/** The MLIR file to which a command applies, and the editor column beside it. */
import * as vscode from "vscode";
import { previewed } from "./previewUri";

/** The source that was active last. */
let latest: vscode.TextDocument | undefined;

/**
 * Returns the document to which commands and the status item apply, a source or a preview; undefined if there is none.
 *
 * Pages (pictures, runs, walkthroughs) and the Output panel, which VS Code takes for an editor, belong to the source
 * that was active before, or else to the only visible one.
 */
export function currentDocument(): vscode.TextDocument | undefined {
  const { activeTextEditor, tabGroups, visibleTextEditors } = vscode.window;
  const active = activeTextEditor?.document;
  if (active && active.uri.scheme !== "output") {
    latest = isSource(active) ? active : latest;
    return isSource(active) || previewed(active.uri) ? active : undefined;
  }
  if (latest && !latest.isClosed && tabGroups.activeTabGroup.activeTab) {
    return latest;
  }
  const visible = visibleTextEditors.map(({ document }) => document).filter(isSource);
  return visible.length === 1 ? visible[0] : undefined;
}

/** Returns the current document. Throws an error with a message for the user if there is none. */
export function activeDocument(): vscode.TextDocument {
  const document = currentDocument();
  if (!document) {
    throw new Error("Open an MLIR file first.");
  }
  return document;
}

/** Returns the document of a source. Throws an error with a message for the user if its file is gone. */
export async function opened(source: vscode.Uri): Promise<vscode.TextDocument> {
  const name = vscode.workspace.asRelativePath(source);
  const isOpen = vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === source.toString());
  if (source.scheme === "untitled" && !isOpen) {
    throw new Error(`${name} has been closed.`); // Opening it would create an empty document with its name.
  }
  try {
    return await vscode.workspace.openTextDocument(source);
  } catch {
    throw new Error(`${name} cannot be read: was it moved or deleted?`);
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

/** Returns the new URI of a source, "closed" if it was closed unsaved, and undefined if nothing happened to it. */
export type PlaceOf = (source: vscode.Uri) => vscode.Uri | "closed" | undefined;

/** Calls `follow` when files or folders were renamed, and when an untitled document was saved as a file or closed. */
export function onDidMove(follow: (placeOf: PlaceOf) => void): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidRenameFiles(({ files }) => {
      follow((source) => moved(files, source));
    }),
    vscode.workspace.onDidCloseTextDocument((closed) => {
      if (closed.uri.scheme === "untitled") {
        const saved = vscode.window.activeTextEditor?.document;
        const isSaved = saved?.uri.scheme === "file" && code(saved) === code(closed);
        const place = isSaved ? saved.uri : "closed";
        follow((source) => (source.toString() === closed.uri.toString() ? place : undefined));
      }
    }),
  );
}

/** Returns the text without white space, which VS Code may format when it saves. */
function code(document: vscode.TextDocument): string {
  return document.getText().replaceAll(/\s+/g, "");
}

function moved(
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

/** Returns whether a document is a program, and not a preview of one. */
export function isSource({ languageId, uri }: vscode.TextDocument): boolean {
  return languageId === "mlir" && ["file", "untitled"].includes(uri.scheme);
}
