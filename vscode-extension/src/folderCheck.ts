/** The check of all files of a workspace: shows its progress if it takes long, and lets the user disable it. */
import * as vscode from "vscode";
import type { DiagnosticProviderMiddleware } from "vscode-languageclient/node";

/** A check, which VS Code repeats every two seconds, shows its progress after this time, for this many new files. */
const SLOW_MS = 800;
const MANY = 10;

/** Shows the progress of the check. If the user cancels the check, only open files are checked from then on. */
export const folderCheck: NonNullable<DiagnosticProviderMiddleware["provideWorkspaceDiagnostics"]> = async (
  previous,
  token,
  report,
  next,
) => {
  const asked = new vscode.CancellationTokenSource();
  const ended = token.onCancellationRequested(() => {
    asked.cancel();
  });
  const begun = performance.now();
  const count = { all: 0, new: 0 };
  let bar: ((files: number) => void) | undefined;
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  try {
    return await next(previous, asked.token, (part) => {
      count.all += part?.items.length ?? 0;
      count.new += part?.items.filter(({ kind }) => (kind as string) === "full").length ?? 0;
      if (count.new >= MANY && performance.now() - begun > SLOW_MS) {
        bar ??= progress(done, asked);
        bar(count.all);
      }
      report(part);
    });
  } finally {
    end();
    ended.dispose();
    asked.dispose();
  }
};

/** Shows a message until `done`; returns a function that updates the number of checked files. */
function progress(done: Promise<void>, asked: vscode.CancellationTokenSource): (files: number) => void {
  let say: ((message: string) => void) | undefined;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: "Checking all files of the workspace",
    cancellable: true,
  };
  void vscode.window.withProgress(options, async (shown, cancelled) => {
    say = (message) => {
      shown.report({ message });
    };
    cancelled.onCancellationRequested(() => {
      asked.cancel();
      void checkWorkspace(false);
    });
    await done;
  });
  let last = 0;
  return (files) => {
    if (performance.now() - last > 100) {
      last = performance.now();
      say?.(`${files} files`);
    }
  };
}

/** Sets whether the problems of every file are shown, or only those of open files. */
export async function checkWorkspace(isWanted: boolean): Promise<void> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration("gpuasync").update("checkWorkspace", isWanted, target);
}
