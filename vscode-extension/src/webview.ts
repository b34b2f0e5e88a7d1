/** Shared code of the two webviews: their page, its messages, and links to the source. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { shown } from "./errors";
import { beside, opened } from "./active";
import { isPageWish, type Check } from "./wishes";

/** A page of the extension. */
export interface Page<T> {
  /** The script in dist/webview that draws it. */
  script: "streams" | "report";
  title: string;
  /** Returns the source, in which a line that is chosen on the page opens. */
  source: () => vscode.Uri;
  /** Returns whether a message of the page is one for `heed`. */
  isWish: Check<T>;
  heed: (wish: T) => Promise<void>;
}

/**
 * Returns a panel with a page: `restored`, which VS Code restores after a reload without its page, or a new one.
 *
 * A message that no page of ours sends is dropped and logged.
 */
export function createPanel<T>(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  { script, title, source, isWish, heed }: Page<T>,
  restored?: vscode.WebviewPanel,
): vscode.WebviewPanel {
  const assets = vscode.Uri.joinPath(context.extensionUri, "dist", "webview");
  const styles = vscode.Uri.joinPath(context.extensionUri, "media");
  const panel =
    restored ??
    vscode.window.createWebviewPanel(
      `gpuasync.${script}`,
      title,
      { viewColumn: beside(source()), preserveFocus: true },
      { retainContextWhenHidden: true },
    );
  panel.webview.options = { enableScripts: true, localResourceRoots: [assets, styles] };
  const url = (folder: vscode.Uri, file: string): string =>
    panel.webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  const nonce = randomBytes(16).toString("hex");
  panel.webview.html = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none';
      img-src data: blob:; style-src ${panel.webview.cspSource} 'unsafe-inline'; script-src 'nonce-${nonce}'">
    <link rel="stylesheet" href="${url(styles, "webview.css")}">
    <title>${title}</title>
  </head>
  <body>
    <main id="content" aria-live="polite"></main>
    <script nonce="${nonce}" src="${url(assets, `${script}.js`)}"></script>
  </body>
</html>`;
  panel.webview.onDidReceiveMessage((message: unknown) =>
    shown(async () => {
      if (isWish(message)) {
        await heed(message);
      } else if (!isPageWish(message)) {
        log.warn(`malformed message of the page ${script}: ${JSON.stringify(message)}`.slice(0, 300));
      } else if ("line" in message) {
        await reveal(source(), message.line);
      } else {
        await focus(source());
      }
    }),
  );
  return panel;
}

/**
 * Restores the panels of `script` after a reload.
 *
 * `restore` gets the document of a panel, and the unvalidated state that its page stored. A panel whose document is
 * gone, or that `restore` rejects, is closed.
 */
export function restorePanels(
  script: "streams" | "report",
  restore: (panel: vscode.WebviewPanel, document: vscode.TextDocument, state: Kept) => boolean,
): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(`gpuasync.${script}`, {
    deserializeWebviewPanel: async (panel, state: Kept | undefined) => {
      const document = await kept(state?.source);
      if (!document || !state || !restore(panel, document, state)) {
        panel.dispose();
      }
    },
  });
}

/** The stored state of a page. */
export type Kept = Partial<Record<string, unknown>>;

async function kept(source: unknown): Promise<vscode.TextDocument | undefined> {
  try {
    return await opened(vscode.Uri.parse(String(source), true));
  } catch {
    return undefined; // Not a URI, or the file no longer exists.
  }
}

/** Moves the cursor to a 0-based line of a source, in its visible editor if there is one. */
export async function reveal(uri: vscode.Uri, line: number): Promise<void> {
  const editor = await focus(uri);
  const { start } = editor.document.lineAt(Math.min(line, editor.document.lineCount - 1)).range;
  editor.selection = new vscode.Selection(start, start);
  // The whole line would be revealed up to its end, which may scroll its beginning out of view.
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Focuses a source, in its visible editor if there is one. */
async function focus(uri: vscode.Uri): Promise<vscode.TextEditor> {
  const visible = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === uri.toString(),
  );
  return vscode.window.showTextDocument(await opened(uri), {
    viewColumn: visible?.viewColumn ?? vscode.ViewColumn.One,
  });
}
