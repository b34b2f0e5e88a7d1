/** The page of a run: its arguments, what it is at, and what it gave. The server marks the lines. */
import * as vscode from "vscode";
import type { RunForm, RunReport, RunWish } from "./messages";
import type { Device } from "./protocol";
import type { Entry } from "./signature";
import { createPanel } from "./webview";

/** A function of a document, on a device, with these arguments. */
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
  private state = { running: false, text: "", line: 0 };

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly actions: RunActions,
  ) {}

  /** Shows the form of a function; what the last run gave goes with another function. */
  show(asked: Asked): void {
    if (this.asked?.uri.toString() !== asked.uri.toString() || this.asked.entry.name !== asked.entry.name) {
      this.report = undefined;
    }
    this.asked = asked;
    this.state = { running: false, text: "", line: 0 };
    const panel = (this.panel ??= this.create(asked.uri));
    panel.title = `Run: @${asked.entry.name}`;
    panel.reveal(undefined, true);
    this.send();
  }

  /** Shows what the run is at. */
  at(text: string, line: number, running = true): void {
    this.state = { running, text, line };
    this.send();
  }

  finished(report: RunReport): void {
    this.report = report;
    this.state = { running: false, text: "", line: 0 };
    this.send();
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private create(uri: vscode.Uri): vscode.WebviewPanel {
    const panel = createPanel(this.context, "report", "Run", () => this.asked?.uri ?? uri);
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.actions.cancel();
    });
    panel.webview.onDidReceiveMessage((wish: Partial<Record<string, unknown>>) => {
      void this.heed(wish as unknown as RunWish);
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
    } else if ("run" in wish) {
      this.actions.run({ ...this.asked, ...wish.run });
    } else if ("browse" in wish) {
      const files = await vscode.window.showOpenDialog({ filters: { "NumPy array": ["npy"] } });
      const file = files?.[0]?.fsPath;
      this.asked = { ...this.asked, args: { ...wish.args, ...(file ? { [wish.browse]: file } : {}) } };
      this.send();
    }
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
      arguments: entry.arguments.map(({ name, type }) => ({ name, type, value: args[name] ?? "" })),
      running: this.state.running,
      state: this.state.text,
      line: this.state.line,
      isOld: this.state.running,
    };
    void this.panel.webview.postMessage({ form, report: this.report ?? null });
  }
}
