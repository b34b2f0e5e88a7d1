/**
 * A status item with the settings of the preview beside the source, because the bar above the preview scrolls out of
 * sight. A click lists the entries of the bar.
 */
import * as vscode from "vscode";
import type { Shown } from "./compare";
import { MOST_NOTES, stageName } from "./header";
import type * as protocol from "./protocol";

export class PreviewItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "gpuasync.preview",
    vscode.StatusBarAlignment.Right,
    89,
  );
  /** Maps the URI of a preview to its text and tooltip. */
  private readonly known = new Map<string, { text: string; tooltip: string }>();
  private latest: vscode.TextEditor | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly scheme: string) {
    this.item.name = "GPU Async: what the preview shows";
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.update();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.update();
      }),
    ];
  }

  /** Sets the text for a preview from its settings and the result of its lowering. */
  set(preview: vscode.Uri, shown: Shown, result: protocol.LoweringResult): void {
    const { llvm, notes = [] } = result;
    const what = [
      `LLVM ${llvm ?? "?"}`,
      stageName(result),
      shown.fixed && "fixed",
      shown.explain && "explained",
      shown.engine && "with your mlir-opt",
    ];
    const icon = notes.some(({ error }) => error) ? "error" : "open-preview";
    const text = `$(${icon}) ${what.filter(Boolean).join(", ")}`;
    const said = notes.slice(0, MOST_NOTES).map(({ message }) => message);
    const tooltip = ["What the preview shows", ...said, "Click to show something else"].join("\n");
    this.known.set(preview.toString(), { text, tooltip });
    this.update();
  }

  forget(preview: vscode.Uri): void {
    this.known.delete(preview.toString());
    this.update();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.item).dispose();
  }

  /** Updates the item; if there are several previews, it shows the one that last had the focus. */
  private update(): void {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const previews = visibleTextEditors.filter(({ document }) => document.uri.scheme === this.scheme);
    const isActive = previews.includes(activeTextEditor as vscode.TextEditor);
    this.latest = isActive
      ? activeTextEditor
      : (previews.find((each) => each === this.latest) ?? previews[0]);
    const uri = this.latest?.document.uri;
    const known = uri && this.known.get(uri.toString());
    if (known) {
      this.item.text = known.text;
      this.item.tooltip = known.tooltip;
      this.item.command = { title: "Change Preview", command: "gpuasync.changePreview", arguments: [uri] };
      this.item.show();
    } else {
      this.item.hide();
    }
  }
}
