/** Shows diagnostics in a preview only; the problems panel lists those of sources. */
import * as vscode from "vscode";
import { Near } from "./near";
import type * as protocol from "./protocol";

const COLORS = {
  error: "editorError.foreground",
  warning: "editorWarning.foreground",
  information: "editorInfo.foreground",
};
type Severity = keyof typeof COLORS;

/** The severities in the order of LSP's numbers, which start at 1. */
const SEVERITIES: Severity[] = ["error", "warning", "information", "information"];

export class Findings implements vscode.Disposable {
  private readonly types: Record<Severity, vscode.TextEditorDecorationType> = {
    error: decoration("error"),
    warning: decoration("warning"),
    information: decoration("information"),
  };
  /** The decorations of each preview, by its URI. */
  private readonly known = new Map<string, Record<Severity, vscode.DecorationOptions[]>>();
  private readonly near = new Near((editor, first, last) => {
    const found = this.known.get(editor.document.uri.toString());
    for (const severity of found ? (Object.keys(COLORS) as Severity[]) : []) {
      const inView = found?.[severity].filter(
        ({ range: { start } }) => start.line >= first && start.line <= last,
      );
      editor.setDecorations(this.types[severity], inView ?? []);
    }
  });

  /** Shows the notes and findings of a preview's lowering. */
  set(preview: vscode.Uri, source: vscode.Uri, result: protocol.LoweringResult): void {
    const found: Record<Severity, vscode.DecorationOptions[]> = { error: [], warning: [], information: [] };
    const lowered = new Map(result.lineMap);
    for (const { message, line } of result.notes ?? []) {
      const row = line === undefined ? undefined : lowered.get(line)?.[0];
      // A note without a line in the preview, such as a note about fixes, appears only in the bar above the text.
      if (row !== undefined) {
        found.information.push(option(row, message));
      }
    }
    for (const { line, source: from, code, severity, message } of result.findings ?? []) {
      const place = source.with({ fragment: `L${from + 1}` }).toString();
      const text = `${code}: ${message}`;
      found[SEVERITIES[severity - 1] ?? "information"].push(option(line, text, place, from + 1));
    }
    this.known.set(preview.toString(), found);
    this.near.refresh(preview);
  }

  forget(preview: vscode.Uri): void {
    this.known.delete(preview.toString());
  }

  dispose(): void {
    vscode.Disposable.from(this.near, ...Object.values(this.types)).dispose();
  }
}

function option(line: number, text: string, place?: string, number?: number): vscode.DecorationOptions {
  const hoverMessage = new vscode.MarkdownString().appendText(text);
  if (place !== undefined) {
    hoverMessage.appendMarkdown(`\n\n[line ${number} of the source](${place})`);
  }
  return { range: new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER), hoverMessage };
}

function decoration(severity: Severity): vscode.TextEditorDecorationType {
  const color = new vscode.ThemeColor(COLORS[severity]);
  const variable = `var(--vscode-${COLORS[severity].replace(".", "-")})`;
  return vscode.window.createTextEditorDecorationType({
    textDecoration: `underline wavy ${variable}`,
    overviewRulerColor: color,
    overviewRulerLane: vscode.OverviewRulerLane.Right,
  });
}
