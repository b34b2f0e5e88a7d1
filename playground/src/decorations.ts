/** Semantic tokens and inlay hints, requested after each analysis. */
import type * as lsp from "vscode-languageserver-protocol";
import { type Extension, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { DOCUMENT, offsetOf, type Program, rangeOf } from "./document";

const setTokens = StateEffect.define<DecorationSet>();
const setHints = StateEffect.define<DecorationSet>();

/** Returns a state field with decorations, which move with the text until `effect` replaces them. */
function field(effect: typeof setTokens): Extension {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(decorations, transaction) {
      const given = transaction.effects.find((each) => each.is(effect));
      return given ? given.value : decorations.map(transaction.changes);
    },
    provide: (from) => EditorView.decorations.from(from),
  });
}

export const decorations: Extension = [field(setTokens), field(setHints)];

/** Requests semantic tokens and inlay hints, and shows them unless the text has changed in the meantime. */
export async function decorate(program: Program): Promise<void> {
  const { view, client } = program;
  const { doc } = view.state;
  const [tokens, hints] = await Promise.all([
    program.ask<lsp.SemanticTokens>("textDocument/semanticTokens/full", { textDocument: DOCUMENT }),
    program.ask<lsp.InlayHint[]>("textDocument/inlayHint", {
      textDocument: DOCUMENT,
      range: rangeOf(doc, 0, doc.length),
    }),
  ]);
  if (view.state.doc !== doc) {
    return;
  }
  const legend = (client.serverCapabilities?.semanticTokensProvider as lsp.SemanticTokensOptions | undefined)?.legend;
  const effects: StateEffect<DecorationSet>[] = [];
  if (tokens && legend) {
    effects.push(setTokens.of(colored(doc, tokens.data, legend)));
  }
  if (hints) {
    effects.push(setHints.of(hinted(doc, hints)));
  }
  view.dispatch({ effects });
}

function colored(doc: Text, data: number[], legend: lsp.SemanticTokensLegend): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const known = new Map<string, Decoration>();
  let line = 0;
  let character = 0;
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [lines, characters, length, type, modifiers] = data.slice(at, at + 5) as [number, number, number, number, number];
    [line, character] = [line + lines, lines > 0 ? characters : character + characters];
    const names = [legend.tokenTypes[type], ...legend.tokenModifiers.filter((_, bit) => modifiers & (1 << bit))];
    const className = names.map((name) => `sem-${name}`).join(" ");
    let mark = known.get(className);
    if (!mark) {
      known.set(className, (mark = Decoration.mark({ class: className })));
    }
    const from = offsetOf(doc, { line, character });
    const to = offsetOf(doc, { line, character: character + length });
    if (from < to) {
      builder.add(from, to, mark);
    }
  }
  return builder.finish();
}

class Hint extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly tooltip: string,
  ) {
    super();
  }

  override eq(other: Hint): boolean {
    return other.text === this.text && other.tooltip === this.tooltip;
  }

  override toDOM(): HTMLElement {
    const made = document.createElement("span");
    made.className = "cm-inlay";
    made.textContent = this.text;
    made.title = this.tooltip;
    return made;
  }
}

function hinted(doc: Text, hints: lsp.InlayHint[]): DecorationSet {
  const placed = hints.map((hint) => {
    const text = typeof hint.label === "string" ? hint.label : hint.label.map((part) => part.value).join("");
    const tooltip = typeof hint.tooltip === "string" ? hint.tooltip : (hint.tooltip?.value ?? "");
    return Decoration.widget({ widget: new Hint(text, tooltip), side: 1 }).range(offsetOf(doc, hint.position));
  });
  return Decoration.set(placed, true);
}
