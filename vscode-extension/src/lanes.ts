/** Colors the names of streams in previews, one color per stream, as in the streams picture. */
import * as vscode from "vscode";
import { Near } from "./near";

/** The number of colors, which repeat; package.json contributes them, so that themes can change them. */
const COLORS = 6;

export class Lanes implements vscode.Disposable {
  private readonly types = Array.from({ length: COLORS }, (_, index) => {
    const color = new vscode.ThemeColor(`gpuasync.stream${index}`);
    const overview = { overviewRulerColor: color, overviewRulerLane: vscode.OverviewRulerLane.Center };
    // A decoration does not grow when text is inserted at its edges.
    const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
    return vscode.window.createTextEditorDecorationType({
      color,
      fontWeight: "bold",
      rangeBehavior,
      ...overview,
    });
  });
  /** By the URI of the preview, the ranges of each color. */
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

  /** Colors the names in the text of a preview; `streams` is from the server's answer. */
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

/**
 * Decodes four numbers per name: line and character relative to the previous name, as in semantic tokens, length,
 * stream.
 */
function decoded(streams: number[]): vscode.Range[][] {
  const ranges: vscode.Range[][] = Array.from({ length: COLORS }, () => []);
  let line = 0;
  let character = 0;
  for (let at = 0; at + 3 < streams.length; at += 4) {
    const [lines = 0, characters = 0, length = 0, stream = 0] = streams.slice(at, at + 4);
    character = characters + (lines === 0 ? character : 0);
    line += lines;
    ranges[stream % COLORS]?.push(new vscode.Range(line, character, line, character + length));
  }
  return ranges;
}
