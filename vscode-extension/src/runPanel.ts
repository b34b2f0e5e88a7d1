/** A run's page: the arguments, the progress, and the report. The server marks the lines. */
import * as vscode from "vscode";
import * as path from "node:path";
import { onDidMove } from "./active";
import type { Compared, RunForm, RunPage, RunReport } from "./messages";
import { readNpy } from "./npy";
import type { Device } from "./protocol";
import type { Entry } from "./signature";
import { createPanel } from "./webview";
import { isRunWish, type RunWish } from "./wishes";

/** A function of a document, with the device and arguments of a run. */
export interface Asked {
  uri: vscode.Uri;
  entry: Entry;
  device: Device;
  args: Record<string, string>;
}

export interface RunActions {
  run(asked: Asked): void;
  cancel(): void;
}

export class RunPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private asked: Asked | undefined;
  private report: RunReport | undefined;
  /** The report of the previous run of the same function. */
  private previous: RunReport | undefined;
  /** The arrays with which values of the report are compared, by the values' names. */
  private readonly choices = new Map<string, Compared>();
  private trace: object | undefined;
  private asks = false;
  private state = { running: false, text: "", line: 0 };

  /** Follows the document of the form to its new place; the report of one that was closed unsaved stays. */
  private readonly moves = onDidMove((placeOf) => {
    const uri = this.asked && placeOf(this.asked.uri);
    if (this.asked && uri && uri !== "closed") {
      this.asked = { ...this.asked, uri };
      this.send();
    }
  });

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly actions: RunActions,
  ) {}

  /** Shows the form of a function, with the focus if `asks`; for another function, the last report is removed. */
  show(asked: Asked, asks = false): void {
    if (this.asked?.uri.toString() !== asked.uri.toString() || this.asked.entry.name !== asked.entry.name) {
      this.report = undefined;
      this.previous = undefined;
      this.choices.clear();
    }
    this.asked = asked;
    this.state = { running: false, text: "", line: 0 };
    const panel = (this.panel ??= this.create(asked.uri));
    panel.title = `Run: @${asked.entry.name}`;
    panel.reveal(undefined, !asks);
    this.asks = asks;
    this.send();
  }

  /** Shows the current activity of the run. */
  at(text: string, line: number, running = true): void {
    this.state = { running, text, line };
    this.send();
  }

  finished({ trace, ...report }: RunReport): void {
    if (this.report?.values.length) {
      this.previous = this.report;
    }
    this.report = report;
    this.trace = trace;
    this.state = { running: false, text: "", line: 0 };
    this.send();
  }

  dispose(): void {
    this.moves.dispose();
    this.panel?.dispose();
  }

  /** Restores the form of a panel after a reload; the report is lost, because the server that ran it has ended. */
  restore(panel: vscode.WebviewPanel, asked: Asked): boolean {
    if (this.panel) {
      return false;
    }
    this.asked = asked;
    this.state = { running: false, text: "the window was reloaded", line: 0 };
    this.panel = this.create(asked.uri, panel);
    return true;
  }

  private create(uri: vscode.Uri, restored?: vscode.WebviewPanel): vscode.WebviewPanel {
    const page = {
      script: "report",
      title: "Run",
      source: () => this.asked?.uri ?? uri,
      isWish: isRunWish,
      heed: (wish: RunWish) => this.heed(wish),
    } as const;
    const panel = createPanel(this.context, this.log, page, restored);
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.actions.cancel();
    });
    return panel;
  }

  private async heed(wish: RunWish): Promise<void> {
    if (!this.asked) {
      return;
    }
    if ("ready" in wish) {
      this.send();
    } else if ("cancel" in wish) {
      this.actions.cancel();
    } else if ("compare" in wish) {
      await this.compare(wish.compare, wish.with);
      this.send();
    } else if ("trace" in wish) {
      await this.saveTrace();
    } else if ("run" in wish) {
      this.actions.run({ ...this.asked, ...wish.run });
    } else if ("browse" in wish) {
      const file = (await askForArray())?.fsPath;
      if (file) {
        this.asked = { ...this.asked, args: { ...wish.args, [wish.browse]: file } };
        this.send();
      }
    }
  }

  /** Saves the timeline as a file, which the user can open in Perfetto in a browser. */
  private async saveTrace(): Promise<void> {
    if (!this.asked || !this.trace) {
      return;
    }
    const { uri, entry } = this.asked;
    const name = `${entry.name}.trace.json`;
    const target = await vscode.window.showSaveDialog({
      filters: { "Chrome trace": ["json"] },
      ...(uri.scheme === "file" && { defaultUri: vscode.Uri.joinPath(uri, "..", name) }),
    });
    if (!target) {
      return;
    }
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(JSON.stringify(this.trace)));
    const open = "Open ui.perfetto.dev";
    const said = `Saved ${path.basename(target.fsPath)}. Perfetto opens it: drop the file onto its page. It stays on this machine.`;
    if ((await vscode.window.showInformationMessage(said, open)) === open) {
      await vscode.env.openExternal(vscode.Uri.parse("https://ui.perfetto.dev"));
    }
  }

  private async compare(name: string, other: "" | "previous" | "file"): Promise<void> {
    if (other === "previous") {
      this.choices.set(name, { ...NOTHING, with: other });
    } else if (other === "file") {
      const file = await askForArray();
      if (file) {
        this.choices.set(name, await arrayOf(file));
      }
    } else {
      this.choices.delete(name);
    }
  }

  private compared(): Record<string, Compared> {
    return Object.fromEntries(
      [...this.choices].map(([name, choice]) => {
        const before = this.previous?.values.find((value) => value.name === name);
        const { shape, elements } = before ?? {};
        const error = shape && elements ? "" : "it has no such array";
        const label = "the previous run";
        return [
          name,
          choice.with === "file"
            ? choice
            : { ...choice, label, shape: shape ?? [], elements: elements ?? [], error },
        ];
      }),
    );
  }

  private send(): void {
    if (!this.panel || !this.asked) {
      return;
    }
    const { entry, device, args } = this.asked;
    const form: RunForm = {
      form: true,
      entry: entry.name,
      device,
      arguments: entry.arguments.map((each) => ({ ...each, value: args[each.name] ?? "" })),
      running: this.state.running,
      state: this.state.text,
      line: this.state.line,
      isOld: this.state.running,
      asks: this.asks,
    };
    const page: RunPage = {
      source: this.asked.uri.toString(),
      form,
      report: this.report ?? null,
      compared: this.compared(),
      hasPrevious: this.previous !== undefined,
    };
    void this.panel.webview.postMessage(page);
  }
}

const NOTHING: Compared = { with: "file", label: "", shape: [], elements: [], error: "" };
const MOST_BYTES = 1 << 28;
/** The maximum number of elements of an array, as in a report. */
const MOST_ELEMENTS = 1 << 16;

async function askForArray(): Promise<vscode.Uri | undefined> {
  return (await vscode.window.showOpenDialog({ filters: { "NumPy array": ["npy"] } }))?.[0];
}

async function arrayOf(file: vscode.Uri): Promise<Compared> {
  const label = path.basename(file.fsPath);
  try {
    if ((await vscode.workspace.fs.stat(file)).size > MOST_BYTES) {
      throw new Error("the file is too large");
    }
    return { ...NOTHING, label, ...readNpy(await vscode.workspace.fs.readFile(file), MOST_ELEMENTS) };
  } catch (error) {
    return { ...NOTHING, label, error: error instanceof Error ? error.message : String(error) };
  }
}
