/** Runs a function on a GPU or the CPU; nothing runs in an untrusted workspace. */
import * as vscode from "vscode";
import { isOutdated, needTrust, shown } from "./errors";
import { activeDocument, opened } from "./active";
import { offer } from "./install";
import { runFinished, runProgress, type Device, type RunArguments } from "./protocol";
import { RunPanel, type Asked } from "./runPanel";
import type { Server } from "./server";
import { entries, type Entry } from "./signature";
import { restorePanels, type Kept } from "./webview";

/** The key of the last arguments, by document and function. */
const REMEMBERED = "gpuasync.run.arguments";
const MOST_REMEMBERED = 200;
const DEVICES: Device[] = ["auto", "cpu", "cuda"];

export function registerRun(context: vscode.ExtensionContext, server: Server): vscode.Disposable {
  const runs = new Runs(context, server);
  return new vscode.Disposable(() => {
    runs.dispose();
  });
}

class Runs implements vscode.Disposable {
  private readonly panel: RunPanel;
  /** The current or last requested run; it is repeated once the missing packages are installed. */
  private last: Asked | undefined;
  private going: vscode.CancellationTokenSource | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.panel = new RunPanel(context, server.log, {
      run: (asked) => void shown(() => this.run(asked)),
      cancel: () => this.going?.cancel(),
    });
    server.onNotification(runProgress, ({ uri, entry, text, line }) => {
      if (this.going && this.isLast(uri, entry)) {
        this.panel.at(text, line);
      }
    });
    server.onNotification(runFinished, (report) => {
      if (!this.isLast(report.uri, report.entry)) {
        return;
      }
      this.panel.finished(report);
      const { lacks } = report;
      const again = this.last;
      if (lacks && again) {
        void shown(async () => {
          if (await offer(this.context, this.server, lacks)) {
            await this.run(again);
          }
        });
      }
    });
    server.intercept("gpuasync.run", (argument) =>
      shown(async () => {
        const { uri, device, entry } = argument as Partial<RunArguments> & { uri: string };
        await this.choose(await opened(vscode.Uri.parse(uri)), device, entry);
      }),
    );
    const command = (name: string, device: Device): vscode.Disposable =>
      vscode.commands.registerCommand(name, () => shown(() => this.choose(activeDocument(), device)));
    this.subscriptions = [
      command("gpuasync.runOnGpu", "cuda"),
      command("gpuasync.runOnCpu", "cpu"),
      restorePanels("report", (panel, document, state) => {
        const asked = askedBefore(document, state);
        return asked !== undefined && this.panel.restore(panel, asked);
      }),
    ];
  }

  dispose(): void {
    this.going?.cancel();
    vscode.Disposable.from(...this.subscriptions, this.panel).dispose();
  }

  /** Runs a function with its last arguments; if there are none, its form asks for them. */
  private async choose(document: vscode.TextDocument, device?: Device, name?: string): Promise<void> {
    needTrust("Programs");
    const found = entries(document.getText()).filter((entry) => name === undefined || entry.name === name);
    if (found.length === 0) {
      throw new Error(`This file has no function ${name ? `@${name} ` : ""}with a body.`);
    }
    const entry = found.length === 1 ? found[0] : (atCursor(found, document) ?? (await pickEntry(found)));
    if (!entry) {
      return;
    }
    const configuration = vscode.workspace.getConfiguration("gpuasync", document);
    const args = this.remembered(document.uri, entry);
    const asked: Asked = {
      uri: document.uri,
      entry,
      device: device ?? configuration.get("device", "auto"),
      args: args ?? {},
    };
    if (args) {
      await this.run(asked);
    } else {
      this.panel.show(asked, true);
    }
  }

  private async run(asked: Asked): Promise<void> {
    needTrust("Programs");
    await opened(asked.uri); // The server runs only open documents.
    this.going?.cancel();
    const going = (this.going = new vscode.CancellationTokenSource());
    this.last = asked;
    this.remember(asked);
    const configuration = vscode.workspace.getConfiguration("gpuasync", asked.uri);
    const argument: RunArguments = {
      uri: this.server.identifier(asked.uri).uri,
      device: asked.device,
      entry: asked.entry.name,
      args: asked.args,
      profile: configuration.get("run.profile", true),
      elements: true,
      trace: true,
    };
    this.panel.show(asked);
    this.panel.at("starting", 0);
    try {
      await this.server.execute("gpuasync.run", argument, going.token);
    } catch (error) {
      if (this.going === going) {
        this.panel.at(isOutdated(error) ? "cancelled" : "not run", 0, false);
      }
      throw error;
    } finally {
      if (this.going === going) {
        this.going = undefined;
      }
      going.dispose();
    }
  }

  private isLast(uri: string, entry: string): boolean {
    return (
      this.last !== undefined &&
      this.server.identifier(this.last.uri).uri === uri &&
      this.last.entry.name === entry
    );
  }

  /**
   * Returns the last arguments of a function if its parameters are unchanged; none if it has no parameters.
   */
  private remembered(uri: vscode.Uri, entry: Entry): Record<string, string> | undefined {
    const all = this.context.workspaceState.get<Record<string, Record<string, string>>>(REMEMBERED, {});
    const args = all[keyOf(uri, entry)] ?? {};
    return entry.arguments.every(({ name }) => args[name] !== undefined) ? args : undefined;
  }

  private remember({ uri, entry, args }: Asked): void {
    const all = this.context.workspaceState.get<Record<string, Record<string, string>>>(REMEMBERED, {});
    const key = keyOf(uri, entry);
    const others = Object.entries(all).filter(([other]) => other !== key);
    const kept = [...others.slice(1 - MOST_REMEMBERED), [key, args] as const];
    void this.context.workspaceState.update(REMEMBERED, Object.fromEntries(kept));
  }
}

/** Returns the contents of the form before a reload, if the function still exists. */
function askedBefore(document: vscode.TextDocument, { entry: name, device, args }: Kept): Asked | undefined {
  const entry = entries(document.getText()).find((each) => each.name === name);
  const known = DEVICES.find((each) => each === device);
  const values = Object.entries(args ?? {}).filter(([, value]) => typeof value === "string");
  return entry && known && { uri: document.uri, entry, device: known, args: Object.fromEntries(values) };
}

function keyOf(uri: vscode.Uri, entry: Entry): string {
  return `${uri.toString()}#${entry.name}(${entry.arguments.map(({ type }) => type).join()})`;
}

/** Returns the function at the cursor: the last one that begins above it. */
function atCursor(found: Entry[], document: vscode.TextDocument): Entry | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor?.document === document
    ? found.filter(({ line }) => line <= editor.selection.active.line).at(-1)
    : undefined;
}

async function pickEntry(functions: Entry[]): Promise<Entry | undefined> {
  const items = functions.map((entry) => ({
    label: `@${entry.name}`,
    description: entry.arguments.map(({ type }) => type).join(", "),
    detail: `line ${entry.line + 1}`,
    entry,
  }));
  return (await vscode.window.showQuickPick(items, { title: "Run which function?" }))?.entry;
}
