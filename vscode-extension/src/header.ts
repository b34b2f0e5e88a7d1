/**
 * The bar above a preview: the preview's settings, each of which a click changes, and below them the errors that stop
 * the lowering.
 *
 * The bar consists of code lenses, so it has the editor's colors. For the keyboard, the same entries are a list.
 */
import * as vscode from "vscode";
import type { Shown } from "./compare";
import { optionsOf } from "./options";
import { pickOne } from "./pick";
import { ownSetting } from "./python";
import type * as protocol from "./protocol";

export const MOST_NOTES = 3;
/** The maximum number of characters of a message that are shown; they fit half a window. */
const LONGEST = 80;

export class Header implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  /** The lenses of each preview, by its URI. */
  private readonly lenses = new Map<string, vscode.CodeLens[]>();
  private readonly registration: vscode.Disposable;

  constructor(scheme: string) {
    this.registration = vscode.languages.registerCodeLensProvider({ scheme }, this);
  }

  set(preview: vscode.Uri, source: vscode.Uri, shown: Shown, result: protocol.LoweringResult): void {
    const bar = choices(preview, shown, result).map((command) => new vscode.CodeLens(at(0), command));
    const banner = said(source, result).map((command) => new vscode.CodeLens(at(1), command));
    this.lenses.set(preview.toString(), [...bar, ...banner]);
    this.changed.fire();
  }

  forget(preview: vscode.Uri): void {
    this.lenses.delete(preview.toString());
  }

  /**
   * Lets the user choose from the entries of the bar, as by a click. Throws an error with a message while the entries
   * are unknown.
   */
  async choose(preview: vscode.Uri): Promise<void> {
    const commands = (this.lenses.get(preview.toString()) ?? []).flatMap(({ command }) =>
      command ? [command] : [],
    );
    const choices = commands
      .filter(({ command }) => command)
      .map((value) => ({
        label: value.title,
        description: value.tooltip?.split("\n").at(-1) ?? "",
        value,
      }));
    if (choices.length === 0) {
      throw new Error("The preview is not ready yet, or the language server is not running.");
    }
    const chosen = await pickOne("What the preview shows", choices);
    if (chosen) {
      const given: unknown[] = chosen.arguments ?? [];
      await vscode.commands.executeCommand(chosen.command, ...given);
    }
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const last = document.lineCount - 1;
    const found = this.lenses.get(document.uri.toString()) ?? [];
    return found.filter(({ range }) => range.start.line <= last);
  }

  dispose(): void {
    vscode.Disposable.from(this.registration, this.changed).dispose();
  }
}

/** Returns the name of a stage in the user interface. */
export function stageName({ stage }: protocol.LoweringResult): string {
  return stage === "run-line" ? "RUN line's passes" : (stage ?? "lowered");
}

function choices(preview: vscode.Uri, shown: Shown, result: protocol.LoweringResult): vscode.Command[] {
  const options = optionsOf(shown).length;
  const command = (title: string, name: string, tooltip: string): vscode.Command => ({
    title,
    command: `gpuasync.${name}`,
    tooltip,
    arguments: [preview],
  });
  return [
    command(
      iconed("versions", `LLVM ${result.llvm ?? "?"}`),
      "choosePreviewVersion",
      `${shown.llvm ? "" : "The release that the source is for\n"}Lower as another release of LLVM does`,
    ),
    command(
      iconed("layers", stageName(result)),
      "choosePreviewStage",
      `${result.pipeline ?? ""}\nShow another stage of the pipeline`.trim(),
    ),
    ...folded(shown, result).map(([title, tooltip]) => command(title, "foldDescriptors", tooltip)),
    command(
      iconed("comment", shown.explain ? "explained" : "explain"),
      "explainPreview",
      shown.explain ? "Omit the comments" : "Explain in comments what each call does with streams",
    ),
    command(
      iconed("settings", options === 0 ? "options" : options === 1 ? "1 option" : `${options} options`),
      "choosePreviewOptions",
      "Choose options of gpu-to-llvm",
    ),
    // Without an mlir-opt, this entry could not do anything.
    ...(shown.engine || ownSetting("mlirOpt")
      ? [
          command(
            iconed("server-process", shown.engine ? "your mlir-opt" : "GPU Async"),
            "previewByMlirOpt",
            shown.engine ? "Lower with GPU Async, without mlir-opt" : "Lower with your own mlir-opt",
          ),
        ]
      : []),
    command(
      iconed("diff", "compare…"),
      "comparePreviewWith",
      "Compare this with another release, another stage, the result of fixes, or your mlir-opt",
    ),
  ];
}

/** Returns the entry about folded descriptors, with the number of removed lines; empty if there are no descriptors. */
function folded(
  { foldDescriptors }: Shown,
  { folded: count = 0 }: protocol.LoweringResult,
): [string, string][] {
  if (!foldDescriptors) {
    return [[iconed("fold", "fold descriptors"), "One line for each memref, without its insertvalue ops"]];
  }
  const what = `A memref is one line here; ${count} lines are folded. insertvalue, extractvalue, sizes in bytes and constants for them are left out.`;
  return count > 0 ? [[iconed("unfold", `${count} folded`), `${what}\nShow every op`]] : [];
}

/** Returns entries for the notes of a lowering; errors that stop it come first. */
function said(source: vscode.Uri, { notes = [] }: protocol.LoweringResult): vscode.Command[] {
  const sorted = [...notes].sort((a, b) => Number(b.error ?? false) - Number(a.error ?? false));
  const commands = sorted.slice(0, MOST_NOTES).map(({ message, line, error }) => {
    const where = line === undefined ? "" : `line ${line + 1}: `;
    const said = `${where}${message}`.replaceAll(/\s+/g, " ");
    const text = said.length > LONGEST ? `${said.slice(0, LONGEST)}…` : said;
    const title = iconed(error ? "error" : "info", text);
    return line === undefined
      ? { title, command: "", tooltip: message }
      : {
          title,
          command: "gpuasync.goToSource",
          tooltip: `${message}\nGo to that line of the source`,
          arguments: [source, line],
        };
  });
  const left = sorted.length - commands.length;
  return left > 0 ? [...commands, { title: `and ${left} more, at their lines`, command: "" }] : commands;
}

/** Returns a title after an icon, separated by a no-break space: code lenses drop a plain space. */
function iconed(icon: string, title: string): string {
  return `$(${icon})\u00a0${title}`;
}

function at(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}
