/**
 * What belongs to a text of a preview waits until the editor has that text: VS Code takes it some time after its provider
 * has given it, and until then lines and columns of the new text are others in the old one.
 */
import * as vscode from "vscode";

export class Arrivals implements vscode.Disposable {
  /** By the URI of the preview. */
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

  /** Acts once the preview has this text, at once if it has; what waited for an earlier one is dropped. */
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

/** A text with the ends of lines that it has in every editor. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
