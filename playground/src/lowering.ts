/** The lowering beside the source, with linked lines. */
import { defaultKeymap } from "@codemirror/commands";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, lineNumbers } from "@codemirror/view";
import type { LoweringParams, LoweringResult } from "../../vscode-extension/src/protocol";
import { DOCUMENT, type Program } from "./document";
import { looks } from "./mlir";
import { button, byId, element, reasonOf } from "./shared";

const setLinked = StateEffect.define<number[]>();
const marked = Decoration.line({ class: "cm-linked" });

/** An editor extension that highlights lines, given their 0-based numbers. */
export const linked: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setLinked)) {
        const { doc } = transaction.state;
        const rows = effect.value.filter((row) => row < doc.lines).sort((one, other) => one - other);
        return Decoration.set(rows.map((row) => marked.range(doc.line(row + 1).from)));
      }
    }
    return decorations.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function link(view: EditorView, rows: number[], scroll: boolean): void {
  const first = rows[0];
  const effects: StateEffect<unknown>[] = [setLinked.of(rows)];
  if (scroll && first !== undefined && first < view.state.doc.lines) {
    effects.push(EditorView.scrollIntoView(view.state.doc.line(first + 1).from, { y: "nearest", yMargin: 40 }));
  }
  view.dispatch({ effects });
}

/** The panel with the lowering. */
export class Lowering {
  private rows = new Map<number, number[]>();
  private sources = new Map<number, number>();
  private shownText = "";
  private readonly view: EditorView;
  private readonly stages = byId<HTMLSelectElement>("stage");
  private readonly comments = byId<HTMLInputElement>("comments");
  private readonly notes = byId("notes");
  private asked = 0;

  constructor(
    private readonly program: Program,
    public stage: string,
    private readonly llvm: () => number,
    private readonly toLine: (line: number) => void,
    changed: () => void,
  ) {
    this.view = new EditorView({
      parent: byId("lowered"),
      state: EditorState.create({
        extensions: [
          looks,
          lineNumbers(),
          search({ top: true }),
          keymap.of([...searchKeymap, ...defaultKeymap]),
          linked,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": "Lowering", "aria-readonly": "true", tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.selectionSet && update.transactions.some((each) => each.isUserEvent("select"))) {
              this.follow();
            }
          }),
        ],
      }),
    });
    this.stages.addEventListener("change", () => {
      this.stage = this.stages.value;
      changed();
      void this.refresh();
    });
    this.comments.addEventListener("change", () => void this.refresh());
  }

  /** Marks the lowering as outdated after a change of the text in the editor. */
  age(): void {
    byId("lowering").classList.add("old");
  }

  async refresh(): Promise<void> {
    const number = (this.asked += 1);
    const llvm = this.llvm();
    const params: LoweringParams = {
      textDocument: DOCUMENT,
      ...(llvm && { llvm }),
      ...(this.stage && { stage: this.stage }),
      ...(this.comments.checked && { explain: true }),
    };
    try {
      const found = await this.program.ask<LoweringResult>("gpuasync/lowering", params);
      if (found && number === this.asked) {
        this.show(found);
      }
    } catch (error) {
      this.tell([{ message: reasonOf(error), error: true }]);
    }
  }

  /** Highlights the lowered lines of a source line (0-based). */
  mark(line: number): void {
    link(this.view, this.rows.get(line) ?? [], true);
  }

  /** Highlights the source line of the lowered line with the cursor. */
  private follow(): void {
    const { doc, selection } = this.view.state;
    const source = this.sources.get(doc.lineAt(selection.main.head).number - 1);
    if (source !== undefined) {
      this.toLine(source);
    }
  }

  private show(found: LoweringResult): void {
    byId("lowering").classList.remove("old");
    if (found.text !== this.shownText) {
      this.shownText = found.text;
      const top = this.view.scrollDOM.scrollTop;
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: found.text } });
      this.view.scrollDOM.scrollTop = top;
    }
    this.rows = new Map(found.lineMap);
    this.sources.clear();
    for (const [line, rows] of found.lineMap) {
      for (const row of rows) {
        this.sources.set(row, line);
      }
    }
    byId("pipeline").textContent = found.pipeline ?? "";
    this.offer(found);
    this.tell(found.notes ?? []);
    const { doc, selection } = this.program.view.state;
    this.mark(doc.lineAt(selection.main.head).number - 1);
  }

  private offer({ stages = [], stageDescriptions = [], stage = "" }: LoweringResult): void {
    if (this.stages.length !== stages.length + 1) {
      const own = element("option", "the file's own");
      own.value = "";
      const options = stages.map((name, at) => {
        const option = element("option", name);
        option.value = name;
        option.title = stageDescriptions[at] ?? "";
        return option;
      });
      this.stages.replaceChildren(own, ...options);
    }
    this.stages.value = this.stage;
    this.stages.title = stageDescriptions[stages.indexOf(stage)] ?? "";
  }

  private tell(notes: NonNullable<LoweringResult["notes"]>): void {
    this.notes.replaceChildren(
      ...notes.map(({ message, error, line }) => {
        const item = element("li", `${message} `, error ? "error" : "note");
        if (line !== undefined) {
          item.append(
            button(`line ${line + 1}`, () => {
              this.toLine(line);
            }),
          );
        }
        return item;
      }),
    );
  }
}
