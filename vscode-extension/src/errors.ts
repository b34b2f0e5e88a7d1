/** Errors, as messages for the user. */
import * as vscode from "vscode";
import { ownSetting } from "./python";

/** An error with a message for the user, and a command that helps. */
export class ActionError extends Error {
  private readonly values: unknown[];

  constructor(
    message: string,
    private readonly action: string,
    private readonly command: string,
    ...values: unknown[]
  ) {
    super(message);
    this.values = values;
  }

  /** Shows the message with a button that executes the command. */
  async offer(): Promise<void> {
    if ((await vscode.window.showWarningMessage(this.message, this.action)) === this.action) {
      await vscode.commands.executeCommand(this.command, ...this.values);
    }
  }
}

/** Throws an error unless the workspace is trusted; `what` names what runs in trusted workspaces only: "Programs". */
export function needTrust(what: string): void {
  if (!vscode.workspace.isTrusted) {
    throw new ActionError(
      `${what} run only in trusted workspaces. This one is in Restricted Mode.`,
      "Manage Trust",
      "workbench.trust.manage",
    );
  }
}

/**
 * Returns the command that opens a setting of scope `machine`, and its argument. In a remote window, such settings are
 * not among the user's.
 */
export function opensSetting(name: string): [string, unknown] {
  return vscode.env.remoteName === undefined
    ? ["workbench.action.openSettings", name]
    : ["workbench.action.openRemoteSettings", { query: name }];
}

/** Throws an error unless the user's settings name an mlir-opt. */
export function needMlirOpt(): void {
  if (!ownSetting("mlirOpt")) {
    const setting = "gpuasync.mlirOpt";
    const said = `Set ${setting} to the path of your mlir-opt first.`;
    throw new ActionError(said, "Open Settings", ...opensSetting(setting));
  }
}

/** Runs `action` and shows its error as a message, unless the error only means that an answer is outdated. */
export async function shown(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof ActionError) {
      void error.offer();
    } else if (!isOutdated(error)) {
      void vscode.window.showErrorMessage(sentence(error instanceof Error ? error.message : String(error)));
    }
  }
}

/** Returns a message of the server as a sentence: the command line shows the same messages in lower case. */
export function sentence(message: string): string {
  const said = message.replace(/^[a-z]+(?=[ ,:'])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  return /[.!?…`]$/.test(said) ? said : `${said}.`;
}

/** Returns whether a request failed because it was cancelled or the document changed meanwhile. */
export function isOutdated(error: unknown): boolean {
  const code = (error as { code?: number } | undefined)?.code;
  return code === -32800 || code === -32801 || code === -32802;
}
