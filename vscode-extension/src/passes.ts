/**
 * Shows the effect of each pass of an IR dump: a tree beside the dump; a click shows the difference that a pass made.
 */
import * as path from "node:path";
import * as vscode from "vscode";
import { shown } from "./errors";
import { activeDocument, opened } from "./active";
import { dumpLens } from "./dumpLens";
import * as protocol from "./protocol";
import type { Server } from "./server";

const SCHEME = "gpuasync-pass";
const VIEW = "gpuasync.passes";
const REVEALS = 20;
const REVEAL_MS = 250;

export function registerPasses(server: Server): vscode.Disposable {
  const passes = new Passes(server);
  const view = vscode.window.createTreeView(VIEW, { treeDataProvider: passes, showCollapseAll: true });
  const show = async (uri: vscode.Uri, name: string | undefined): Promise<void> => {
    // A large dump takes seconds.
    const title = `Reading the passes of ${path.posix.basename(uri.path)}`;
    const location = vscode.ProgressLocation.Window;
    const found = await vscode.window.withProgress({ location, title }, () => passes.ask(uri, name));
    await vscode.commands.executeCommand("setContext", "gpuasync.hasPasses", true);
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    // The view exists only now; revealing a node before it is in the tree is an error.
    // VS Code shows no description of the only view of a container.
    view.message = `${[path.posix.basename(uri.path), ...(name ? [`@${name}`] : [])].join(", ")}: ${found.summary}`;
    passes.show(uri, name, found.passes);
    const first = passes.firstWithFinding();
    if (first) {
      await reveal(first);
    }
  };
  /** Tries to reveal a pass until it succeeds, since VS Code cannot reveal a node while it rereads the tree. */
  const reveal = async (run: protocol.PassRun): Promise<void> => {
    for (let left = REVEALS; left > 0 && passes.has(run); left--) {
      try {
        await view.reveal(run, { expand: true, focus: true });
        return;
      } catch (error) {
        server.log.debug(`not revealed yet: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, REVEAL_MS));
      }
    }
  };
  server.intercept("gpuasync.passes", (params) => {
    const { textDocument, function: name } = params as protocol.PassesParams;
    return shown(() => show(vscode.Uri.parse(textDocument.uri), name));
  });
  return vscode.Disposable.from(
    view,
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.toString() === passes.source?.toString()) {
        passes.clear();
        view.message = "";
        void vscode.commands.executeCommand("setContext", "gpuasync.hasPasses", false);
      }
    }),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, passes),
    vscode.languages.registerCodeLensProvider([{ language: "plaintext" }, { language: "log" }], {
      provideCodeLenses: dumpLens,
    }),
    vscode.commands.registerCommand("gpuasync.showPasses", () =>
      shown(async () => show((await activeDump()).uri, undefined)),
    ),
    vscode.commands.registerCommand("gpuasync.filterPasses", () =>
      shown(async () => {
        const title = "Show what passes did to one function; empty for all";
        const name = await vscode.window.showInputBox({ title, value: passes.only ?? "" });
        if (name !== undefined && passes.source) {
          await show(passes.source, name.replace(/^@/, "") || undefined);
        }
      }),
    ),
    vscode.commands.registerCommand("gpuasync.showPassDifference", (run: protocol.PassRun) =>
      shown(() => passes.difference(run)),
    ),
  );
}

/** Returns the active document; a log may have any name, and so any language. */
async function activeDump(): Promise<vscode.TextDocument> {
  const document = vscode.window.activeTextEditor?.document;
  if (document && document.languageId !== "mlir" && ["file", "untitled"].includes(document.uri.scheme)) {
    return vscode.languages.setTextDocumentLanguage(document, "mlir");
  }
  return activeDocument();
}

type Node = protocol.PassRun | PassFinding | Unchanged;

/** Consecutive passes without changes and findings. */
interface Unchanged {
  runs: protocol.PassRun[];
}

/** This many or more consecutive passes without changes become one line of the tree. */
const MANY_UNCHANGED = 3;

/** A finding that begins or ends with a pass. */
interface PassFinding extends protocol.PassFinding {
  /** `before`: the finding exists in the input, so no pass caused it. */
  when: "before" | "begins" | "ends";
}

class Passes implements vscode.TreeDataProvider<Node>, vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  source: vscode.Uri | undefined;
  only: string | undefined;
  private runs: protocol.PassRun[] = [];

  constructor(private readonly server: Server) {}

  /** Requests the passes of a dump. */
  async ask(source: vscode.Uri, only: string | undefined): Promise<protocol.PassesResult> {
    const textDocument = this.server.identifier(source);
    return this.server.request(protocol.passes, { textDocument, ...(only && { function: only }) });
  }

  /** Shows the passes `runs` of a dump. */
  show(source: vscode.Uri, only: string | undefined, runs: protocol.PassRun[]): void {
    this.source = source;
    this.only = only;
    this.runs = runs;
    this.changed.fire(undefined);
  }

  /** Empties the tree. */
  clear(): void {
    this.source = this.only = undefined;
    this.runs = [];
    this.changed.fire(undefined);
  }

  /** Returns whether the tree shows this pass. */
  has(run: protocol.PassRun): boolean {
    return this.runs.includes(run);
  }

  /** Returns the first pass that begins a finding not present in the input; most users look for that pass. */
  firstWithFinding(): protocol.PassRun | undefined {
    const found = this.runs.filter(({ begin }) => begin.length > 0);
    return found.find(({ before }) => before !== null) ?? found[0];
  }

  /** Only passes are revealed, and they are roots. */
  getParent(): undefined {
    return undefined;
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return grouped(this.runs);
    }
    if ("runs" in node) {
      return node.runs;
    }
    if (!("scope" in node)) {
      return [];
    }
    const when = node.before === null ? "before" : "begins";
    return [
      ...node.begin.map((finding) => ({ ...finding, when }) as const),
      ...node.end.map((finding) => ({ ...finding, when: "ends" }) as const),
    ];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ("scope" in node) {
      return this.passItem(node);
    }
    if ("runs" in node) {
      return this.unchangedItem(node);
    }
    const word = node.when === "before" ? "already there" : node.when;
    const item = new vscode.TreeItem(`${word}: ${node.message}`);
    item.description = node.code;
    item.iconPath = new vscode.ThemeIcon(node.when === "ends" ? "pass" : "warning");
    item.command = this.reveal(node.line);
    return item;
  }

  /** Shows a pass's input beside its result, with the same value names. */
  async difference(run: protocol.PassRun): Promise<void> {
    const side = (which: Side): vscode.Uri => this.sideOf(run, which);
    await vscode.commands.executeCommand("vscode.diff", side("before"), side("after"), run.name, {
      preview: true,
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { source, side, ...params } = JSON.parse(uri.query) as Shown;
    const dump = vscode.Uri.parse(source);
    await opened(dump);
    const textDocument = this.server.identifier(dump);
    return (await this.server.request(protocol.passDifference, { textDocument, ...params }))[side];
  }

  private passItem(run: protocol.PassRun): vscode.TreeItem {
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    const has = run.begin.length + run.end.length > 0;
    const item = new vscode.TreeItem(run.name, has ? Collapsed : None);
    // Several passes have the same name, so the tree needs an id to reveal one of them.
    item.id = `${this.source?.toString() ?? ""} ${this.only ?? ""} ${this.runs.indexOf(run)}`;
    item.description = [run.scope, run.what].filter(Boolean).join("  ");
    item.tooltip = `${run.name}\n${item.description}`;
    item.iconPath = icon(run);
    item.command =
      run.before === null
        ? this.reveal(run.line)
        : { command: "gpuasync.showPassDifference", title: "Show the Difference", arguments: [run] };
    return item;
  }

  private unchangedItem({ runs }: Unchanged): vscode.TreeItem {
    const title = `${runs.length} passes that changed nothing`;
    const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `${this.source?.toString() ?? ""} ${this.only ?? ""} ${this.runs.indexOf(runs[0] as protocol.PassRun)} unchanged`;
    const names = [...new Set(runs.map(({ name }) => name))];
    item.description = names.slice(0, 3).join(", ") + (names.length > 3 ? ", …" : "");
    item.tooltip = names.join("\n");
    item.iconPath = new vscode.ThemeIcon("circle-outline");
    return item;
  }

  private reveal(line: number): vscode.Command {
    const selection = new vscode.Range(line, 0, line, 0);
    return { command: "vscode.open", title: "Go to the Dump", arguments: [this.source, { selection }] };
  }

  private sideOf(run: protocol.PassRun, side: Side): vscode.Uri {
    const shownSide: Shown = {
      source: this.source?.toString() ?? "",
      side,
      before: run.before,
      after: run.line,
      ...(this.only && { function: this.only }),
    };
    const name = run.name.replace(/[^\w.-]+/g, "-");
    return vscode.Uri.from({
      scheme: SCHEME,
      path: `/${side}/${name}.mlir`,
      query: JSON.stringify(shownSide),
    });
  }
}

/** Returns the passes in order, with long sequences of passes without changes grouped. */
function grouped(runs: protocol.PassRun[]): (protocol.PassRun | Unchanged)[] {
  const found: (protocol.PassRun | Unchanged)[] = [];
  let same: protocol.PassRun[] = [];
  const end = (): void => {
    found.push(...(same.length < MANY_UNCHANGED ? same : [{ runs: same }]));
    same = [];
  };
  for (const run of runs) {
    const { before, changed, failed, torn, begin, end: ended } = run;
    if (before === null || changed !== false || failed || torn || begin.length + ended.length > 0) {
      end();
      found.push(run);
    } else {
      same.push(run);
    }
  }
  end();
  return found;
}

type Side = "before" | "after";

/** The contents of one side of a difference, encoded in the query of its URI. */
interface Shown {
  source: string;
  side: Side;
  before: number | null;
  after: number;
  function?: string;
}

function icon({ failed, torn, changed }: protocol.PassRun): vscode.ThemeIcon {
  const name = failed ? "error" : torn ? "question" : changed ? "edit" : "circle-outline";
  return new vscode.ThemeIcon(name);
}
