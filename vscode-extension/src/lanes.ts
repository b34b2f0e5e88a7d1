/** Colours the names of streams in previews: one colour for each stream, as in the picture of the streams. */
import * as vscode from "vscode";
import { Near } from "./near";

/** So many colours go round; they are contributed in package.json, for the user's theme to change. */
const COLOURS = 6;

export class Lanes implements vscode.Disposable {
  private readonly types = Array.from({ length: COLOURS }, (_, index) => {
    const color = new vscode.ThemeColor(`gpuasync.stream${index}`);
    const overview = { overviewRulerColor: color, overviewRulerLane: vscode.OverviewRulerLane.Center };
    // Not around what is typed, or comes with a new text, at the edges of a name.
    const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
    return vscode.window.createTextEditorDecorationType({
      color,
      fontWeight: "bold",
      rangeBehavior,
      ...overview,
    });
  });
  /** By the URI of the preview, for each colour. */
  private readonly ranges = new Map<string, vscode.Range[][]>();
  private readonly near = new Near((editor, first, last) => {
    const ranges = this.ranges.get(editor.document.uri.toString());
    if (ranges) {
      this.types.forEach((type, index) => {
        const inView = ranges[index]?.filter(({ start: { line } }) => line >= first && line <= last);
        editor.setDecorations(type, inView ?? []);
      });
    }
  });

  /** Takes the server's answer for the text that a preview has. */
  set(preview: vscode.Uri, streams: number[]): void {
    this.ranges.set(preview.toString(), decoded(streams));
    this.near.refresh(preview);
  }

  forget(preview: vscode.Uri): void {
    this.ranges.delete(preview.toString());
  }

  dispose(): void {
    vscode.Disposable.from(this.near, ...this.types).dispose();
  }
}

/** Four numbers each: lines and characters since the one before, as in semantic tokens, length, stream. */
function decoded(streams: number[]): vscode.Range[][] {
  const ranges: vscode.Range[][] = Array.from({ length: COLOURS }, () => []);
  let line = 0;
  let character = 0;
  for (let at = 0; at + 3 < streams.length; at += 4) {
    const [lines = 0, characters = 0, length = 0, stream = 0] = streams.slice(at, at + 4);
    character = characters + (lines === 0 ? character : 0);
    line += lines;
    ranges[stream % COLOURS]?.push(new vscode.Range(line, character, line, character + length));
  }
  return ranges;
}
