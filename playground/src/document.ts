/** The program in the editor, and what the server reports about it. */
import type * as lsp from "vscode-languageserver-protocol";
import { type Diagnostic as Mark, forEachDiagnostic, setDiagnostics } from "@codemirror/lint";
import type { LSPClient, LSPClientExtension } from "@codemirror/lsp-client";
import { type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

export const URI = "file:///playground/program.mlir";
export const DOCUMENT = { uri: URI };

/** A diagnostic and its fixes. */
export interface Problem {
  diagnostic: lsp.Diagnostic;
  actions: lsp.CodeAction[];
}

export interface Listener {
  /** Called when the text in the editor has been analyzed. */
  analyzed: (problems: Problem[]) => void;
  /** Called when the fixes of these problems are known. */
  fixable: (problems: Problem[]) => void;
}

const SEVERITIES = ["error", "error", "warning", "info", "hint"] as const;

export function severity(diagnostic: lsp.Diagnostic): (typeof SEVERITIES)[number] {
  return SEVERITIES[diagnostic.severity ?? 1];
}

/** Returns the text of a diagnostic, including its related locations. */
export function messageOf({ message, relatedInformation = [] }: lsp.Diagnostic): string {
  const words = typeof message === "string" ? message : message.value;
  const related = relatedInformation.map(
    (each) => `line ${each.location.range.start.line + 1}: ${each.message}`,
  );
  return [words, ...related].join("\n");
}

/** Returns the offset of a position, at most the end of its line. */
export function offsetOf(doc: Text, { line, character }: lsp.Position): number {
  if (line >= doc.lines) {
    return doc.length;
  }
  const { from, to } = doc.line(line + 1);
  return Math.min(from + character, to);
}

export function positionOf(doc: Text, offset: number): lsp.Position {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

export function rangeOf(doc: Text, from: number, to: number): lsp.Range {
  return { start: positionOf(doc, from), end: positionOf(doc, to) };
}

/** The program in the editor, as a document of the language server. */
export class Program {
  problems: Problem[] = [];

  constructor(
    readonly client: LSPClient,
    readonly view: EditorView,
    private readonly listener: Listener,
  ) {}

  /** Shows diagnostics of the current text; ignores those of an earlier text. */
  take(diagnostics: lsp.Diagnostic[]): void {
    this.problems = diagnostics.map((diagnostic) => ({ diagnostic, actions: [] }));
    this.mark();
    this.listener.analyzed(this.problems);
    void this.findFixes();
  }

  /** Sends a request about the current text; returns undefined if the text changes before the answer. */
  async ask<R>(method: string, params: object): Promise<R | undefined> {
    this.client.sync();
    const { doc } = this.view.state;
    try {
      const answer = await this.client.request<object, R>(method, params);
      return this.view.state.doc === doc ? answer : undefined;
    } catch (error) {
      if (isOutdated(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /** Requests the code actions of a range, of one kind or all. */
  async actions(range: lsp.Range, only?: string): Promise<lsp.CodeAction[]> {
    const context = { diagnostics: this.problems.map((problem) => problem.diagnostic), ...(only && { only: [only] }) };
    return (await this.ask<lsp.CodeAction[]>("textDocument/codeAction", { textDocument: DOCUMENT, range, context })) ?? [];
  }

  /** Applies the edits of a code action to the text. */
  async apply(action: lsp.CodeAction): Promise<void> {
    const whole = action.edit ? action : await this.ask<lsp.CodeAction>("codeAction/resolve", action);
    const edits = whole?.edit?.changes?.[URI] ?? [];
    this.edit(edits);
    this.view.focus();
  }

  edit(edits: readonly lsp.TextEdit[]): void {
    const { doc } = this.view.state;
    const changes = edits.map(({ range, newText }) => ({
      from: offsetOf(doc, range.start),
      to: offsetOf(doc, range.end),
      insert: newText,
    }));
    if (changes.length > 0) {
      this.view.dispatch({ changes, userEvent: "input.fix", scrollIntoView: true });
    }
  }

  private async findFixes(): Promise<void> {
    const { doc } = this.view.state;
    if (this.problems.length === 0) {
      return;
    }
    const { problems } = this;
    const actions = await this.actions(rangeOf(doc, 0, doc.length), "quickfix");
    if (problems !== this.problems || this.view.state.doc !== doc) {
      return;
    }
    for (const problem of problems) {
      problem.actions = actions.filter((action) => action.diagnostics?.some((each) => isSame(each, problem.diagnostic)));
    }
    this.mark();
    this.listener.fixable(problems);
  }

  /** Marks the problems in the text. */
  private mark(): void {
    const { doc } = this.view.state;
    const marks = this.problems.map(({ diagnostic, actions }): Mark => {
      const from = offsetOf(doc, diagnostic.range.start);
      return {
        from,
        to: Math.max(from, offsetOf(doc, diagnostic.range.end)),
        severity: severity(diagnostic),
        message: `${diagnostic.code ?? ""} ${messageOf(diagnostic)}`.trim(),
        actions: actions.slice(0, 3).map((action) => ({
          name: action.title,
          apply: () => void this.apply(action),
        })),
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }
}

export function isOutdated(error: unknown): boolean {
  const { code } = error as { code?: number };
  const { message } = error as { message?: string };
  return code === -32801 || /changed|modified|closed/.test(message ?? "");
}

function isSame(one: lsp.Diagnostic, other: lsp.Diagnostic): boolean {
  return one.code === other.code && one.message === other.message && JSON.stringify(one.range) === JSON.stringify(other.range);
}

/** Returns the client's extra capabilities, and its handlers of notifications. */
export function ours(program: () => Program | undefined): LSPClientExtension {
  return {
    clientCapabilities: {
      textDocument: {
        publishDiagnostics: { versionSupport: true, relatedInformation: true },
        codeAction: {
          codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source.fixAll"] } },
          dataSupport: true,
          resolveSupport: { properties: ["edit"] },
          isPreferredSupport: true,
        },
        inlayHint: {},
        semanticTokens: {
          requests: { full: true },
          tokenTypes: [],
          tokenModifiers: [],
          formats: ["relative"],
        },
      },
    },
    notificationHandlers: {
      "textDocument/publishDiagnostics": (client, params: lsp.PublishDiagnosticsParams) => {
        const file = client.workspace.getFile(params.uri);
        const shown = program();
        if (shown && file && params.version === file.version && file.doc === shown.view.state.doc) {
          shown.take(params.diagnostics);
        }
        return true;
      },
      "window/logMessage": (_, params: lsp.LogMessageParams) => {
        console.debug(params.message);
        return true;
      },
    },
  };
}

/** Returns the number of diagnostics that the editor shows; for tests. */
export function shownIn(view: EditorView): number {
  let count = 0;
  forEachDiagnostic(view.state, () => (count += 1));
  return count;
}
