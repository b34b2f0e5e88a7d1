/**
 * Starts the bundled server before VS Code calls `activate`.
 *
 * In a new window, VS Code first loads the code of all extensions that a file activates, one after the other in one
 * thread. Meanwhile the server imports its modules, which takes about as long.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import * as vscode from "vscode";
import { bundled, type Found } from "./find";
import { firstPython, ownText, pythonExtension, rootOf } from "./python";

export class EarlyServer implements vscode.Disposable {
  private process: ChildProcessWithoutNullStreams | undefined;
  /** The interpreter that runs the server. */
  private interpreter: Promise<string | undefined> | undefined;

  /** Starts the server with the first Python on PATH, unless a setting or the Python extension may name another one. */
  constructor(extensionPath: string) {
    const mayDiffer = ownText("serverPath") ?? ownText("python") ?? pythonExtension();
    const python = mayDiffer ? undefined : firstPython();
    if (!python) {
      return;
    }
    // A program that cannot be started is asked by the search, too, which reports it.
    try {
      const process = spawn(python.program, bundled(extensionPath), { cwd: rootOf(python.program) });
      process.on("error", () => undefined);
      if (process.pid === undefined) {
        return;
      }
      process.stdin.on("error", () => undefined); // It has ended, which the client notices at its output.
      this.process = process;
      this.interpreter = python.interpreter;
    } catch {
      return;
    }
  }

  /** Returns the server's process if it is the server that was found; otherwise ends it. Returns it only once. */
  async take({ kind, command }: Found): Promise<ChildProcessWithoutNullStreams | undefined> {
    const process = this.process;
    this.process = undefined;
    if (kind === "bundled" && command === (await this.interpreter) && process?.exitCode === null) {
      return process;
    }
    process?.stdin.end();
    return undefined;
  }

  dispose(): void {
    this.process?.stdin.end();
  }
}
