/** Folding ranges of previews: functions, kernels, and declarations of the runtime. */
import * as vscode from "vscode";
import type { Fold } from "./protocol";

/**
 * A preview's imports are folded when it opens, because the extension sets `editor.foldingImportsByDefault` for MLIR.
 */
const KINDS = {
  declarations: vscode.FoldingRangeKind.Imports,
  kernels: vscode.FoldingRangeKind.Imports,
  function: undefined,
};

export class Folds implements vscode.FoldingRangeProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeFoldingRanges = this.changed.event;
  /** The folds of each preview, by its URI. */
  private readonly folds = new Map<string, Fold[]>();
  private readonly registration: vscode.Disposable;

  constructor(scheme: string) {
    this.registration = vscode.languages.registerFoldingRangeProvider({ scheme }, this);
  }

  set(preview: vscode.Uri, folds: Fold[]): void {
    this.folds.set(preview.toString(), folds);
    this.changed.fire();
  }

  forget(preview: vscode.Uri): void {
    this.folds.delete(preview.toString());
  }

  provideFoldingRanges({ uri }: vscode.TextDocument): vscode.FoldingRange[] {
    return (this.folds.get(uri.toString()) ?? []).map(
      ([first, last, what]) => new vscode.FoldingRange(first, last, KINDS[what]),
    );
  }

  /** Folds the unlowered code in the active editor. Throws an error with a message for the user if there is none. */
  async fold({ document }: vscode.TextEditor): Promise<void> {
    const folds = this.folds.get(document.uri.toString()) ?? [];
    const selectionLines = folds.filter(([, , what]) => what !== "function").map(([first]) => first);
    if (selectionLines.length === 0) {
      throw new Error("Everything in this preview is lowered: there is nothing to fold.");
    }
    await vscode.commands.executeCommand("editor.fold", { selectionLines, levels: 1 });
  }

  dispose(): void {
    vscode.Disposable.from(this.registration, this.changed).dispose();
  }
}
