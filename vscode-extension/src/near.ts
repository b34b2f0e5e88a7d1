/**
 * Repaints the lines near the visible part of an editor: painting a whole large file would take longer than an edit.
 */
import * as vscode from "vscode";

/** The number of lines to paint above and below the visible part, so that short scrolls need no painting. */
const MARGIN = 200;

export class Near implements vscode.Disposable {
  /** The painted lines of each editor. */
  private readonly painted = new WeakMap<vscode.TextEditor, vscode.Range>();
  private readonly subscriptions: vscode.Disposable[];

  /**
   * `paint` sets an editor's decorations from the line `first` to the line `last`, inclusive, and removes all others.
   */
  constructor(private readonly paint: (editor: vscode.TextEditor, first: number, last: number) => void) {
    this.subscriptions = [
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.refresh();
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
        const painted = this.painted.get(textEditor);
        if (painted && !visibleRanges.every((range) => painted.contains(range))) {
          this.show(textEditor);
        }
      }),
    ];
  }

  /** Repaints every visible editor, or those of one document. */
  refresh(only?: vscode.Uri): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (!only || editor.document.uri.toString() === only.toString()) {
        this.show(editor);
      }
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private show(editor: vscode.TextEditor): void {
    const inView = editor.visibleRanges;
    const first = Math.max((inView[0]?.start.line ?? 0) - MARGIN, 0);
    const last = (inView.at(-1)?.end.line ?? 0) + MARGIN;
    this.painted.set(editor, new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER));
    this.paint(editor, first, last);
  }
}
