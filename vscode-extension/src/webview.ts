/** What the two webviews share: their page, and the way from a click to the source. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { beside } from "./active";

/** A message of a webview: the user chose a source line (from 0), or goes back to the source. */
interface Chosen {
  line: number;
  leave: true;
}

/**
 * A panel that runs `script` of dist/webview, and opens in `source()` the line that is chosen there: `restored`, which
 * VS Code brings back after a reload without its page, or a new one.
 */
export function createPanel(
  context: vscode.ExtensionContext,
  script: "streams" | "report",
  title: string,
  source: () => vscode.Uri,
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
  panel.webview.onDidReceiveMessage(({ line, leave }: Partial<Chosen>) => {
    if (line !== undefined) {
      void reveal(source(), line);
    } else if (leave) {
      void focus(source());
    }
  });
  return panel;
}

/**
 * Brings the panels of `script` back after a reload: `restore` gets the document that a panel was about, and the state that
 * its page kept, unchecked. A panel whose document is gone, or that `restore` rejects, is closed.
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

/** What a page keeps of itself. */
export type Kept = Partial<Record<string, unknown>>;

async function kept(source: unknown): Promise<vscode.TextDocument | undefined> {
  try {
    const uri = vscode.Uri.parse(String(source), true);
    // An untitled one that is gone would come back as an empty one of its name.
    return uri.scheme === "file" ? await vscode.workspace.openTextDocument(uri) : undefined;
  } catch {
    return undefined; // it is no URI, or there is no such file any more
  }
}

/** Puts the cursor on a line (from 0) of a source, where that is shown already. */
export async function reveal(uri: vscode.Uri, line: number): Promise<void> {
  const editor = await focus(uri);
  const range = editor.document.lineAt(Math.min(line, editor.document.lineCount - 1)).range;
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Gives a source the focus, where it is shown already. */
function focus(uri: vscode.Uri): Thenable<vscode.TextEditor> {
  const shown = vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === uri.toString(),
  );
  return vscode.window.showTextDocument(uri, { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One });
}
