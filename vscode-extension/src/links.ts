/**
 * Links the lines of a source and its previews: linked lines have the same background, the line of the cursor is
 * highlighted on both sides, and both sides scroll together.
 */
import * as vscode from "vscode";
import { Near } from "./near";

interface Link {
  source: vscode.Uri;
  toLowered: Map<number, number[]>;
  toSource: Map<number, number>;
}

/** The number of colors, which repeat; package.json contributes them, so that themes can change them. */
const COLORS = 6;
/** For this time after a change of its cursor or text, a view may scroll by itself, because code lenses come and go. */
const SETTLE_MS = 1500;
/**
 * The number of lines by which the height of a view varies without a resize, because lines at its edges are partly
 * visible.
 */
const SAME_HEIGHT = 2;

export class Links implements vscode.Disposable {
  /** The link of each preview, by its URI. */
  private readonly links = new Map<string, Link>();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.rangeHighlightForeground"),
  });
  private readonly bands = Array.from({ length: COLORS }, (_, index) =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor(`gpuasync.band${index}`),
    }),
  );
  private readonly subscriptions: vscode.Disposable[];
  private readonly near = new Near((editor, first, last) => {
    this.paint(editor, first, last);
  });
  /** The editor whose cursor or text changed last, and the time of the change in milliseconds. */
  private moved: { editor: vscode.TextEditor; time: number } | undefined;
  /** The number of lines that an editor showed when it last scrolled. */
  private readonly heights = new WeakMap<vscode.TextEditor, number>();

  constructor() {
    this.subscriptions = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("gpuasync.preview")) {
          this.near.refresh();
        }
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        this.moved = { editor: textEditor, time: performance.now() };
        this.select(textEditor);
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
        const top = visibleRanges[0]?.start.line ?? 0;
        const height = (visibleRanges.at(-1)?.end.line ?? 0) - top;
        const isOtherHeight = Math.abs(height - (this.heights.get(textEditor) ?? height)) > SAME_HEIGHT;
        this.heights.set(textEditor, height);
        // This class scrolls the other editor, so only the focused editor leads.
        if (textEditor !== vscode.window.activeTextEditor) {
          return;
        }
        const { editor, time = 0 } = this.moved ?? {};
        const isLed = (editor === textEditor && performance.now() - time < SETTLE_MS) || isOtherHeight;
        // An editor that scrolled to its cursor or was resized leads by its cursor, not by its first line.
        if (isLed && visibleRanges.some((range) => range.contains(textEditor.selection.active))) {
          this.select(textEditor);
        } else {
          this.scroll(textEditor, top);
        }
      }),
    ];
  }

  /**
   * Sets the line map of a preview's text.
   *
   * If the text `isRest`, completing a partial one, the visible lines stay in place: VS Code treats the whole
   * difference as one change, and would scroll away.
   */
  set(preview: vscode.Uri, source: vscode.Uri, lineMap: [number, number[]][], isRest: boolean): void {
    const tops = isRest ? this.tops(preview) : [];
    const toSource = new Map(
      lineMap.flatMap(([line, lowered]) => lowered.map((row) => [row, line] as const)),
    );
    const toLowered = new Map(lineMap);
    this.links.set(preview.toString(), { source, toLowered, toSource });
    for (const { editor, line, below } of tops) {
      const row = (toLowered.get(line)?.[0] ?? 0) - below + linesAbove(editor.document);
      editor.revealRange(new vscode.Range(row, 0, row, 0), vscode.TextEditorRevealType.AtTop);
    }
    this.near.refresh();
    // The counterpart of the cursor has moved; follow it unless the user has scrolled away from the cursor.
    const active = vscode.window.activeTextEditor;
    const isRead = active?.visibleRanges.some((range) => range.contains(active.selection.active));
    if (active?.document.uri.toString() === source.toString() && isRead) {
      this.select(active);
    }
  }

  forget(preview: vscode.Uri): void {
    if (this.links.delete(preview.toString())) {
      this.near.refresh();
    }
  }

  /** Highlights the lines that are linked with the cursor of the active editor. */
  follow(): void {
    if (vscode.window.activeTextEditor) {
      this.select(vscode.window.activeTextEditor);
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.near, ...this.bands, this.mark).dispose();
  }

  /** Updates the bands between two lines of an editor; without a visible preview there are none. */
  private paint(editor: vscode.TextEditor, first: number, last: number): void {
    const wanted = vscode.workspace.getConfiguration("gpuasync").get<boolean>("preview.bands", true);
    const ranges: vscode.Range[][] = this.bands.map(() => []);
    for (const [line, source] of wanted ? this.linesOf(editor) : []) {
      if (line >= first && line <= last) {
        ranges[source % COLORS]?.push(new vscode.Range(line, 0, line, 0));
      }
    }
    this.bands.forEach((band, index) => {
      editor.setDecorations(band, ranges[index] ?? []);
    });
  }

  /** Returns the linked lines of an editor, each with its line in the source. */
  private linesOf(editor: vscode.TextEditor): [number, number][] {
    const uri = editor.document.uri.toString();
    const open = new Set(vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString()));
    const ours = this.links.get(uri);
    if (ours) {
      // If the source is not visible, the bands are meaningless, and hide the colors of a comparison.
      return open.has(ours.source.toString()) ? [...ours.toSource] : [];
    }
    const lines = [...this.links]
      .filter(([preview, { source }]) => open.has(preview) && source.toString() === uri)
      .flatMap(([, { toLowered }]) => [...toLowered.keys()]);
    return [...new Set(lines)].map((line) => [line, line]);
  }

  private select(editor: vscode.TextEditor): void {
    if (editor !== vscode.window.activeTextEditor) {
      return;
    }
    for (const { other, lines } of this.linked(editor, editor.selection.active.line)) {
      const ranges = lines.map((line) => new vscode.Range(line, 0, line, 0));
      other.setDecorations(this.mark, ranges);
      editor.setDecorations(this.mark, []);
      if (ranges[0]) {
        other.revealRange(ranges[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      }
    }
  }

  private scroll(editor: vscode.TextEditor, top: number): void {
    // The line at the top may have no counterpart (a brace, a comment): use the next one that has.
    for (let line = top; line < Math.min(top + 20, editor.document.lineCount); line++) {
      const linked = this.linked(editor, line).filter(({ lines }) => lines.length > 0);
      for (const { other, lines } of linked) {
        const row = lines[0] ?? 0;
        other.revealRange(new vscode.Range(row, 0, row, 0), vscode.TextEditorRevealType.AtTop);
      }
      if (linked.length > 0) {
        return;
      }
    }
  }

  /** Returns, for each editor of a preview, the first visible source line and its distance from the top in lines. */
  private tops(preview: vscode.Uri): { editor: vscode.TextEditor; line: number; below: number }[] {
    const editors = vscode.window.visibleTextEditors.filter(
      ({ document }) => document.uri.toString() === preview.toString(),
    );
    const { toLowered } = this.links.get(preview.toString()) ?? {};
    const firsts = [...(toLowered ?? [])].map(([line, rows]) => ({ line, row: rows[0] ?? 0 }));
    return editors.flatMap((editor) => {
      const top = editor.visibleRanges[0]?.start.line ?? 0;
      const [first] = firsts.filter(({ row }) => row >= top).sort((one, other) => one.row - other.row);
      return first ? [{ editor, line: first.line, below: first.row - top }] : [];
    });
  }

  /** Returns the visible editors that are linked with `editor`, with their lines that belong to `line`. */
  private linked(editor: vscode.TextEditor, line: number): { other: vscode.TextEditor; lines: number[] }[] {
    const uri = editor.document.uri.toString();
    return vscode.window.visibleTextEditors.flatMap((other) => {
      const theirs = this.links.get(other.document.uri.toString());
      if (theirs?.source.toString() === uri) {
        return [{ other, lines: theirs.toLowered.get(line) ?? [] }];
      }
      const ours = this.links.get(uri);
      if (ours?.source.toString() === other.document.uri.toString()) {
        const source = ours.toSource.get(line);
        return [{ other, lines: source === undefined ? [] : [source] }];
      }
      return [];
    });
  }
}

/** Returns the number of lines that VS Code keeps above a line revealed at the top; sticky scroll may cover them. */
function linesAbove(document: vscode.TextDocument): number {
  const settings = vscode.workspace.getConfiguration("editor", document);
  const sticky = settings.get<boolean>("stickyScroll.enabled", true)
    ? settings.get("stickyScroll.maxLineCount", 5)
    : 0;
  return Math.max(settings.get("cursorSurroundingLines", 0), sticky);
}
