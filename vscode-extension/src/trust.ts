/** Prevents runs in untrusted workspaces. */
import * as vscode from "vscode";

/** Thrown if a program should run in an untrusted workspace. */
export class NotTrusted extends Error {
  /** Shows a message with a link to the trust settings. */
  async offer(): Promise<void> {
    const manage = "Manage Trust";
    if ((await vscode.window.showWarningMessage(this.message, manage)) === manage) {
      await vscode.commands.executeCommand("workbench.trust.manage");
    }
  }
}

/** Throws NotTrusted unless the workspace is trusted; `what` names what runs in trusted workspaces only: "Programs". */
export function needTrust(what: string): void {
  if (!vscode.workspace.isTrusted) {
    throw new NotTrusted(`${what} run only in trusted workspaces. This one is in Restricted Mode.`);
  }
}
