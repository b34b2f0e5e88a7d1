/**
 * Delays work on the text of a preview until the editor has the text.
 *
 * VS Code shows a new text some time after its provider has returned it. Until then, lines and columns of the new text
 * do not match those of the document.
 */
import * as vscode from "vscode";

export class Arrivals implements vscode.Disposable {
  /** The awaited text of each preview, by its URI. */
  private readonly awaited = new Map<string, { text: string; act: () => void }>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(scheme: string) {
    const arrived = (document: vscode.TextDocument): void => {
      if (document.uri.scheme === scheme) {
        this.arrived(document);
      }
    };
    this.subscriptions = [
      vscode.workspace.onDidOpenTextDocument(arrived),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        arrived(document);
      }),
    ];
  }

  /**
   * Calls `act` once the preview has this text, possibly immediately; a pending call for an earlier text is dropped.
   */
  when(preview: vscode.Uri, text: string, act: () => void): void {
    const key = preview.toString();
    this.awaited.set(key, { text: plain(text), act });
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key);
    if (document) {
      this.arrived(document);
    }
  }

  forget(preview: vscode.Uri): void {
    this.awaited.delete(preview.toString());
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private arrived(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    const awaited = this.awaited.get(key);
    if (awaited?.text === plain(document.getText())) {
      this.awaited.delete(key);
      awaited.act();
    }
  }
}

/** Normalizes line ends, which an editor may change. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
