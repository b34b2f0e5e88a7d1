/** Nothing runs in a workspace that the user does not trust. */
import * as vscode from "vscode";

/** Something was to run in a workspace that is not trusted. */
export class NotTrusted extends Error {
  /** Says so, and leads to where the user decides. */
  async offer(): Promise<void> {
    const manage = "Manage Trust";
    if ((await vscode.window.showWarningMessage(this.message, manage)) === manage) {
      await vscode.commands.executeCommand("workbench.trust.manage");
    }
  }
}

/** Throws NotTrusted unless the workspace is trusted; `what` runs in trusted ones only: "Programs". */
export function needTrust(what: string): void {
  if (!vscode.workspace.isTrusted) {
    throw new NotTrusted(`${what} run in trusted workspaces only. This one is in Restricted Mode.`);
  }
}
