/** What the last run of a file found, at the lines it speaks of, until the file changes. */
import * as vscode from "vscode";
import type { Place, RunFinding, RunReport } from "./messages";

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
};

export class Findings implements vscode.Disposable {
  private readonly collection = vscode.languages.createDiagnosticCollection("gpuasync run");
  private readonly subscriptions = [
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0) {
        this.collection.delete(document.uri);
      }
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      this.collection.delete(uri);
    }),
  ];

  /** Takes the place of what the file's run before this one has found. */
  show(report: RunReport): void {
    const uri = vscode.Uri.parse(report.uri);
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
    if (document) {
      const placed = report.findings.filter(({ place }) => place.line > 0);
      this.collection.set(
        uri,
        placed.map((finding) => diagnostic(document, finding)),
      );
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.collection).dispose();
  }
}

function diagnostic(document: vscode.TextDocument, found: RunFinding): vscode.Diagnostic {
  const made = new vscode.Diagnostic(range(document, found.place), found.message, SEVERITIES[found.level]);
  made.source = "gpuasync run";
  made.code = found.name;
  made.relatedInformation = found.related
    .filter(({ place }) => place.line > 0)
    .map(({ place, message }) => {
      const location = new vscode.Location(document.uri, range(document, place));
      return new vscode.DiagnosticRelatedInformation(location, message);
    });
  return made;
}

/** The line without its indentation: an op often goes on below, where a squiggle would only be in the way. */
function range(document: vscode.TextDocument, { line }: Place): vscode.Range {
  const { range, firstNonWhitespaceCharacterIndex } = document.lineAt(Math.min(line, document.lineCount) - 1);
  return range.with(range.start.with({ character: firstNonWhitespaceCharacterIndex }));
}
